// The events of a streamed run, in the vendor's order.
import type { Pace, StreamEnding } from '../kit/generative.ts';
import { arrayField, isJsonObject, type JsonObject, objectField, textField } from '../kit/json.ts';
import { argumentPiecesOf, type Frame, piecesOf, streamOf } from '../kit/stream.ts';
import { publicFields } from './list.ts';
import type { Run, RunStatus, Step } from './run-object.ts';
import type { Outcome } from './run-outcome.ts';
import { shownStep } from './run-steps.ts';
import type { Thread } from './thread.ts';
import type { Message } from './thread-messages.ts';

export type StreamedRun = {
  /** As it was before it said anything. */
  readonly queued: Run;
  readonly outcome: Outcome;
  /** The thread that was made with it. */
  readonly made?: Thread;
  /** Where it is gone on with: the steps whose functions have answered. */
  readonly closed?: readonly Step[];
  /** Whether what was found in files is told with its words. */
  readonly included: boolean;
  readonly pace: Pace;
  readonly ending: StreamEnding | null;
};

type Tell = (event: string, data: object, piece?: boolean) => void;

export function runStream(streamed: StreamedRun): AsyncIterable<Uint8Array> {
  const { queued, outcome, made, closed = [], included, pace, ending } = streamed;
  const frames: Frame[] = [];
  const tell: Tell = (event, data, piece = false) => {
    frames.push({ text: eventOf(event, data), piece });
  };
  const run = (status: RunStatus): object => publicFields({ ...queued, status });
  if (made !== undefined) tell('thread.created', publicFields(made));
  for (const step of closed) tell('thread.run.step.completed', shownStep(step, included));
  if (closed.length === 0) tell('thread.run.created', run('queued'));
  tell('thread.run.queued', run('queued'));
  const working = publicFields({ ...queued, status: 'in_progress', started_at: outcome.run['started_at'] });
  tell('thread.run.in_progress', working);
  for (const step of outcome.steps) tellStep(tell, step, outcome.message, { included, pace });
  tell(`thread.run.${outcome.run.status}`, publicFields(outcome.run));
  frames.push({ text: DONE, piece: false });
  const last = outcome.steps.at(-1);
  const failure = (): string =>
    (outcome.message === null ? '' : eventOf('thread.message.incomplete', publicFields(outcome.message))) +
    (last === undefined ? '' : eventOf('thread.run.step.failed', shownStep(last, included))) +
    eventOf('thread.run.failed', publicFields(outcome.run)) +
    DONE;
  return streamOf(frames, pace, ending, failure);
}

const DONE = 'event: done\ndata: [DONE]\n\n';

function eventOf(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

type Shown = { readonly included: boolean; readonly pace: Pace };

function tellStep(tell: Tell, step: Step, message: Message | null, { included, pace }: Shown): void {
  const calls = arrayField(step.step_details, 'tool_calls').filter(isJsonObject);
  const opened = {
    ...shownStep(step, included),
    status: 'in_progress',
    completed_at: null,
    usage: null,
    last_error: null,
    failed_at: null,
    ...(calls.length > 0 && { step_details: { type: 'tool_calls', tool_calls: [] } }),
  };
  tell('thread.run.step.created', opened);
  tell('thread.run.step.in_progress', opened);
  if (step.type === 'message_creation' && message !== null) tellMessage(tell, message, pace);
  const told = arrayField(objectField(shownStep(step, included), 'step_details'), 'tool_calls').filter(
    isJsonObject,
  );
  for (const [index, call] of told.entries()) tellCall(tell, step.id, { ...call, index }, pace);
  if (step.status !== 'in_progress') tell(`thread.run.step.${step.status}`, shownStep(step, included));
}

function tellCall(tell: Tell, id: string, call: JsonObject, pace: Pace): void {
  const delta = (part: JsonObject, piece = false): void =>
    tell(
      'thread.run.step.delta',
      {
        id,
        object: 'thread.run.step.delta',
        delta: { step_details: { type: 'tool_calls', tool_calls: [part] } },
      },
      piece,
    );
  const type = textField(call, 'type') ?? '';
  const index = call['index'] ?? 0;
  if (type === 'code_interpreter') {
    const of = objectField(call, type);
    const outputs = arrayField(of, 'outputs').map((output, at) => ({ index: at, ...(output as JsonObject) }));
    delta({ ...call, [type]: { ...of, outputs } });
  } else if (type === 'function') {
    const of = objectField(call, type);
    delta({ ...call, [type]: { ...of, arguments: '' } });
    for (const piece of argumentPiecesOf(textField(of, 'arguments') ?? '', pace))
      delta({ index, type, [type]: { arguments: piece } }, true);
  } else delta(call);
}

function tellMessage(tell: Tell, message: Message, pace: Pace): void {
  const opened = {
    ...publicFields(message),
    status: 'in_progress',
    content: [],
    completed_at: null,
    incomplete_at: null,
    incomplete_details: null,
  };
  tell('thread.message.created', opened);
  tell('thread.message.in_progress', opened);
  const delta = (part: object, piece = false): void =>
    tell(
      'thread.message.delta',
      { id: message.id, object: 'thread.message.delta', delta: { content: [{ index: 0, ...part }] } },
      piece,
    );
  const [content] = message.content;
  const refusal = textField(content, 'refusal');
  const text = objectField(content, 'text');
  for (const [at, value] of piecesOf(refusal ?? textField(text, 'value') ?? '', pace).entries())
    delta(
      refusal === null
        ? { type: 'text', text: { value, ...(at === 0 && { annotations: [] }) } }
        : { type: 'refusal', refusal: value },
      true,
    );
  for (const [index, annotation] of arrayField(text, 'annotations').entries())
    delta({ type: 'text', text: { annotations: [{ index, ...(annotation as JsonObject) }] } });
  tell(`thread.message.${String(message['status'])}`, publicFields(message));
}
