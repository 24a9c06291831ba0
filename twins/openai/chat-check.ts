// A chat completion's request, checked as OpenAI checks it: in its own words, before anything is stored.
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
import { checkAudio } from './chat-audio.ts';
import { ROLES, toolChoiceOf, toolsOf } from './chat-request.ts';
import { invalid, missing } from './errors.ts';
import { checkImageUrl } from './image-check.ts';
import { answerTokensMax, isReasoning } from './models.ts';
import { checkStrict, FORMATS } from './schema-check.ts';

/** Of openai@7.55.0. */
export const CHAT_PARAMETERS: ReadonlySet<string> = new Set(
  wordsIn(`
  messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens
  max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key
  prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed
  service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user
  verbosity web_search_options
`),
);

const NAMES = /^[a-zA-Z0-9_-]+$/;
const PARTS = ['text', 'image_url', 'input_audio', 'refusal', 'audio', 'file'];
const STOPS_MAX = 4;
const CHOICES_MAX = 128;

/** Throws what OpenAI would say of a request that it does not take. */
export function checkChat(body: JsonObject): void {
  const model = textField(body, 'model');
  if (model === null) throw missing('model');
  const messages = field(body, 'messages');
  if (messages === undefined) throw missing('messages');
  checkNames(body);
  if (!Array.isArray(messages)) throw wrongType('messages', 'an array of objects', messages);
  if (messages.length === 0) throw emptyArray('messages');
  for (const [index, message] of messages.entries()) checkMessage(message, index);
  checkCalls(messages);
  checkTools(body);
  checkAmounts(body, model);
  checkAudio(body);
  checkFormat(body, messages);
}

function checkNames(body: JsonObject): void {
  const extra = Object.keys(body).filter(name => !CHAT_PARAMETERS.has(name));
  if (extra.length > 0)
    throw invalid(
      `Unrecognized request argument${extra.length > 1 ? 's' : ''} supplied: ${extra.join(', ')}`,
    );
}

function emptyArray(param: string): Error {
  return invalid(
    `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    param,
    'empty_array',
  );
}

function checkMessage(message: Json, index: number): void {
  const place = `messages[${index}]`;
  if (!isJsonObject(message)) throw wrongType(place, 'an object', message);
  const role = textField(message, 'role');
  if (role === null && field(message, 'role') === undefined) throw missing(`${place}.role`);
  if (role === null || !Object.hasOwn(ROLES, role))
    throw invalid(
      `Invalid value: '${role ?? ''}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
      `${place}.role`,
      'invalid_value',
    );
  const content = field(message, 'content');
  if (content === undefined || content === null) {
    const said = ['tool_calls', 'function_call', 'refusal', 'audio'].some(
      name => field(message, name) != null,
    );
    if (role === 'assistant' && said) return;
    throw invalid(`Invalid value for 'content': expected a string, got null.`, `messages.[${index}].content`);
  }
  if (typeof content === 'string') return;
  if (!Array.isArray(content))
    throw wrongType(`${place}.content`, 'one of a string or array of objects', content);
  if (content.length === 0) throw emptyArray(`${place}.content`);
  for (const [at, part] of content.entries()) {
    const inside = `${place}.content[${at}]`;
    checkWord(field(part, 'type'), `${inside}.type`, PARTS);
    if (textField(part, 'type') !== 'image_url') continue;
    const url = textField(objectField(part, 'image_url'), 'url');
    if (url === null) throw missing(`${inside}.image_url.url`);
    checkImageUrl(url, `${inside}.image_url.url`);
  }
}

/** A call is answered by what follows it, and an answer follows its call. */
function checkCalls(messages: readonly Json[]): void {
  const called = new Set<string>();
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (textField(message, 'role') === 'tool') {
      const id = textField(message, 'tool_call_id');
      if (id === null) throw missing(`messages[${index}].tool_call_id`);
      if (!called.has(id))
        throw invalid(
          "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
          `messages.[${index}].role`,
        );
      open = open.filter(each => each !== id);
      continue;
    }
    if (open.length > 0) throw unanswered(open, index);
    open = arrayField(message, 'tool_calls').map(call => textField(call, 'id') ?? '');
    for (const id of open) called.add(id);
  }
  if (open.length > 0) throw unanswered(open, messages.length - 1);
}

function unanswered(ids: readonly string[], index: number): Error {
  return invalid(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The " +
      `following tool_call_ids did not have response messages: ${ids.join(', ')}`,
    `messages.[${index}].role`,
  );
}

