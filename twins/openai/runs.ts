// Runs: a thread is gone on with by an assistant, whole or as a stream of events.
import { logSummary } from '../kit/conversation.ts';
import { field, type JsonObject, objectField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation, ModelOutcome } from '../kit/model-api.ts';
import type { Tx } from '../kit/tx.ts';
import { type Resources, resourcesOf } from './assistant-tools.ts';
import { assistantOf } from './assistants.ts';
import { checkNames, metadataOf, ofBeta } from './assistants-beta.ts';
import { invalid } from './errors.ts';
import { listOf, publicFields } from './list.ts';
import { hasEnded, RUN, type Run } from './run-object.ts';
import { cancelRun, closeSteps, conclude, queueRun } from './run-outcome.ts';
import { planOf } from './run-plan.ts';
import {
  answeredSteps,
  checkWithThread,
  conversationOf,
  runAsked,
  runInThread,
  runOf,
} from './run-request.ts';
import { includesContent } from './run-steps.ts';
import { runStream, type StreamedRun } from './run-stream.ts';
import { type Thread, threadOf } from './thread.ts';
import { addMessage, messagesIn } from './thread-messages.ts';
import { firstMessages, newThread } from './threads.ts';

type Going = Pick<StreamedRun, 'made' | 'closed'> & {
  readonly steps?: Parameters<typeof conversationOf>[2]['steps'];
  readonly resources: Resources;
};

/** The run is at once where its stream ends, or queued until the world's clock gets there. */
function goOn(context: ModelAsk, run: Run, { steps = [], resources, ...going }: Going): ModelOutcome {
  const { tx, body, query } = context;
  const stream = field(body, 'stream') === true;
  const conversation = conversationOf(run, messagesIn(run.thread_id, tx), { steps, stream });
  const { plan, utterance, spoken } = planOf(tx, run, { conversation, spoken: context.spoken, resources });
  const told = logSummary(conversation, utterance);
  const first = going.closed === undefined;
  if (!first) {
    const id = tx.id('completion_', 24);
    tx.put('completion', id, { id, object: 'completion', created: context.now, ...told });
  }
  const queued = queueRun(tx, first ? { ...run, $told: told } : run, plan);
  if (!stream) return { json: publicFields(queued) };
  const outcome = conclude(tx, queued, plan);
  const { pace, ending } = spoken;
  return { stream: runStream({ ...going, queued, outcome, pace, ending, included: includesContent(query) }) };
}

/** Of the assistant, and of the thread: each has stores of its own. */
function together(tx: Tx, run: Run, own: Resources | null): Resources {
  const { tool_resources: of } = assistantOf(run.assistant_id, tx) as {
    readonly tool_resources?: Resources | null;
  };
  const stores = [of, own].flatMap(each => each?.file_search?.vector_store_ids ?? []);
  return { file_search: { vector_store_ids: [...new Set(stores)] } };
}

const create = (context: ModelAsk): ModelOutcome => {
  const { tx, body, path } = context;
  const run = runInThread(body, tx.recordId('run_', 24), path['thread'] ?? '', tx);
  let thread = threadOf(run.thread_id, tx);
  tx.kind('thread.run.created');
  for (const each of firstMessages(body, 'additional_messages')) ({ thread } = addMessage(tx, thread, each));
  return goOn(context, run, { resources: together(tx, run, thread.tool_resources) });
};

const createWithThread = (context: ModelAsk): ModelOutcome => {
  const { tx, body, now } = context;
  checkWithThread(body);
  const made: Thread = newThread(tx, objectField(body, 'thread') ?? {});
  const run = runAsked(body, { id: tx.recordId('run_', 24), thread: made.id, now }, tx);
  tx.kind('thread.run.created');
  const resources = together(tx, run, { ...made.tool_resources, ...resourcesOf(tx, body) });
  return goOn(context, run, { resources, made });
};

const submit = (context: ModelAsk): ModelOutcome => {
  const { tx, body } = context;
  const run = pathOf(context);
  const steps = answeredSteps(run, body, tx);
  const closed = closeSteps(tx, steps);
  tx.kind('thread.run.queued');
  const { tool_resources: own } = threadOf(run.thread_id, tx);
  return goOn(context, run, { steps, closed, resources: together(tx, run, own) });
};

const pathOf = ({ path, tx }: ModelAsk): Run => runOf(path['thread'] ?? '', path['run'] ?? '', tx);

const cancel = (context: ModelAsk): ModelOutcome => {
  const run = pathOf(context);
  if (hasEnded(run) || run.status === 'cancelling')
    throw invalid(`Cannot cancel run with status '${run.status}'.`);
  context.tx.kind('thread.run.cancelling');
  return { json: publicFields(cancelRun(context.tx, run)) };
};

const update = (context: ModelAsk): ModelOutcome => {
  const run = pathOf(context);
  const body: JsonObject = context.body;
  checkNames(body, new Set(['metadata']));
  const changed = { ...run, metadata: metadataOf(body) };
  context.tx.kind('thread.run.updated');
  context.tx.put(RUN, run.id, changed);
  return { json: publicFields(changed) };
};

const LIST = '/v1/threads/{thread}/runs';
const PATH = `${LIST}/{run}`;

export const RUNS: readonly ModelOperation[] = ofBeta([
  { method: 'POST', path: '/v1/threads/runs', name: 'beta.threads.createAndRun', run: createWithThread },
  { method: 'POST', path: LIST, name: 'beta.threads.runs.create', run: create },
  {
    method: 'GET',
    path: LIST,
    name: 'beta.threads.runs.list',
    run: context => {
      const { id } = threadOf(context.path['thread'] ?? '', context.tx);
      return { json: listOf(context, RUN, { where: { thread_id: id } }) };
    },
  },
  {
    method: 'GET',
    path: PATH,
    name: 'beta.threads.runs.retrieve',
    run: context => ({ json: publicFields(pathOf(context)) }),
  },
  { method: 'POST', path: PATH, name: 'beta.threads.runs.update', run: update },
  { method: 'POST', path: `${PATH}/cancel`, name: 'beta.threads.runs.cancel', run: cancel },
  {
    method: 'POST',
    path: `${PATH}/submit_tool_outputs`,
    name: 'beta.threads.runs.submitToolOutputs',
    run: submit,
  },
]);
