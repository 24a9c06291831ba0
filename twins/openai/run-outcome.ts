// How a run goes on by itself: what it planned to say becomes messages and steps; it waits for functions, is cancelled, or expires.
import { schedule } from '../kit/due.ts';
import type { Json, JsonObject } from '../kit/json.ts';
import { packed, unpacked } from '../kit/packed.ts';
import type { Tx } from '../kit/tx.ts';
import type { Due } from './due.ts';
import {
  dueKey,
  NO_USAGE,
  newStep,
  RUN,
  type Run,
  type RunStatus,
  STEP,
  type Step,
  sumOf,
  type Usage,
} from './run-object.ts';
import type { Plan } from './run-plan.ts';
import { stepsOf } from './run-request.ts';
import { MESSAGE, type Message } from './thread-messages.ts';

/** World milliseconds that a run works, and that its cancelling takes. */
const WORK_MS = 1_000;

export type Outcome = {
  readonly run: Run;
  readonly steps: readonly Step[];
  readonly message: Message | null;
};

/** It will say this in a moment. */
export function queueRun(tx: Tx, run: Run, plan: Plan): Run {
  const queued = {
    ...run,
    status: 'queued',
    required_action: null,
    $plan: packed(tx, plan as unknown as Json),
  } as const;
  tx.put(RUN, run.id, queued);
  wake(tx, run.id, tx.now + WORK_MS);
  return queued;
}

export function cancelRun(tx: Tx, run: Run): Run {
  const cancelling = { ...run, status: 'cancelling', required_action: null } as const;
  tx.put(RUN, run.id, cancelling);
  wake(tx, run.id, tx.now + WORK_MS);
  return cancelling;
}

function wake(tx: Tx, run: string, at: number): void {
  schedule<Due>(tx, dueKey(run), at, { kind: 'run', run });
}

/** What a run waited for has come. */
export function moveRun(id: string, tx: Tx): void {
  const run = tx.get<Run>(RUN, id);
  if (run === undefined) return;
  const now = Math.floor(tx.now / 1000);
  if (run.status === 'queued') {
    const { run: moved } = conclude(tx, run, unpacked(tx, run.$plan) as unknown as Plan);
    tx.kind(`thread.run.${moved.status}`);
  } else if (run.status === 'cancelling') {
    tx.kind('thread.run.cancelled');
    endSteps(tx, id, { status: 'cancelled', cancelled_at: now });
    tx.put(RUN, id, { ...run, status: 'cancelled', cancelled_at: now, usage: run.$used, $plan: null });
  } else if (run.status === 'requires_action') {
    tx.kind('thread.run.expired');
    endSteps(tx, id, { status: 'expired', expired_at: now });
    tx.put(RUN, id, { ...run, status: 'expired', required_action: null, usage: run.$used, $plan: null });
  }
}

function endSteps(tx: Tx, run: string, as: object): void {
  for (const step of stepsOf(run, tx))
    if (step.status === 'in_progress') tx.put(STEP, step.id, { ...step, ...as });
}

/** The functions of these steps have answered. */
export function closeSteps(tx: Tx, steps: readonly Step[]): readonly Step[] {
  return steps.flatMap(step => {
    if (step.status !== 'in_progress') return [];
    const now = Math.floor(tx.now / 1000);
    const closed = {
      ...step,
      status: 'completed',
      completed_at: now,
      usage: step['$usage'] as Usage,
    } as const;
    tx.put(STEP, step.id, closed);
    return [closed];
  });
}

export function conclude(tx: Tx, run: Run, plan: Plan): Outcome {
  const now = Math.floor(tx.now / 1000);
  const used = {
    prompt_tokens: plan.input,
    completion_tokens: plan.output,
    total_tokens: plan.input + plan.output,
  };
  const steps: Step[] = [];
  const add = (step: Step): void => {
    steps.push(step);
    tx.put(STEP, step.id, step);
  };
  const of = (usage: Usage | null) => ({ id: tx.recordId('step_', 24), now, usage });
  if (plan.own.length > 0)
    add(newStep(run, { type: 'tool_calls', tool_calls: plan.own }, 'completed', of(NO_USAGE)));
  const waits = plan.calls.length > 0;
  const message = plan.text === null ? null : messageOf(run, plan, { id: tx.recordId('msg_', 24), now });
  if (message !== null) {
    tx.put(MESSAGE, message.id, message);
    const details = { type: 'message_creation', message_creation: { message_id: message.id } } as const;
    const step = newStep(
      run,
      details,
      plan.error === null ? 'completed' : 'failed',
      of(waits ? NO_USAGE : used),
    );
    add({ ...step, last_error: plan.error });
  }
  const tool_calls = plan.calls.map(call => functionCall(call));
  if (waits) {
    const calls = tool_calls.map(call => ({ ...call, function: { ...call.function, output: null } }));
    add({
      ...newStep(run, { type: 'tool_calls', tool_calls: calls }, 'in_progress', of(null)),
      $usage: used,
    });
  }
  const concluded = ended({ ...run, started_at: now, $used: sumOf(run.$used, used), $plan: null }, plan, now);
  const required_action = waits ? { type: 'submit_tool_outputs', submit_tool_outputs: { tool_calls } } : null;
  const whole = { ...concluded, required_action };
  tx.put(RUN, run.id, whole);
  if (waits) wake(tx, run.id, Number(run['expires_at']) * 1000);
  else tx.cancel(dueKey(run.id));
  return { run: whole, steps, message };
}

function functionCall({ id, name, arguments: given }: Plan['calls'][number]) {
  return { id, type: 'function', function: { name, arguments: given } };
}

function ended(run: Run, plan: Plan, now: number): Run {
  const status = statusOf(plan);
  if (status === 'requires_action') return { ...run, status };
  return {
    ...run,
    status,
    usage: run.$used,
    expires_at: null,
    ...(status === 'completed' && { completed_at: now }),
    ...(status === 'failed' && { failed_at: now, last_error: plan.error }),
    ...(status === 'incomplete' && {
      incomplete_details: plan.finish === 'content_filter' ? {} : { reason: 'max_completion_tokens' },
    }),
  };
}

function statusOf({ error, calls, finish }: Plan): RunStatus {
  if (error !== null) return 'failed';
  if (calls.length > 0) return 'requires_action';
  return isCut(finish) ? 'incomplete' : 'completed';
}

const isCut = (finish: string): boolean => ['length', 'max_tokens', 'content_filter'].includes(finish);

function messageOf(
  run: Run,
  plan: Plan,
  { id, now }: { readonly id: string; readonly now: number },
): Message {
  const { text, refused, annotations, finish, error } = plan;
  const content: JsonObject = refused
    ? { type: 'refusal', refusal: text }
    : { type: 'text', text: { value: text ?? '', annotations } };
  const reason =
    error !== null
      ? 'run_failed'
      : !isCut(finish)
        ? null
        : finish === 'content_filter'
          ? finish
          : 'max_tokens';
  return {
    id,
    object: 'thread.message',
    created_at: now,
    assistant_id: run.assistant_id,
    thread_id: run.thread_id,
    run_id: run.id,
    role: 'assistant',
    content: [content],
    attachments: [],
    metadata: {},
    status: reason === null ? 'completed' : 'incomplete',
    completed_at: reason === null ? now : null,
    incomplete_at: reason === null ? null : now,
    incomplete_details: reason === null ? null : { reason },
  };
}