function checkTools(body: JsonObject): void {
  const tools = arrayField(body, 'tools');
  if (Array.isArray(field(body, 'tools')) && tools.length === 0) throw emptyArray('tools');
  for (const [index, tool] of tools.entries()) {
    checkWord(field(tool, 'type'), `tools[${index}].type`, ['function', 'custom']);
    const of = objectField(tool, 'function');
    if (of !== null) checkFunction(of, `tools[${index}].function`);
  }
  const choice = field(body, 'tool_choice');
  const names = toolsOf(body).map(({ name }) => name);
  if (choice !== undefined && choice !== null && choice !== 'none' && names.length === 0)
    throw invalid(
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      'tool_choice',
    );
  const named = toolChoiceOf(choice);
  if (typeof named === 'object' && !names.includes(named.name))
    throw invalid(`Tool choice '${named.name}' not found in 'tools' parameter.`, 'tool_choice');
}

/** `place`: of the function in the request, as an error names it. */
export function checkFunction(of: JsonObject, place: string): void {
  const name = textField(of, 'name');
  if (name === null) throw missing(`${place}.name`);
  if (!NAMES.test(name))
    throw invalid(
      `Invalid '${place}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      `${place}.name`,
      'invalid_value',
    );
  if (field(of, 'strict') !== true) return;
  const schema = field(of, 'parameters') ?? {};
  checkStrict({
    schema,
    of: `function '${name}'`,
    param: `${place}.parameters`,
    code: 'invalid_function_parameters',
  });
}

const AMOUNTS = {
  temperature: { min: 0, max: 2, whole: false },
  top_p: { min: 0, max: 1, whole: false },
  presence_penalty: { min: -2, max: 2, whole: false },
  frequency_penalty: { min: -2, max: 2, whole: false },
  n: { min: 1, max: CHOICES_MAX, whole: true },
  top_logprobs: { min: 0, max: 20, whole: true },
  max_tokens: { min: 1, max: Number.POSITIVE_INFINITY, whole: true },
  max_completion_tokens: { min: 1, max: Number.POSITIVE_INFINITY, whole: true },
} as const;

function checkAmounts(body: JsonObject, model: string): void {
  for (const [name, bounds] of Object.entries(AMOUNTS)) checkAmount(body, name, bounds);
  if (isReasoning(model)) checkReasoning(body);
  const most = answerTokensMax(model);
  for (const name of ['max_tokens', 'max_completion_tokens']) {
    const asked = numberField(body, name);
    if (asked !== null && most !== null && asked > most)
      throw invalid(
        `${name} is too large: ${asked}. This model supports at most ${most} completion tokens, whereas you provided ${asked}.`,
        name,
        'invalid_value',
      );
  }
  const stop = field(body, 'stop');
  if (Array.isArray(stop) && stop.length > STOPS_MAX)
    throw invalid(
      `Invalid 'stop': array too long. Expected an array with maximum length ${STOPS_MAX}, but got an array with length ${stop.length} instead.`,
      'stop',
      'array_above_max_length',
    );
  if (field(body, 'stream') !== true && objectField(body, 'stream_options') !== null)
    throw invalid(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    );
  if (field(body, 'logprobs') !== true && numberField(body, 'top_logprobs') !== null)
    throw invalid("The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.", 'top_logprobs');
}

function checkReasoning(body: JsonObject): void {
  if (field(body, 'max_tokens') != null)
    throw invalid(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    );
  for (const name of ['temperature', 'top_p']) {
    const value = numberField(body, name);
    if (value !== null && value !== 1)
      throw invalid(
        `Unsupported value: '${name}' does not support ${value} with this model. Only the default (1) value is supported.`,
        name,
        'unsupported_value',
      );
  }
}

function checkFormat(body: JsonObject, messages: readonly Json[]): void {
  const format = field(body, 'response_format');
  if (format === undefined || format === null) return;
  if (!isJsonObject(format)) throw wrongType('response_format', 'an object', format);
  const type = textField(format, 'type');
  checkWord(type ?? '', 'response_format.type', FORMATS);
  const extra = Object.keys(format).find(name => name !== 'type' && name !== 'json_schema');
  if (extra !== undefined)
    throw invalid(
      `Unknown parameter: 'response_format.${extra}'.`,
      `response_format.${extra}`,
      'unknown_parameter',
    );
  if (type === 'json_object' && !saysJson(messages))
    throw invalid(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      'messages',
    );
  if (type !== 'json_schema') return;
  const asked = objectField(format, 'json_schema');
  if (asked === null) throw missing('response_format.json_schema');
  const name = textField(asked, 'name');
  if (name === null) throw missing('response_format.json_schema.name');
  if (field(asked, 'strict') === true)
    checkStrict({
      schema: field(asked, 'schema') ?? {},
      of: `response_format '${name}'`,
      param: 'response_format',
      code: '',
    });
}

/** Whether the word is in what is said, whatever its case. */
export function saysJson(messages: Json): boolean {
  return /json/i.test(JSON.stringify(messages));
}
