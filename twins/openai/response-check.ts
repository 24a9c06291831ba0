// A response's request, checked as OpenAI checks it: in its own words, before anything is stored.
import {
  arrayField,
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  numberField,
  objectField,
  textField,
} from '../kit/json.ts';
import { wordsIn } from '../kit/words.ts';
import { checkAmount, checkWord, wrongType } from './amounts.ts';
import { checkFunction, saysJson } from './chat-check.ts';
import { invalid, missing } from './errors.ts';
import { checkImageUrl } from './image-check.ts';
import { answerTokensMax, isReasoning } from './models.ts';
import { checkStrict, FORMATS } from './schema-check.ts';

/** Of openai@7.55.0, its beta besides. */
export const RESPONSE_PARAMETERS: ReadonlySet<string> = new Set(
  wordsIn(`
  access_programs background context_management conversation image include input instructions
  max_output_tokens max_tool_calls metadata model moderation multi_agent parallel_tool_calls
  previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning
  safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs
  top_p truncation user
`),
);

/** Where the parameters of chat completions are here. */
const MOVED: { readonly [name: string]: string } = {
  max_completion_tokens: 'max_output_tokens',
  max_tokens: 'max_output_tokens',
  messages: 'input',
  reasoning_effort: 'reasoning.effort',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
};

export const ITEMS: readonly string[] = wordsIn(`
  message file_search_call computer_call computer_call_output web_search_call function_call
  function_call_output tool_search_call tool_search_output additional_tools configuration_update reasoning
  compaction image_generation_call code_interpreter_call local_shell_call local_shell_call_output shell_call
  shell_call_output apply_patch_call apply_patch_call_output mcp_list_tools mcp_approval_request
  mcp_approval_response mcp_call custom_tool_call_output custom_tool_call compaction_trigger item_reference
  program program_output
`);
const ROLES = ['assistant', 'system', 'developer', 'user'];
const PARTS = wordsIn(`
  input_text input_image output_text refusal input_file input_audio computer_screenshot summary_text
  tether_browsing_display reasoning_text
`);

/** Throws what OpenAI would say of a request that it does not take; of its items, `checkItems` does. */
export function checkResponse(body: JsonObject): void {
  const model = textField(body, 'model');
  if (model === null && objectField(body, 'prompt') === null) throw missing('model');
  for (const name of Object.keys(body)) checkName(name);
  const amount = (name: string, min: number, max: number, whole: boolean): void =>
    checkAmount(body, name, { min, max, whole });
  amount('temperature', 0, 2, false);
  amount('top_p', 0, 1, false);
  amount('top_logprobs', 0, 20, true);
  amount('max_output_tokens', 16, Number.POSITIVE_INFINITY, true);
  amount('max_tool_calls', 1, Number.POSITIVE_INFINITY, true);
  if (model !== null) checkModel(body, model);
  for (const [index, tool] of arrayField(body, 'tools').entries()) {
    if (!isJsonObject(tool) || textField(tool, 'type') === null) throw missing(`tools[${index}].type`);
    if (textField(tool, 'type') === 'function') checkFunction(tool, `tools[${index}]`);
    if (textField(tool, 'type') === 'file_search' && arrayField(tool, 'vector_store_ids').length === 0)
      throw missing(`tools[${index}].vector_store_ids`);
  }
  checkFormat(body);
}

function checkName(name: string): void {
  if (RESPONSE_PARAMETERS.has(name)) return;
  if (!Object.hasOwn(MOVED, name)) throw invalid(`Unknown parameter: '${name}'.`, name, 'unknown_parameter');
  throw invalid(
    `Unsupported parameter: '${name}'. In the Responses API, this parameter has moved to '${MOVED[name]}'. Try again ` +
      'with the new parameter. See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.',
    null,
    'unsupported_parameter',
  );
}

function checkModel(body: JsonObject, model: string): void {
  const most = answerTokensMax(model);
  const asked = numberField(body, 'max_output_tokens');
  if (most !== null && asked !== null && asked > most)
    throw invalid(
      `Invalid 'max_output_tokens': integer above maximum value. Expected a value <= ${most}, but got ${asked} instead.`,
      'max_output_tokens',
      'integer_above_max_value',
    );
  const temperature = numberField(body, 'temperature');
  if (isReasoning(model) && temperature !== null && temperature !== 1)
    throw invalid("Unsupported parameter: 'temperature' is not supported with this model.", 'temperature');
}

function checkFormat(body: JsonObject): void {
  const format = objectField(objectField(body, 'text'), 'format');
  if (format === null) return;
  const type = textField(format, 'type');
  checkWord(type ?? '', 'text.format.type', FORMATS);
  if (
    type === 'json_object' &&
    !saysJson(field(body, 'input') ?? null) &&
    !saysJson(field(body, 'instructions') ?? null)
  )
    throw invalid(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      'input',
    );
  if (type !== 'json_schema') return;
  const name = textField(format, 'name');
  if (name === null) throw missing('text.format.name');
  if (field(format, 'schema') === undefined) throw missing('text.format.schema');
  if (field(format, 'strict') === true)
    checkStrict({
      schema: field(format, 'schema') ?? {},
      of: `response_format '${name}'`,
      param: 'text.format.schema',
      code: 'invalid_json_schema',
    });
}

/** The request's own items, as they came. */
export function checkItems(input: readonly Json[]): void {
  for (const [index, item] of input.entries()) {
    const place = `input[${index}]`;
    const type = field(item, 'type');
    const plain = field(item, 'role') !== undefined || type === 'message';
    if (!plain) {
      // A reference may be an id alone.
      if (type === undefined || type === null) {
        if (textField(item, 'id') === null) throw missing(`${place}.type`);
      } else checkWord(type, place, ITEMS);
      continue;
    }
    checkWord(field(item, 'role'), place, ROLES);
    const content = field(item, 'content');
    if (content === undefined || content === null) throw missing(`${place}.content`);
    if (typeof content === 'string') continue;
    if (!Array.isArray(content))
      throw wrongType(`${place}.content`, 'one of an array of objects or string', content);
    for (const [at, part] of content.entries()) {
      checkWord(field(part, 'type'), `${place}.content[${at}]`, PARTS);
      const url = textField(part, 'type') === 'input_image' ? textField(part, 'image_url') : null;
      if (url !== null) checkImageUrl(url, `${place}.content[${at}].image_url`);
    }
  }
}

const CALLS = new Map([
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
]);

/** All that a response goes on from: each call is answered, and each answer has its call. */
export function checkAnswers(items: readonly JsonObject[]): void {
  const idsOf = (types: Iterable<string>): ReadonlySet<string> => {
    const wanted = new Set(types);
    return new Set(
      items
        .filter(item => wanted.has(textField(item, 'type') ?? ''))
        .map(item => textField(item, 'call_id') ?? ''),
    );
  };
  const called = idsOf(CALLS.keys());
  const answered = idsOf(CALLS.values());
  for (const id of answered)
    if (!called.has(id))
      throw invalid(`No tool call found for function call output with call_id ${id}.`, 'input');
  for (const id of called)
    if (!answered.has(id)) throw invalid(`No tool output found for function call ${id}.`, 'input');
}
