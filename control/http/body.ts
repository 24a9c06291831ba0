// A request body as an endpoint reads it: a JSON object with exactly the fields that it names.

export type JsonBody =
  | { readonly ok: true; readonly value: { readonly [field: string]: unknown } }
  | { readonly ok: false; readonly code: 'bad-body'; readonly message: string };

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

export function parseBody(body: Uint8Array, fields: readonly string[]): JsonBody {
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(body));
  } catch {
    return bad('The body is no JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return bad('The body is no JSON object.');
  const unknown = Object.keys(value).find(key => !fields.includes(key));
  if (unknown !== undefined)
    return bad(`The body has an unknown field “${unknown.slice(0, 64)}”; it takes ${fields.join(', ')}.`);
  return { ok: true, value: value as { readonly [field: string]: unknown } };
}

function bad(message: string): JsonBody {
  return { ok: false, code: 'bad-body', message };
}
