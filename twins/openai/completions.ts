// Legacy completions: a prompt goes on, whole or as a stream, with `echo`, `n`, `best_of` and log probabilities.
import {
  type Conversation,
  defaultAnswer,
  logSummary,
  type Utterance,
  utteranceOf,
} from '../kit/conversation.ts';
import type { Spoken } from '../kit/generative.ts';
import { field, type Json, type JsonObject, numberField, objectField, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation, ModelOutcome } from '../kit/model-api.ts';
import { type Frame, piecesOf, streamOf } from '../kit/stream.ts';
import { wordsIn } from '../kit/words.ts';
import { checkAmount } from './amounts.ts';
import { errorOf, invalid, missing } from './errors.ts';

const TOKENS_USUAL = 16;
const CHOICES_MAX = 128;
const BEST_OF_MAX = 20;
const LOGPROBS_MAX = 5;
const PROMPTS_MAX = 2_048;

const PARAMETERS: ReadonlySet<string> = new Set(
  wordsIn(`
  model prompt best_of echo frequency_penalty logit_bias logprobs max_tokens n presence_penalty seed stop
  stream stream_options suffix temperature top_p user
`),
);

/** Texts, or tokens in their place. Null when it is neither. */
function promptsOf(body: JsonObject): readonly string[] | null {
  const prompt = field(body, 'prompt') ?? '<|endoftext|>';
  if (typeof prompt === 'string') return [prompt];
  if (!Array.isArray(prompt) || prompt.length === 0 || prompt.length > PROMPTS_MAX) return null;
  if (prompt.every(each => typeof each === 'number')) return [prompt.join(' ')];
  const texts = prompt.map((each: Json) =>
    typeof each === 'string' ? each : Array.isArray(each) ? each.join(' ') : null,
  );
  return texts.every(text => text !== null) ? texts : null;
}

/** Null when its prompts cannot be read. */
export function completionConversation(body: JsonObject): Conversation | null {
  const prompts = promptsOf(body);
  return prompts === null ? null : conversationOf(body, prompts);
}

function conversationOf(body: JsonObject, prompts: readonly string[]): Conversation {
  const stop = field(body, 'stop');
  return {
    endpoint: 'completions',
    model: textField(body, 'model'),
    sayings: prompts.map(text => ({ role: 'user', text })),
    tools: [],
    toolChoice: 'none',
    stream: field(body, 'stream') === true,
    format: { type: 'text', schema: null },
    id: null,
    maxTokens: numberField(body, 'max_tokens') ?? TOKENS_USUAL,
    stops: (Array.isArray(stop) ? stop : [stop]).filter(each => typeof each === 'string'),
  };
}

function check(body: JsonObject): void {
  if (textField(body, 'model') === null) throw missing('model');
  const extra = Object.keys(body).filter(name => !PARAMETERS.has(name));
  if (extra.length > 0)
    throw invalid(
      `Unrecognized request argument${extra.length > 1 ? 's' : ''} supplied: ${extra.join(', ')}`,
    );
  checkAmount(body, 'n', { min: 1, max: CHOICES_MAX, whole: true });
  checkAmount(body, 'best_of', { min: 1, max: BEST_OF_MAX, whole: true });
  checkAmount(body, 'logprobs', { min: 0, max: LOGPROBS_MAX, whole: true });
  checkAmount(body, 'max_tokens', { min: 0, max: Number.POSITIVE_INFINITY, whole: true });
  checkAmount(body, 'temperature', { min: 0, max: 2, whole: false });
  checkAmount(body, 'top_p', { min: 0, max: 1, whole: false });
  const n = numberField(body, 'n') ?? 1;
  const best = numberField(body, 'best_of') ?? n;
  if (best < n)
    throw invalid(
      `You requested that the server return more choices than it will generate (HINT: you must set 'n' (currently ${n}) to ` +
        `be at most 'best_of' (currently ${best}), or omit either parameter if you don't specifically want to use them.)`,
      'best_of',
    );
  if (best > 1 && field(body, 'stream') === true && best > n)
    throw invalid("You cannot stream with 'best_of' greater than 'n'.", 'best_of');
}

type Said = { readonly prompt: string; readonly utterance: Utterance };

