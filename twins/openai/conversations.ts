// Conversations: an id, and items in order, that responses read and append to.
import { field, isJsonObject, type Json, type JsonObject, objectField, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import { packed, unpacked } from '../kit/packed.ts';
import type { Reader, RecordBody, Tx } from '../kit/tx.ts';
import { invalid, notFound } from './errors.ts';
import { listOf, publicFields } from './list.ts';

/** Items that one response reads of its conversation, the newest. */
const READ_ITEMS_MAX = 500;
/** Items that one request may add. */
const ADDED_ITEMS_MAX = 20;

const conversationOf = ({ tx, path }: ModelAsk): RecordBody => {
  const found = tx.get('conversation', path['conversation'] ?? '');
  if (found === undefined) throw notFound(`Conversation with id '${path['conversation']}' not found.`);
  return found;
};

/** Oldest first. */
export function itemsOf(conversation: string, reader: Reader): readonly JsonObject[] {
  const where = { $conversation: conversation };
  const { items } = reader.list('conversation_item', { where, limit: READ_ITEMS_MAX });
  return items.map(item => itemOf(item, reader)).reverse();
}

/** An item by its own id; null where no conversation has it. */
export function findItem(id: string, reader: Reader): JsonObject | null {
  const record = reader.get('conversation_item', id);
  return record === undefined ? null : itemOf(record, reader);
}

function itemOf(record: RecordBody, reader: Reader): JsonObject {
  const item = unpacked(reader, record['$item']);
  // Its id may be another by now, and what is packed is not looked into.
  return isJsonObject(item) ? { ...item, id: String(record['id']) } : {};
}

/** Keeps the items as the conversation's newest, each under an id of its own. */
export function appendItems(
  tx: Tx,
  conversation: string,
  items: readonly JsonObject[],
): readonly JsonObject[] {
  return items.map(item => {
    const id = textField(item, 'id') ?? `msg_${tx.hex(24)}`;
    const made = { status: 'completed', ...item, type: textField(item, 'type') ?? 'message', id };
    tx.put('conversation_item', id, { id, $conversation: conversation, $item: packed(tx, made) });
    return made;
  });
}

function itemsIn(value: Json | undefined): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every(isJsonObject)) {
    throw invalid("Invalid type for 'items': expected an array of objects.", 'items', 'invalid_type');
  }
  if (value.length > ADDED_ITEMS_MAX) {
    throw invalid(
      `Invalid 'items': at most ${ADDED_ITEMS_MAX} items are added at a time.`,
      'items',
      'array_above_max_length',
    );
  }
  return value.map(item => {
    const content = field(item, 'content');
    const kind = textField(item, 'role') === 'assistant' ? 'output_text' : 'input_text';
    return typeof content === 'string' ? { ...item, content: [{ type: kind, text: content }] } : item;
  });
}

const PATH = '/v1/conversations/{conversation}';

export const CONVERSATIONS: readonly ModelOperation[] = [
  {
    method: 'POST',
    path: '/v1/conversations',
    name: 'conversations.create',
    run: ({ tx, body, now }) => {
      const items = itemsIn(field(body, 'items'));
      const id = `conv_${tx.hex(24)}`;
      const made = {
        id,
        object: 'conversation',
        created_at: now,
        metadata: objectField(body, 'metadata') ?? {},
      };
      tx.put('conversation', id, made);
      appendItems(tx, id, items);
      return { json: made };
    },
  },
  {
    method: 'GET',
    path: PATH,
    name: 'conversations.retrieve',
    run: context => ({ json: publicFields(conversationOf(context)) }),
  },
  {
    method: 'POST',
    path: PATH,
    name: 'conversations.update',
    run: context => {
      const found = conversationOf(context);
      const changed = { ...found, metadata: objectField(context.body, 'metadata') ?? {} };
      context.tx.put('conversation', String(found['id']), changed);
      return { json: publicFields(changed) };
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    name: 'conversations.delete',
    run: context => {
      const { id } = conversationOf(context) as { readonly id: string };
      context.tx.delete('conversation', id);
      return { json: { id, object: 'conversation.deleted', deleted: true } };
    },
  },
  {
    method: 'POST',
    path: `${PATH}/items`,
    name: 'conversations.items.create',
    run: context => {
      const { id } = conversationOf(context) as { readonly id: string };
      const data = appendItems(context.tx, id, itemsIn(field(context.body, 'items')));
      return {
        json: {
          object: 'list',
          data,
          first_id: data[0]?.['id'] ?? null,
          last_id: data.at(-1)?.['id'] ?? null,
          has_more: false,
        },
      };
    },
  },
  {
    method: 'GET',
    path: `${PATH}/items`,
    name: 'conversations.items.list',
    run: context => {
      const { id } = conversationOf(context) as { readonly id: string };
      const page = listOf(context, 'conversation_item', { where: { $conversation: id } }) as {
        data: RecordBody[];
      };
      const data = page.data.map(({ id: item }) =>
        itemOf(context.tx.get('conversation_item', String(item)) ?? {}, context.tx),
      );
      return { json: { ...page, data } };
    },
  },
  {
    method: 'GET',
    path: `${PATH}/items/{item}`,
    name: 'conversations.items.retrieve',
    run: context => ({ json: itemOf(itemRecordOf(context), context.tx) }),
  },
  {
    method: 'DELETE',
    path: `${PATH}/items/{item}`,
    name: 'conversations.items.delete',
    run: context => {
      const conversation = conversationOf(context);
      context.tx.delete('conversation_item', String(itemRecordOf(context)['id']));
      return { json: publicFields(conversation) };
    },
  },
];

function itemRecordOf({ tx, path }: ModelAsk): RecordBody {
  const found = tx.get('conversation_item', path['item'] ?? '');
  if (found === undefined || found['$conversation'] !== path['conversation']) {
    throw notFound(`Item with id '${path['item']}' not found.`);
  }
  return found;
}
