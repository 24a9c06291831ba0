// A run and its steps: what is stored of them, and what each is shown as.
import { field, type Json, type JsonObject, textField } from '../kit/json.ts';
import type { Reader, RecordBody } from '../kit/tx.ts';
import { toolsOf } from './assistant-tools.ts';
import { metadataOf } from './assistants-beta.ts';

export const RUN = 'thread_run';
export const STEP = 'thread_run_step';
/** Seconds in which a run must end: with tool outputs that never come, it expires. */
const RUN_SECONDS_MAX = 600;

export type RunStatus =
  | 'queued'
  | 'in_progress'
  | 'requires_action'
  | 'cancelling'
  | 'cancelled'
  | 'failed'
  | 'completed'
  | 'incomplete'
  | 'expired';

export type Usage = {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
};

export type Run = RecordBody & {
  readonly id: string;
  readonly thread_id: string;
  readonly assistant_id: string;
  readonly status: RunStatus;
  readonly model: string;
  readonly instructions: string;
  readonly tools: readonly JsonObject[];
  readonly usage: Usage | null;
  /** What it used so far; told when it has ended. */
  readonly $used: Usage;
  /** What it will have said, packed. */
  readonly $plan: Json;
};

export type Step = RecordBody & {
  readonly id: string;
  readonly run_id: string;
  readonly type: 'message_creation' | 'tool_calls';
  readonly status: 'in_progress' | 'cancelled' | 'failed' | 'completed' | 'expired';
  readonly step_details: JsonObject;
  readonly usage: Usage | null;
};

export const NO_USAGE: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

export const dueKey = (run: string): string => `run:${run}`;

const ENDED: readonly RunStatus[] = ['cancelled', 'failed', 'completed', 'incomplete', 'expired'];

export const hasEnded = ({ status }: Pick<Run, 'status'>): boolean => ENDED.includes(status);

/** The run that a thread waits for; no other begins meanwhile. */
export function activeRun(thread: string, reader: Reader): Run | null {
  const [newest] = reader.list<Run>(RUN, { where: { thread_id: thread }, limit: 1 }).items;
  return newest === undefined || hasEnded(newest) ? null : newest;
}

type Begun = {
  readonly id: string;
  readonly thread: string;
  readonly now: number;
  readonly assistant: RecordBody;
};

/** What the request says of it, else its assistant. */
export function newRun(body: JsonObject, { id, thread, now, assistant }: Begun): Run {
  const said = (name: string, other: Json): Json => field(body, name) ?? other;
  const of = (name: string): Json => field(body, name) ?? field(assistant, name) ?? null;
  const instructions = textField(body, 'instructions') ?? textField(assistant, 'instructions') ?? '';
  const more = textField(body, 'additional_instructions');
  return {
    id,
    object: 'thread.run',
    created_at: now,
    assistant_id: String(assistant['id']),
    thread_id: thread,
    status: 'queued',
    started_at: null,
    expires_at: now + RUN_SECONDS_MAX,
    cancelled_at: null,
    failed_at: null,
    completed_at: null,
    required_action: null,
    last_error: null,
    model: String(of('model')),
    instructions: [instructions, more].filter(text => text !== null && text !== '').join(' '),
    tools: toolsOf(body) ?? (assistant['tools'] as readonly JsonObject[]),
    metadata: metadataOf(body),
    temperature: of('temperature'),
    top_p: of('top_p'),
    reasoning_effort: of('reasoning_effort'),
    max_completion_tokens: said('max_completion_tokens', null),
    max_prompt_tokens: said('max_prompt_tokens', null),
    truncation_strategy: said('truncation_strategy', { type: 'auto', last_messages: null }),
    incomplete_details: null,
    usage: null,
    response_format: of('response_format'),
    tool_choice: said('tool_choice', 'auto'),
    parallel_tool_calls: said('parallel_tool_calls', true),
    $used: NO_USAGE,
    $plan: null,
  };
}

type Of = { readonly id: string; readonly now: number; readonly usage: Usage | null };

export function newStep(
  run: Run,
  details: JsonObject & { readonly type: Step['type'] },
  status: Step['status'],
  { id, now, usage }: Of,
): Step {
  return {
    id,
    object: 'thread.run.step',
    created_at: now,
    run_id: run.id,
    assistant_id: run.assistant_id,
    thread_id: run.thread_id,
    type: details.type,
    status,
    cancelled_at: null,
    completed_at: status === 'completed' ? now : null,
    expired_at: null,
    failed_at: status === 'failed' ? now : null,
    last_error: null,
    metadata: {},
    step_details: details,
    usage,
  };
}

export function sumOf(a: Usage, b: Usage): Usage {
  return {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
  };
}
