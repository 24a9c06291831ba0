// A request as a command of curl's, for a POSIX shell. What was a credential is not here: a word stands for it.

const PLACEHOLDER = 'YOUR_CREDENTIAL';
const MASKED = /masked-[a-z0-9-]+/g;

/** What curl writes by itself, and what belongs to the connection or to the trace that the request was part of. */
const OWN = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'accept-encoding',
  'proxy-connection',
  'keep-alive',
  'traceparent',
  'tracestate',
]);

/**
 * @param {string} url with its query
 * @param {{ method: string; headers: readonly (readonly [name: string, value: string])[]; body: { bytes: number; text: string | null } }} request
 */
export function curlOf(url, { method, headers, body }) {
  // Brackets of a form's names are no ranges, and a path is asked for as it stands.
  const lines = [`curl --globoff --path-as-is ${method === 'HEAD' ? '--head ' : ''}${quoted(url)}`];
  if (method !== 'HEAD' && (method !== 'GET' || body.bytes > 0)) lines.push(`--request ${quoted(method)}`);
  const sent = headers.filter(([name]) => !OWN.has(name.toLowerCase()));
  for (const [name, value] of sent)
    lines.push(
      `--header ${quoted(value === '' ? `${name};` : `${name}: ${value.replace(MASKED, PLACEHOLDER)}`)}`,
    );
  if (body.bytes > 0) {
    // Or curl says that it is a form.
    if (!sent.some(([name]) => name.toLowerCase() === 'content-type')) lines.push(`--header 'content-type:'`);
    // Of bytes that are not here: whoever has them puts them beside.
    lines.push(body.text === null ? "--data-binary '@body'" : `--data-raw ${quoted(body.text)}`);
  }
  return lines.join(' \\\n  ');
}

/** One word of a POSIX shell, whatever is in it. @param {string} text */
const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;