const create = (context: ModelAsk): ModelOutcome => {
  const { body, tx, now } = context;
  check(body);
  const prompts = promptsOf(body);
  if (prompts === null)
    throw invalid(
      "Invalid type for 'prompt': expected a string, an array of strings or of tokens.",
      'prompt',
      'invalid_type',
    );
  const conversation = conversationOf(body, prompts);
  const said = prompts.map((prompt): Said => {
    const alone = conversationOf(body, [prompt]);
    return { prompt, utterance: utteranceOf(alone, context.spoken ?? defaultAnswer(alone), () => '') };
  });
  const head = {
    id: tx.recordId('cmpl-', 29),
    object: 'text_completion',
    created: now,
    model: conversation.model,
  };
  if (!context.batched)
    tx.put('completion', head.id, {
      id: head.id,
      object: 'completion',
      created: now,
      ...logSummary(conversation, said.at(-1)!.utterance),
    });
  const usage = usageOf(said, body);
  if (!conversation.stream)
    return { json: { ...head, system_fingerprint: null, choices: choicesOf(said, body), usage } };
  const spoken = context.spoken ?? defaultAnswer(conversation);
  const frames = framesOf({ head, said, body, spoken, usage });
  return {
    stream: streamOf(frames, spoken.pace, spoken.ending, ({ status, type, code, message }) =>
      event({ error: errorOf(status, message, { type, code: code ?? null }) }),
    ),
  };
};

function choicesOf(said: readonly Said[], body: JsonObject): readonly object[] {
  const n = numberField(body, 'n') ?? 1;
  const echo = field(body, 'echo') === true;
  return said.flatMap(({ prompt, utterance }, at) =>
    Array.from({ length: n }, (_, choice) => ({
      text: (echo ? prompt : '') + (utterance.text ?? ''),
      index: at * n + choice,
      logprobs: logprobsOf(echo ? prompt : '', utterance.text ?? '', body),
      finish_reason: finishOf(utterance),
    })),
  );
}

function finishOf({ finish }: Utterance): string {
  if (finish === 'max_tokens' || finish === 'length') return 'length';
  return finish === 'content_filter' ? finish : 'stop';
}

function usageOf(said: readonly Said[], body: JsonObject): object {
  const made = numberField(body, 'best_of') ?? numberField(body, 'n') ?? 1;
  const prompt_tokens = said.reduce((sum, { utterance }) => sum + utterance.usage.input, 0);
  const completion_tokens = said.reduce((sum, { utterance }) => sum + utterance.usage.output * made, 0);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** Nothing comes before the first token of an echoed prompt, so nothing is said of how likely it was. */
function logprobsOf(echoed: string, text: string, body: JsonObject): object | null {
  const top = numberField(body, 'logprobs');
  if (top === null) return null;
  const tokens = `${echoed}${text}`.match(/\s*\S+|\s+$/g) ?? [];
  let offset = 0;
  const text_offset = tokens.map(token => {
    const at = offset;
    offset += token.length;
    return at;
  });
  const unknown = (at: number): boolean => echoed !== '' && at === 0;
  return {
    tokens,
    text_offset,
    token_logprobs: tokens.map((_, at) => (unknown(at) ? null : 0)),
    top_logprobs: top === 0 ? null : tokens.map((token, at) => (unknown(at) ? null : { [token]: 0 })),
  };
}

type Streamed = {
  readonly head: object;
  readonly said: readonly Said[];
  readonly body: JsonObject;
  readonly spoken: Spoken;
  readonly usage: object;
};

function framesOf({ head, said, body, spoken, usage }: Streamed): readonly Frame[] {
  const frames: Frame[] = [];
  const n = numberField(body, 'n') ?? 1;
  const echo = field(body, 'echo') === true;
  const withUsage = field(objectField(body, 'stream_options'), 'include_usage') === true;
  const tell = (index: number, text: string, finish_reason: string | null, piece: boolean): void => {
    const choices = [{ text, index, logprobs: piece ? logprobsOf('', text, body) : null, finish_reason }];
    frames.push({ text: event({ ...head, choices, ...(withUsage && { usage: null }) }), piece });
  };
  for (const [at, { prompt, utterance }] of said.entries())
    for (let choice = 0; choice < n; choice += 1) {
      const index = at * n + choice;
      if (echo) tell(index, prompt, null, false);
      for (const piece of piecesOf(utterance.text ?? '', spoken.pace)) tell(index, piece, null, true);
      tell(index, '', finishOf(utterance), false);
    }
  if (withUsage) frames.push({ text: event({ ...head, choices: [], usage }), piece: false });
  frames.push({ text: 'data: [DONE]\n\n', piece: false });
  return frames;
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

export const COMPLETIONS: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/completions', name: 'completions.create', run: create },
];
