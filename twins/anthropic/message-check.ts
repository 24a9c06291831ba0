// A Messages request, checked as Anthropic checks it: in its own words, before anything is stored.
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
import { invalid } from './errors.ts';
import { checkMedia } from './media-check.ts';
import { blocksOf } from './message-request.ts';
import { outputTokensMax, takesOneSampling, takesPrefill } from './models.ts';
import { checkBreakpoints } from './prompt-cache.ts';
import { checkTools } from './tool-check.ts';

/** Of @anthropic-ai/sdk@1.11.0 and, the last line, of requests that older ones make. */
export const PARAMETERS: ReadonlySet<string> = new Set(
  wordsIn(`
  max_tokens messages model billing_policy cache_control compaction container context_management diagnostics
  fallback_credit_token fallbacks inference_geo mcp_servers metadata output_config output_format service_tier
  speed stop_sequences stream system thinking thread tool_choice tools user_profile_id workspace_id
  temperature top_k top_p
`),
);

/** The blocks that a message may have; a name that ends so is a result of one of the vendor's own tools. */
const BLOCKS: ReadonlySet<string> = new Set(
  wordsIn(`
  text image document search_result thinking redacted_thinking tool_use tool_result server_tool_use
  container_upload mcp_tool_use mcp_tool_result mcp_tool_listing compaction tool_addition tool_removal
  fallback
`),
);
const RESULT = /^(?!mcp_)[a-z_]+_tool_result$/;

export const isBlock = (type: string): boolean => BLOCKS.has(type) || RESULT.test(type);

/** Throws what Anthropic would say of a request that it does not take. `counted`: for a token count. */
export function checkMessages(body: JsonObject, counted: boolean): void {
  const model = textField(body, 'model');
  if (model === null) throw invalid('model: Field required');
  const messages = field(body, 'messages');
  if (messages === undefined) throw invalid('messages: Field required');
  if (!Array.isArray(messages)) throw invalid('messages: Input should be a valid array');
  const extra = Object.keys(body).find(name => !PARAMETERS.has(name));
  if (extra !== undefined) throw invalid(`${extra}: Extra inputs are not permitted`);
  if (!counted) checkAmounts(body, model);
  if (messages.length === 0) throw invalid('messages: at least one message is required');
  checkTexts(field(body, 'system'), 'system');
  for (const [index, message] of messages.entries()) checkMessage(message, index, messages.length);
  const turns = turnsOf(messages as readonly JsonObject[]);
  for (const [index, turn] of turns.entries()) checkResults(turns[index - 1] ?? null, turn);
  checkLast(turns.at(-1)!, model);
  checkThinking(body);
  checkTools(body);
  checkBreakpoints(body);
}

