// Message threads: conversations that the server holds, so that each request sends only what is new. Each answer is
// a turn under its message's id, which points to the turn before it.
import { arrayField, field, type Json, type JsonObject, objectField, textField } from '../kit/json.ts';
import { packed, unpacked } from '../kit/packed.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Reader, Tx } from '../kit/tx.ts';
import { invalid } from './errors.ts';

/** How many turns a thread is read back. */
const TURNS_MAX = 500;

/** The request with all that its thread holds before it; as it is when it is in none. */
export function threaded(body: JsonObject, reader: Reader): JsonObject {
  const previous = previousOf(body);
  if (previous === null) return body;
  const turns: unknown[] = [];
  for (let id: string | null = previous; id !== null && turns.length < TURNS_MAX; ) {
    const turn: unknown = reader.get('thread_turn', id);
    if (turn === undefined) {
      throw new Refusal(404, '', `thread: no thread holds the message ${id}.`, {
        error_code: 'thread_not_found',
      });
    }
    turns.push(turn);
    id = textField(turn, 'previous');
  }
  if (field(turns[0], 'continued') === true) {
    throw new Refusal(400, '', `thread: the message ${previous} was continued before.`, {
      error_code: 'thread_already_continued',
    });
  }
  const before = turns
    .reverse()
    .flatMap(turn => arrayField({ all: unpacked(reader, field(turn, '$messages')) }, 'all'));
  // What the thread was made with holds for all of it.
  const made = unpacked(reader, field(turns[0], '$made')) as JsonObject;
  return { ...made, ...body, messages: [...before, ...arrayField(body, 'messages')] };
}

function previousOf(body: JsonObject): string | null {
  const thread = objectField(body, 'thread');
  const type = textField(thread, 'type');
  if (thread === null || type === 'create') return null;
  const previous = textField(thread, 'previous_message_id');
  if (type !== 'continue') throw invalid("thread.type: Input should be 'create' or 'continue'");
  if (previous === null) throw invalid('thread.continue.previous_message_id: Field required');
  return previous;
}

/** Holds one turn: what was sent and what was answered. `body` is as the client sent it. */
export function holdTurn(
  tx: Tx,
  body: JsonObject,
  answer: { readonly id: string; readonly content: Json },
): void {
  if (objectField(body, 'thread') === null) return;
  const previous = previousOf(body);
  if (previous !== null)
    tx.put('thread_turn', previous, { ...tx.get('thread_turn', previous), continued: true });
  const made: { [name: string]: Json } = {};
  for (const name of ['system', 'tools']) {
    const value = field(body, name);
    if (value !== undefined) made[name] = value;
  }
  const said = [...arrayField(body, 'messages'), { role: 'assistant', content: answer.content }];
  tx.put('thread_turn', answer.id, {
    id: answer.id,
    previous,
    continued: false,
    ...(previous === null && { $made: packed(tx, made) }),
    $messages: packed(tx, said),
  });
}
