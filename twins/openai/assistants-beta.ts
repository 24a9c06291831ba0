// What all of the Assistants API has in common: the header that lets a caller in, and what every object of it takes.
import type { Call } from '../kit/call.ts';
import { field, isJsonObject, type Json, type JsonObject, objectField, textField } from '../kit/json.ts';
import type { ModelOperation } from '../kit/model-api.ts';
import { headerOf } from '../kit/operation.ts';
import { checkAmount, checkWord, wrongType } from './amounts.ts';
import { invalid, missing } from './errors.ts';
import { checkStrict, FORMATS } from './schema-check.ts';

const METADATA_FIELDS_MAX = 16;

/** Operations that are refused without `OpenAI-Beta: assistants=v2`. */
export function ofBeta(operations: readonly ModelOperation[]): readonly ModelOperation[] {
  return operations.map(operation => ({
    ...operation,
    run: context => {
      checkBeta(context.call);
      return operation.run(context);
    },
  }));
}

function checkBeta(call: Call): void {
  const beta = headerOf(call, 'openai-beta') ?? '';
  if (/\bassistants=v2\b/.test(beta)) return;
  if (/\bassistants=v1\b/.test(beta))
    throw invalid(
      'The v1 Assistants API has been deprecated. For a migration guide, see ' +
        'https://platform.openai.com/docs/assistants/migration.',
      null,
      'invalid_beta',
    );
  throw invalid(
    "You must provide the 'OpenAI-Beta' header to access the Assistants API. Please try again by setting the header " +
      "'OpenAI-Beta: assistants=v2'.",
    null,
    'invalid_beta',
  );
}

export function checkNames(body: JsonObject, known: ReadonlySet<string>): void {
  for (const name of Object.keys(body))
    if (!known.has(name)) throw invalid(`Unknown parameter: '${name}'.`, name, 'unknown_parameter');
}

/** Up to sixteen texts. */
export function metadataOf(body: JsonObject): JsonObject {
  const given = field(body, 'metadata');
  if (given === undefined || given === null) return {};
  if (!isJsonObject(given)) throw wrongType('metadata', 'an object', given);
  for (const [name, value] of Object.entries(given))
    if (typeof value !== 'string') throw wrongType(`metadata.${name}`, 'a string', value);
  const count = Object.keys(given).length;
  if (count > METADATA_FIELDS_MAX)
    throw invalid(
      `Invalid 'metadata': too many properties. Expected an object with at most ${METADATA_FIELDS_MAX} properties, but ` +
        `got an object with ${count} properties instead.`,
      'metadata',
      'object_above_max_properties',
    );
  return given;
}

/** What an assistant and a run say of how a model is asked. */
export function checkSampling(body: JsonObject): void {
  checkAmount(body, 'temperature', { min: 0, max: 2, whole: false });
  checkAmount(body, 'top_p', { min: 0, max: 1, whole: false });
  checkFormat(field(body, 'response_format') ?? null);
}

function checkFormat(format: Json): void {
  if (format === null || format === 'auto') return;
  if (!isJsonObject(format)) throw wrongType('response_format', "one of 'auto' or an object", format);
  checkWord(field(format, 'type'), 'response_format.type', FORMATS);
  if (textField(format, 'type') !== 'json_schema') return;
  const of = objectField(format, 'json_schema');
  const name = textField(of, 'name');
  if (name === null) throw missing('response_format.json_schema.name');
  if (field(of, 'strict') === true)
    checkStrict({
      schema: field(of, 'schema') ?? {},
      of: `response_format '${name}'`,
      param: 'response_format',
      code: 'invalid_json_schema',
    });
}
