// What a run asks the model: the assistant's instructions, the thread's messages, and the tools' outputs that it waited for.
import type { Conversation, Saying } from '../kit/conversation.ts';
import {
  arrayField,
  field,
  isJsonObject,
  type JsonObject,
  numberField,
  objectField,
  textField,
} from '../kit/json.ts';
import type { Reader } from '../kit/tx.ts';
import { wordsIn } from '../kit/words.ts';
import { checkAmount, checkLength, checkWord, wrongType } from './amounts.ts';
import { assistantOf, INSTRUCTIONS_CHARS_MAX } from './assistants.ts';
import { checkNames, checkSampling } from './assistants-beta.ts';
import { formatOf, toolChoiceOf, toolsOf } from './chat-request.ts';
import { invalid, missing, notFound } from './errors.ts';
import { activeRun, newRun, RUN, type Run, STEP, type Step } from './run-object.ts';
import { threadOf } from './thread.ts';
import { type Message, messageOf, messagesIn, saidIn } from './thread-messages.ts';
import { firstMessages } from './threads.ts';

/** Steps of one run. */
const STEPS_MAX = 100;
const COMMON = `
  assistant_id instructions max_completion_tokens max_prompt_tokens metadata model parallel_tool_calls
  response_format stream temperature tool_choice tools top_p truncation_strategy
`;
const RUN_PARAMETERS: ReadonlySet<string> = new Set([
  ...wordsIn(COMMON),
  ...wordsIn('additional_instructions additional_messages include reasoning_effort'),
]);
const WITH_THREAD_PARAMETERS: ReadonlySet<string> = new Set([
  ...wordsIn(COMMON),
  ...wordsIn('thread tool_resources'),
]);

/** A run that was asked for, before anything of it is stored. */
export function runAsked(
  body: JsonObject,
  of: { id: string; thread: string; now: number },
  reader: Reader,
): Run {
  const assistant = textField(body, 'assistant_id');
  if (assistant === null) throw missing('assistant_id');
  checkLength(textField(body, 'instructions') ?? '', 'instructions', INSTRUCTIONS_CHARS_MAX);
  checkSampling(body);
  for (const name of ['max_completion_tokens', 'max_prompt_tokens'])
    checkAmount(body, name, { min: 256, max: Number.POSITIVE_INFINITY, whole: true });
  const truncation = objectField(body, 'truncation_strategy');
  if (truncation !== null) {
    checkWord(field(truncation, 'type'), 'truncation_strategy.type', ['auto', 'last_messages']);
    checkAmount(truncation, 'last_messages', { min: 1, max: Number.POSITIVE_INFINITY, whole: true });
  }
  const run = newRun(body, { ...of, assistant: assistantOf(assistant, reader) });
  const choice = toolChoiceOf(field(body, 'tool_choice'));
  if (typeof choice === 'object' && !toolsOf({ tools: run.tools }).some(({ name }) => name === choice.name))
    throw invalid(`Tool choice '${choice.name}' not found in 'tools' parameter.`, 'tool_choice');
  return run;
}

export function runInThread(body: JsonObject, id: string, thread: string, reader: Reader): Run {
  threadOf(thread, reader);
  checkNames(body, RUN_PARAMETERS);
  const active = activeRun(thread, reader);
  if (active !== null) throw invalid(`Thread ${thread} already has an active run ${active.id}.`);
  return runAsked(body, { id, thread, now: Math.floor(reader.now / 1000) }, reader);
}

export function checkWithThread(body: JsonObject): void {
  checkNames(body, WITH_THREAD_PARAMETERS);
}

/** The messages that a request adds before its run begins, not stored. */
function asMessages(bodies: readonly JsonObject[], reader: Reader): readonly Message[] {
  const now = Math.floor(reader.now / 1000);
  return bodies.map(body => messageOf(body, { id: '', thread: '', now }));
}

export function conversationOf(
  run: Run,
  messages: readonly Message[],
  { steps, stream }: { readonly steps: readonly Step[]; readonly stream: boolean },
): Conversation {
  const body = run as unknown as JsonObject;
  const truncation = objectField(body, 'truncation_strategy');
  const last =
    textField(truncation, 'type') === 'last_messages' ? numberField(truncation, 'last_messages') : null;
  const read = last === null ? messages : messages.slice(-last);
  const after = steps.flatMap(outputsOf);
  return {
    endpoint: 'threads.runs',
    model: run.model,
    sayings: [
      ...(run.instructions === '' ? [] : [{ role: 'system', text: run.instructions } as const]),
      ...read.map((message): Saying => ({ role: message.role, text: saidIn(message) })),
      ...after,
    ],
    tools: toolsOf(body),
    // What had to be called has been called.
    toolChoice: after.length > 0 ? 'auto' : toolChoiceOf(field(body, 'tool_choice')),
    stream,
    format: formatOf(objectField(body, 'response_format')),
    id: run.thread_id === '' ? null : run.thread_id,
    maxTokens: numberField(body, 'max_completion_tokens'),
    stops: [],
  };
}