function checkAmounts(body: JsonObject, model: string): void {
  const maxTokens = field(body, 'max_tokens');
  if (maxTokens === undefined) throw invalid('max_tokens: Field required');
  if (typeof maxTokens !== 'number' || !Number.isInteger(maxTokens))
    throw invalid('max_tokens: Input should be a valid integer');
  if (maxTokens < 0) throw invalid('max_tokens: Input should be greater than or equal to 0');
  const most = outputTokensMax(model);
  if (most !== null && maxTokens > most.tokens)
    throw invalid(
      `max_tokens: ${maxTokens} > ${most.tokens}, which is the maximum allowed number of output tokens for ${most.id}`,
    );
  for (const name of ['temperature', 'top_p']) {
    const value = field(body, name);
    if (value === undefined || value === null) continue;
    if (typeof value !== 'number') throw invalid(`${name}: Input should be a valid number`);
    if (value < 0 || value > 1) throw invalid(`${name}: range: 0..1`);
  }
  if (takesOneSampling(model) && field(body, 'temperature') != null && field(body, 'top_p') != null)
    throw invalid('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
  const blank = arrayField(body, 'stop_sequences').some(
    stop => typeof stop === 'string' && stop.trim() === '',
  );
  if (blank) throw invalid('stop_sequences: each stop sequence must contain non-whitespace');
}

function checkMessage(message: Json, index: number, count: number): void {
  const role = textField(message, 'role');
  if (!isJsonObject(message) || (role !== 'user' && role !== 'assistant' && role !== 'system'))
    throw invalid(`messages: Unexpected role "${role ?? ''}". Allowed roles are "user" or "assistant".`);
  const extra = Object.keys(message).find(name => name !== 'role' && name !== 'content');
  // Instructions in the middle of a conversation have fields of their own.
  if (extra !== undefined && role !== 'system')
    throw invalid(`messages.${index}.${extra}: Extra inputs are not permitted`);
  const content = field(message, 'content');
  if (content === undefined || content === null) throw invalid(`messages.${index}.content: Field required`);
  const empty = content === '' || (Array.isArray(content) && content.length === 0);
  if (empty && (index < count - 1 || role === 'user'))
    throw invalid(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  if (typeof content !== 'string' && !Array.isArray(content))
    throw invalid(`messages.${index}.content: Input should be a valid list`);
  if (!Array.isArray(content)) return;
  for (const [at, block] of content.entries()) checkBlock(block, `messages.${index}.content.${at}`);
  checkTexts(content, 'messages');
}

function checkBlock(block: Json, place: string): void {
  if (!isJsonObject(block)) throw invalid(`${place}: Input should be a valid dictionary`);
  const type = textField(block, 'type');
  if (type === null) throw invalid(`${place}.type: Field required`);
  if (!isBlock(type)) {
    const tags = [...BLOCKS].map(each => `'${each}'`).join(', ');
    throw invalid(
      `${place}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`,
    );
  }
  for (const name of NEEDS[type] ?? [])
    if (field(block, name) === undefined) throw invalid(`${place}.${type}.${name}: Field required`);
  checkMedia(block, place);
  const text = textField(block, 'text');
  if (type === 'text' && text === null) throw invalid(`${place}.text.text: Input should be a valid string`);
  if (type === 'text' && text === '' && objectField(block, 'cache_control') !== null)
    throw invalid(`${place}.text: cache_control cannot be set for empty text blocks`);
}

const NEEDS: { readonly [type: string]: readonly string[] } = {
  text: ['text'],
  image: ['source'],
  document: ['source'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id'],
};

/** `content`: of a message, or the system's instructions as blocks. */
function checkTexts(content: Json | undefined, place: string): void {
  for (const block of Array.isArray(content) ? content : []) {
    if (textField(block, 'type') !== 'text') continue;
    const text = textField(block, 'text') ?? '';
    if (text === '') throw invalid(`${place}: text content blocks must be non-empty`);
    if (text.trim() === '') throw invalid(`${place}: text content blocks must contain non-whitespace text`);
  }
}

type Turn = {
  readonly role: string;
  readonly last: number;
  readonly blocks: readonly Placed[];
  readonly text: string;
};
type Placed = { readonly block: JsonObject; readonly place: string };

/** Messages of one role in a row are one turn. */
function turnsOf(messages: readonly JsonObject[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const role = textField(message, 'role') ?? '';
    const blocks = blocksOf(message).map((block, at) => ({
      block,
      place: `messages.${index}.content.${at}`,
    }));
    const text = textField(message, 'content') ?? textField(blocks.at(-1)?.block, 'text') ?? '';
    const before = turns.at(-1);
    if (before?.role !== role) turns.push({ role, last: index, blocks, text });
    else turns[turns.length - 1] = { role, last: index, blocks: [...before.blocks, ...blocks], text };
  }
  return turns;
}

function checkResults(before: Turn | null, turn: Turn): void {
  // Instructions in between belong to nobody's turn.
  if (turn.role === 'system' || before?.role === 'system') return;
  const called = before?.role === 'assistant' ? idsOf(before, 'tool_use', 'id') : [];
  for (const { block, place } of turn.blocks) {
    const id = textField(block, 'type') === 'tool_result' ? textField(block, 'tool_use_id') : null;
    if (id !== null && !called.includes(id))
      throw invalid(
        `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each ` +
          '`tool_result` block must have a corresponding `tool_use` block in the previous message.',
      );
  }
  const unanswered = called.filter(id => !idsOf(turn, 'tool_result', 'tool_use_id').includes(id));
  if (before !== null && unanswered.length > 0) throw unansweredCalls(before.last, unanswered);
}

function checkLast(last: Turn, model: string): void {
  const called = last.role === 'assistant' ? idsOf(last, 'tool_use', 'id') : [];
  if (called.length > 0) throw unansweredCalls(last.last, called);
  if (last.role !== 'assistant') return;
  if (!takesPrefill(model))
    throw invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  if (/\s$/.test(last.text))
    throw invalid('messages: final assistant content cannot end with trailing whitespace');
}

function unansweredCalls(index: number, ids: readonly string[]): Error {
  return invalid(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
      `${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function idsOf({ blocks }: Turn, type: string, name: string): readonly string[] {
  return blocks.flatMap(({ block }) =>
    textField(block, 'type') === type ? [textField(block, name) ?? ''] : [],
  );
}

function checkThinking(body: JsonObject): void {
  const thinking = objectField(body, 'thinking');
  if (thinking === null) return;
  const type = textField(thinking, 'type');
  if (type !== 'enabled' && type !== 'disabled' && type !== 'adaptive')
    throw invalid(
      `thinking: Input tag '${type ?? ''}' found using 'type' does not match any of the expected tags: 'disabled', 'enabled', 'adaptive'`,
    );
  if (type !== 'enabled') return;
  const budget = numberField(thinking, 'budget_tokens');
  const maxTokens = numberField(body, 'max_tokens');
  if (budget === null) throw invalid('thinking.enabled.budget_tokens: Field required');
  if (budget < 1024)
    throw invalid('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  if (maxTokens !== null && budget >= maxTokens)
    throw invalid(
      '`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size',
    );
  const temperature = numberField(body, 'temperature');
  if (temperature !== null && temperature !== 1)
    throw invalid(
      '`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking',
    );
  const choice = textField(objectField(body, 'tool_choice'), 'type');
  if (choice === 'any' || choice === 'tool')
    throw invalid('Thinking may not be enabled when tool_choice forces tool use.');
}
