// Messages of threads: what a request says of one, and what it becomes.
import {
  arrayField,
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  objectField,
  textField,
} from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import type { Reader, RecordBody, Tx } from '../kit/tx.ts';
import { wordsIn } from '../kit/words.ts';
import { checkLength, checkWord, wrongType } from './amounts.ts';
import { withAttached } from './assistant-tools.ts';
import { checkNames, metadataOf, ofBeta } from './assistants-beta.ts';
import { invalid, missing, notFound } from './errors.ts';
import { listOf, publicFields } from './list.ts';
import { activeRun } from './run-object.ts';
import { THREAD, type Thread, threadOf } from './thread.ts';

export const MESSAGE = 'thread_message';
const TEXT_CHARS_MAX = 256_000;
/** Messages of a thread that a run reads, the newest. */
const READ_MESSAGES_MAX = 500;
const PARAMETERS: ReadonlySet<string> = new Set(wordsIn('attachments content metadata role'));
const PARTS = ['text', 'image_url', 'image_file'];

export type Message = RecordBody & {
  readonly id: string;
  readonly thread_id: string;
  readonly role: 'user' | 'assistant';
  readonly content: readonly JsonObject[];
};

type Place = { readonly id: string; readonly thread: string; readonly now: number };

/** Checked, and not stored. */
export function messageOf(body: JsonObject, { id, thread, now }: Place): Message {
  checkNames(body, PARAMETERS);
  checkWord(field(body, 'role'), 'role', ['user', 'assistant']);
  const attachments = arrayField(body, 'attachments');
  return {
    id,
    object: 'thread.message',
    created_at: now,
    assistant_id: null,
    thread_id: thread,
    run_id: null,
    role: textField(body, 'role') as Message['role'],
    content: contentOf(field(body, 'content')),
    attachments,
    metadata: metadataOf(body),
    status: 'completed',
    completed_at: now,
    incomplete_at: null,
    incomplete_details: null,
  };
}

function contentOf(content: Json | undefined): readonly JsonObject[] {
  if (content === undefined || content === null) throw missing('content');
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(parts)) throw wrongType('content', 'one of a string or an array of objects', content);
  if (parts.length === 0) throw invalid('Message content must be non-empty.', 'content');
  return parts.map((part: Json, index) => {
    if (!isJsonObject(part)) throw wrongType(`content[${index}]`, 'an object', part);
    checkWord(field(part, 'type'), `content[${index}].type`, PARTS);
    if (textField(part, 'type') !== 'text') return part;
    const value = textField(part, 'text');
    if (value === null) throw missing(`content[${index}].text`);
    if (value === '') throw invalid('Message content must be non-empty.', 'content');
    checkLength(value, 'content', TEXT_CHARS_MAX);
    return { type: 'text', text: { value, annotations: [] } };
  });
}

/** Of a stored message, what it says in words. */
export function saidIn({ content }: Pick<Message, 'content'>): string {
  return content
    .map(part => textField(objectField(part, 'text'), 'value') ?? textField(part, 'refusal'))
    .filter(text => text !== null)
    .join('\n');
}

/** Oldest first. */
export function messagesIn(thread: string, reader: Reader): readonly Message[] {
  const query = { where: { thread_id: thread }, limit: READ_MESSAGES_MAX };
  return [...reader.list<Message>(MESSAGE, query).items].reverse();
}

/** Stores what a request says, with its files for the thread's tools. */
export function addMessage(tx: Tx, thread: Thread, body: JsonObject): { thread: Thread; message: Message } {
  const now = Math.floor(tx.now / 1000);
  const message = messageOf(body, { id: tx.recordId('msg_', 24), thread: thread.id, now });
  const attachments = arrayField(body, 'attachments');
  for (const each of attachments) {
    const file = textField(each, 'file_id');
    if (file !== null && tx.get('file', file) === undefined)
      throw notFound(`No such File object: ${file}`, 'attachments');
  }
  tx.put(MESSAGE, message.id, message);
  if (attachments.length === 0) return { thread, message };
  const changed = { ...thread, tool_resources: withAttached(tx, thread.tool_resources ?? {}, attachments) };
  tx.put(THREAD, thread.id, changed);
  return { thread: changed, message };
}

const messageIn = ({ tx, path }: ModelAsk): Message => {
  const { id } = threadOf(path['thread'] ?? '', tx);
  const found = tx.get<Message>(MESSAGE, path['message'] ?? '');
  if (found?.thread_id !== id) throw notFound(`No message found with id '${path['message']}'.`);
  return found;
};

const create = ({ tx, body, path }: ModelAsk): { readonly json: object } => {
  const thread = threadOf(path['thread'] ?? '', tx);
  const active = activeRun(thread.id, tx);
  if (active !== null)
    throw invalid(`Can't add messages to ${thread.id} while a run ${active.id} is active.`);
  tx.kind('thread.message.created');
  return { json: addMessage(tx, thread, body).message };
};

const list = (context: ModelAsk): { readonly json: object } => {
  const { id } = threadOf(context.path['thread'] ?? '', context.tx);
  const run = context.query.get('run_id');
  const json = listOf(context, MESSAGE, {
    where: { thread_id: id },
    ...(run !== null && { keep: (body: RecordBody) => body['run_id'] === run }),
  });
  return { json };
};

const LIST = '/v1/threads/{thread}/messages';
const PATH = `${LIST}/{message}`;

export const THREAD_MESSAGES: readonly ModelOperation[] = ofBeta([
  { method: 'POST', path: LIST, name: 'beta.threads.messages.create', run: create },
  { method: 'GET', path: LIST, name: 'beta.threads.messages.list', run: list },
  {
    method: 'GET',
    path: PATH,
    name: 'beta.threads.messages.retrieve',
    run: context => ({ json: publicFields(messageIn(context)) }),
  },
  {
    method: 'POST',
    path: PATH,
    name: 'beta.threads.messages.update',
    run: context => {
      const found = messageIn(context);
      checkNames(context.body, new Set(['metadata']));
      const changed = { ...found, metadata: metadataOf(context.body) };
      context.tx.kind('thread.message.updated');
      context.tx.put(MESSAGE, found.id, changed);
      return { json: publicFields(changed) };
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    name: 'beta.threads.messages.delete',
    run: context => {
      const { id } = messageIn(context);
      context.tx.delete(MESSAGE, id);
      return { json: { id, object: 'thread.message.deleted', deleted: true } };
    },
  },
]);
