// The parts of a twin whose vendor does nothing unusual: JSON or forms come in, an operation answers with a reply. Spread
// into `buildTwin`, beside what is the vendor's own.
import type { Told, Unknown } from './build-twin.ts';
import type { Call } from './call.ts';
import { decodeForm, formJson } from './form.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { type Ask, type Asked, headerOf, type Operation, type Screen } from './operation.ts';
import { Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';

export type JsonAsk = Ask & {
  /** JSON, or a form as the tree that its brackets write; empty where there is none. */
  readonly body: JsonObject;
};

export type JsonOperation = Operation<JsonAsk, Reply>;
export type JsonScreen = Screen<Ask>;

export const JSON_API = {
  heads: true,
  request: (): null => null,
  unknown: unknownOperation,
  body: readBody,
  context: (asked: Asked, { body }: Told<JsonOperation, null, JsonObject>): JsonAsk => ({
    call: asked.call,
    tx: asked.tx,
    path: asked.path,
    query: asked.query,
    body,
  }),
  reply: (made: Reply): Reply => made,
} as const;

const NOTHING: JsonObject = {};

/** Empty for bytes of another kind, which an operation reads of `call.body`. */
function readBody(asked: Asked): JsonObject {
  const { call } = asked;
  if (call.body.length === 0) return NOTHING;
  const type = headerOf(call, 'content-type') ?? '';
  if (type.includes('x-www-form-urlencoded')) {
    const decoded = decodeForm(new TextDecoder().decode(call.body));
    const form = decoded.ok ? formJson(decoded.form) : null;
    if (isJsonObject(form)) return form;
    throw new Refusal(400, 'invalid_form', 'The body is no form that can be read.');
  }
  if (type !== '' && !type.includes('json')) return NOTHING;
  const { json } = asked;
  if (isJsonObject(json)) return json;
  throw new Refusal(400, 'invalid_json', 'The body is no JSON object.');
}

function unknownOperation(call: Call, { methods, catalogued }: Unknown): Refusal {
  if (catalogued) {
    const message = `This twin does not model ${call.method} ${call.path}. Answer it with a handler.`;
    return new Refusal(501, 'wrld_unmodelled_operation', message);
  }
  if (methods.length === 0) return new Refusal(404, 'not_found', `There is no ${call.path}.`);
  return new Refusal(405, 'method_not_allowed', `${call.path} takes ${methods.join(', ')}.`);
}
