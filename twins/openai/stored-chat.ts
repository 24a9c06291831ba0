// Chat completions that were kept (`store: true`).
import { arrayField, isJsonObject, objectField, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import { unpacked } from '../kit/packed.ts';
import type { RecordBody } from '../kit/tx.ts';
import { missing, notFound } from './errors.ts';
import { listOf, pageOf, partOf, publicFields } from './list.ts';

const completionOf = ({ tx, path }: ModelAsk): RecordBody => {
  const found = tx.get('chat_completion', path['completion'] ?? '');
  if (found === undefined) throw notFound(`No completion found with id: ${path['completion']}`);
  return found;
};

export const STORED_CHAT: readonly ModelOperation[] = [
  {
    method: 'GET',
    path: '/v1/chat/completions',
    name: 'chat.completions.list',
    run: context => {
      const model = context.query.get('model');
      const wanted = [...context.query].flatMap(([name, value]) => {
        const key = /^metadata\[(.+)\]$/.exec(name)?.[1];
        return key === undefined ? [] : [[key, value] as const];
      });
      const keep = (body: RecordBody): boolean =>
        wanted.every(([key, value]) => textField(body['metadata'], key) === value);
      const json = listOf(context, 'chat_completion', {
        order: 'asc',
        ...(model !== null && { where: { model } }),
        ...(wanted.length > 0 && { keep }),
      });
      return { json };
    },
  },
  {
    method: 'GET',
    path: '/v1/chat/completions/{completion}',
    name: 'chat.completions.retrieve',
    run: context => ({ json: publicFields(completionOf(context)) }),
  },
  {
    method: 'POST',
    path: '/v1/chat/completions/{completion}',
    name: 'chat.completions.update',
    run: context => {
      const found = completionOf(context);
      const metadata = objectField(context.body, 'metadata');
      if (metadata === null) throw missing('metadata');
      const changed = { ...found, metadata };
      context.tx.put('chat_completion', String(found['id']), changed);
      return { json: publicFields(changed) };
    },
  },
  {
    method: 'DELETE',
    path: '/v1/chat/completions/{completion}',
    name: 'chat.completions.delete',
    run: context => {
      const { id } = completionOf(context) as { readonly id: string };
      context.tx.delete('chat_completion', id);
      return { json: { object: 'chat.completion.deleted', id, deleted: true } };
    },
  },
  {
    method: 'GET',
    path: '/v1/chat/completions/{completion}/messages',
    name: 'chat.completions.messages.list',
    run: context => {
      const found = completionOf(context);
      const messages = unpacked(context.tx, found['$messages']);
      const all = arrayField({ messages }, 'messages').map((message, index) => ({
        ...(isJsonObject(message) ? message : {}),
        id: `${found['id']}-${index}`,
      }));
      const ordered = context.query.get('order') === 'desc' ? all.reverse() : all;
      return { json: pageOf(partOf(ordered, context.query)) };
    },
  },
];
