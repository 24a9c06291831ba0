// Why a handler did not take a request, in words: of the places that failed (`lastUser`, `header.x-team`), what they wait for.

const NAMES = /** @type {{ [label: string]: string }} */ ({
  method: 'the method',
  path: 'the path',
  body: 'the body',
  endpoint: 'the operation',
  model: 'the model',
  lastUser: 'the last message of the user',
  system: 'what the model is told to be',
  input: 'what is asked',
  turn: 'the turn of the conversation',
  call: 'the number of the call',
  responseFormat: 'the format of the answer',
});

/** @param {string} label @param {any} match of the handler */
export function conditionText(label, match) {
  const [first = '', ...rest] = label.split('.');
  const name = rest.join('.');
  switch (first) {
    case 'query':
      return said(`the query’s ${name}`, match.query?.[name]);
    case 'header':
      return said(`the header ${name}`, match.header?.[name]);
    case 'body': {
      const value = within(match.body, rest);
      const what = name === '' ? 'the body' : `the body’s ${name}`;
      return value === undefined ? `${what} is another` : `${what} is not ${quoted(value)}`;
    }
    case 'exact':
      return `${name === '' ? 'the request' : `the request’s ${name}`} is another than the one that was recorded`;
    case 'tool':
      return `it does not offer the tool ${wanted(match.tool?.offered)}`;
    case 'toolResult':
      return match.toolResult === false
        ? 'it ends with a tool’s result'
        : match.toolResult === true
          ? 'it does not end with a tool’s result'
          : `it does not end with a tool’s result that is ${wanted(match.toolResult?.text ?? match.toolResult?.name ?? match.toolResult)}`;
    case 'stream':
      return match.stream === false ? 'it asks for a stream' : 'it asks for no stream';
    case 'any':
      return 'none of what may be (any) is so';
    case 'not':
      return 'what must not be (not) is so';
    default:
      return said(NAMES[first] ?? label, match[first]);
  }
}

/** @param {string} what @param {any} text */
function said(what, text) {
  if (typeof text === 'object' && text !== null && !Array.isArray(text)) {
    if ('contains' in text) return `${what} does not contain ${quoted(text.contains)}`;
    if ('containsAll' in text)
      return `${what} does not contain all of ${text.containsAll.map(quoted).join(', ')}`;
    if ('regex' in text) return `${what} does not fit /${text.regex}/${text.flags ?? ''}`;
    if ('equals' in text) return `${what} is not ${quoted(text.equals)}`;
  }
  return text === undefined ? `${what} is another` : `${what} is not ${wanted(text)}`;
}

/** @param {any} text @returns {string} */
function wanted(text) {
  if (Array.isArray(text)) return text.map(wanted).join(', ');
  if (typeof text !== 'object' || text === null) return quoted(text);
  const [[how, value] = ['', '']] = Object.entries(text);
  return `${how} ${quoted(value)}`;
}

/** @param {any} value */
function quoted(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `“${text.length > 120 ? `${text.slice(0, 120)}…` : text}”`;
}

/** @param {any} value @param {string[]} path */
function within(value, path) {
  return path.reduce(
    (held, name) => (typeof held === 'object' && held !== null ? held[name] : undefined),
    value,
  );
}