/** The functions that a step called, and what came back. */
function outputsOf({ step_details }: Step): readonly Saying[] {
  const calls = arrayField(step_details, 'tool_calls').filter(call => textField(call, 'type') === 'function');
  const results = calls.map(call => {
    const of = objectField(call, 'function');
    return { id: textField(call, 'id'), name: textField(of, 'name'), text: textField(of, 'output') ?? '' };
  });
  return results.length === 0
    ? []
    : [
        { role: 'assistant', text: '' },
        { role: 'tool', text: '', results },
      ];
}

/** Oldest first. */
export function stepsOf(run: string, reader: Reader): readonly Step[] {
  return [...reader.list<Step>(STEP, { where: { run_id: run }, limit: STEPS_MAX }).items].reverse();
}

export function runOf(thread: string, id: string, reader: Reader): Run {
  threadOf(thread, reader);
  const found = reader.get<Run>(RUN, id);
  if (found?.thread_id !== thread) throw notFound(`No run found with id '${id}'.`);
  return found;
}

/** The steps of a run that waits for its functions, with what the request says they answered. */
export function answeredSteps(run: Run, body: JsonObject, reader: Reader): readonly Step[] {
  checkNames(body, new Set(['tool_outputs', 'stream']));
  const given = field(body, 'tool_outputs');
  if (given === undefined || given === null) throw missing('tool_outputs');
  if (!Array.isArray(given)) throw wrongType('tool_outputs', 'an array of objects', given);
  if (run.status !== 'requires_action')
    throw invalid(`Runs in status "${run.status}" do not accept tool outputs.`);
  const steps = stepsOf(run.id, reader);
  const waiting = steps.filter(({ status }) => status === 'in_progress');
  const wanted = waiting.flatMap(callsOf).map(call => textField(call, 'id') ?? '');
  const outputs = new Map(
    arrayField(body, 'tool_outputs').map(each => [
      textField(each, 'tool_call_id') ?? '',
      textField(each, 'output') ?? '',
    ]),
  );
  const quoted = (ids: Iterable<string>): string => `[${[...ids].map(id => `'${id}'`).join(', ')}]`;
  if (outputs.size !== wanted.length || wanted.some(id => !outputs.has(id)))
    throw invalid(`Expected tool outputs for call_ids ${quoted(wanted)}, got ${quoted(outputs.keys())}`);
  return steps.map(step => (waiting.includes(step) ? answered(step, outputs) : step));
}

function callsOf({ step_details }: Step): readonly JsonObject[] {
  return arrayField(step_details, 'tool_calls').filter(isJsonObject);
}

function answered(step: Step, outputs: ReadonlyMap<string, string>): Step {
  const tool_calls = callsOf(step).map(call => ({
    ...call,
    function: { ...objectField(call, 'function'), output: outputs.get(textField(call, 'id') ?? '') ?? null },
  }));
  return { ...step, step_details: { ...step.step_details, tool_calls } };
}

const RUNS = /^\/v1\/threads\/([^/]+)\/runs(?:\/([^/]+)\/submit_tool_outputs)?$/;

/** What of a call handlers match; null for one that asks no run for anything. */
export function runConversation(path: string, body: JsonObject, reader: Reader): Conversation | null {
  const stream = field(body, 'stream') === true;
  if (path === '/v1/threads/runs') {
    const run = runAsked(body, { id: '', thread: '', now: 0 }, reader);
    const messages = firstMessages(objectField(body, 'thread') ?? {});
    return conversationOf(run, asMessages(messages, reader), { steps: [], stream });
  }
  const [, thread = '', id] = RUNS.exec(path) ?? [];
  if (thread === '') return null;
  if (id === undefined) {
    const run = runInThread(body, '', thread, reader);
    const more = asMessages(firstMessages(body, 'additional_messages'), reader);
    return conversationOf(run, [...messagesIn(thread, reader), ...more], { steps: [], stream });
  }
  const run = runOf(thread, id, reader);
  return conversationOf(run, messagesIn(thread, reader), { steps: answeredSteps(run, body, reader), stream });
}
