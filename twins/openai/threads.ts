// Threads: made, changed and deleted with all that is in them.
import { arrayField, field, isJsonObject, type JsonObject } from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import type { Tx } from '../kit/tx.ts';
import { wrongType } from './amounts.ts';
import { resourcesOf } from './assistant-tools.ts';
import { checkNames, metadataOf, ofBeta } from './assistants-beta.ts';
import { publicFields } from './list.ts';
import { dueKey, RUN, type Run, STEP, type Step } from './run-object.ts';
import { THREAD, type Thread, threadOf } from './thread.ts';
import { addMessage, MESSAGE, type Message } from './thread-messages.ts';

const CREATED: ReadonlySet<string> = new Set(['messages', 'metadata', 'tool_resources']);
const CHANGED: ReadonlySet<string> = new Set(['metadata', 'tool_resources']);
/** Records that are taken out at a time. */
const TAKEN_COUNT = 100;

/** The messages that a request begins a thread with. */
export function firstMessages(body: JsonObject, name = 'messages'): readonly JsonObject[] {
  const given = field(body, name);
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw wrongType(name, 'an array of objects', given);
  return arrayField(body, name).map((each, index) => {
    if (!isJsonObject(each)) throw wrongType(`${name}[${index}]`, 'an object', each);
    return each;
  });
}

export function newThread(tx: Tx, body: JsonObject): Thread {
  checkNames(body, CREATED);
  let thread: Thread = {
    id: tx.recordId('thread_', 24),
    object: 'thread',
    created_at: Math.floor(tx.now / 1000),
    metadata: metadataOf(body),
    tool_resources: resourcesOf(tx, body) ?? {},
  };
  tx.put(THREAD, thread.id, thread);
  for (const each of firstMessages(body)) ({ thread } = addMessage(tx, thread, each));
  return thread;
}

const pathOf = ({ path, tx }: ModelAsk): Thread => threadOf(path['thread'] ?? '', tx);

const update = (context: ModelAsk): { readonly json: object } => {
  const { tx, body } = context;
  const thread = pathOf(context);
  checkNames(body, CHANGED);
  const resources = resourcesOf(tx, body);
  const changed = {
    ...thread,
    ...(field(body, 'metadata') !== undefined && { metadata: metadataOf(body) }),
    ...(resources !== null && { tool_resources: resources }),
  };
  tx.kind('thread.updated');
  tx.put(THREAD, thread.id, changed);
  return { json: publicFields(changed) };
};

const remove = (context: ModelAsk): { readonly json: object } => {
  const { tx } = context;
  const { id } = pathOf(context);
  const where = { thread_id: id };
  tx.kind('thread.deleted');
  tx.delete(THREAD, id);
  each(
    () => tx.list<Message>(MESSAGE, { where, limit: TAKEN_COUNT }).items,
    message => {
      tx.delete(MESSAGE, message.id);
    },
  );
  each(
    () => tx.list<Run>(RUN, { where, limit: TAKEN_COUNT }).items,
    run => {
      tx.cancel(dueKey(run.id));
      tx.delete(RUN, run.id);
      each(
        () => tx.list<Step>(STEP, { where: { run_id: run.id }, limit: TAKEN_COUNT }).items,
        step => {
          tx.delete(STEP, step.id);
        },
      );
    },
  );
  return { json: { id, object: 'thread.deleted', deleted: true } };
};

/** Until no page has anything any more. */
function each<T>(page: () => readonly T[], take: (item: T) => void): void {
  for (let items = page(); items.length > 0; items = page()) for (const item of items) take(item);
}

const PATH = '/v1/threads/{thread}';

export const THREADS: readonly ModelOperation[] = ofBeta([
  {
    method: 'POST',
    path: '/v1/threads',
    name: 'beta.threads.create',
    run: ({ tx, body }) => {
      tx.kind('thread.created');
      return { json: publicFields(newThread(tx, body)) };
    },
  },
  {
    method: 'GET',
    path: PATH,
    name: 'beta.threads.retrieve',
    run: context => ({ json: publicFields(pathOf(context)) }),
  },
  { method: 'POST', path: PATH, name: 'beta.threads.update', run: update },
  { method: 'DELETE', path: PATH, name: 'beta.threads.delete', run: remove },
]);
