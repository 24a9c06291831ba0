// How what was done at the twin is done at OpenAI (3). It documents no idempotency header, and its SDK sends none, so that a
// request whose answer was lost is asked again only where it can be looked up whether it was done.
import { arrayField, objectField, readJson, textField } from '../../kit/json.ts';
import { cancelled, GONE, objectIn } from '../../kit/lookups.ts';
import type { Deploys, Done } from '../../kit/real-vendor.ts';
import type { RecordBody } from '../../kit/tx.ts';
import { markedCreation } from './mark.ts';

const ANSWER =
  'a model answered it here: asked again, OpenAI would charge for another answer than the one the app went on with';

/** What leaves nothing at OpenAI, or nothing that anybody would want there. Not what is done with a stored answer by its id. */
const UNABLE: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^\/v1\/(?:chat\/completions|completions|responses|embeddings|moderations)$/, ANSWER],
  [/^\/v1\/(?:audio|images)\/[^/]+$/, ANSWER],
  [/^\/v1\/threads\/(?:[^/]+\/)?runs(?:\/|$)/, ANSWER],
  [/^\/v1\/responses\/compact$/, ANSWER],
  [/^\/v1\/responses\/input_tokens$/, 'it counts tokens, and leaves nothing at OpenAI'],
  [
    /^\/v1\/fine_tuning(?:\/|$)/,
    'trained again, OpenAI would charge for another model than the one the app went on with',
  ],
  [/^\/v1\/containers(?:\/|$)/, 'a container is over before a deploy'],
  [/^\/v1\/vector_stores\/[^/]+\/search$/, 'a search leaves nothing at OpenAI'],
  [/^\/v1\/realtime(?:\/|$)/, 'a realtime session, and the key for one, is over before a deploy'],
];

/** Where the dashboard shows an object, by what the vendor calls it. */
const PAGES: { readonly [object: string]: string } = {
  file: 'storage/files',
  vector_store: 'storage/vector_stores',
  batch: 'batches',
};

/** Each can be read at its own address. */
const READABLE =
  /^\/v1\/(?:files|vector_stores|conversations|containers|models|responses|chat\/completions|assistants|threads)\/[^/?]+(?:\/(?:files|items|messages)\/[^/?]+)?(?:\?|$)/;
const CANCELS = /^\/v1\/(?:batches|responses|vector_stores\/[^/?]+\/file_batches)\/[^/?]+\/cancel(?:\?|$)/;

export const openaiDeploys: Deploys = {
  once: null,
  unable: ({ method, path }) =>
    method === 'POST' ? (UNABLE.find(([pattern]) => pattern.test(path))?.[1] ?? null) : null,
  done: (_request, answer) => doneOf(objectIn(answer)),
  refusal: ({ body }) => textField(objectField(readJson(body), 'error'), 'message') ?? '',
  lookup: request => {
    const { method, path } = request;
    if (method === 'DELETE') return READABLE.test(path) ? GONE : null;
    if (CANCELS.test(path)) return CANCELLED;
    return markedCreation(request, doneOf);
  },
};

const doneOf = (object: RecordBody): Done => {
  const called = textField(object, 'object') ?? '';
  // What comes of an upload is its file.
  const file = called === 'upload' ? objectField(object, 'file') : null;
  const made = file ?? object;
  const listed = called === 'list' ? itemsIn(object) : [];
  const id = listed.length === 1 ? listed[0]!.id : textField(made, 'id');
  const url = pageOf(made as RecordBody, id);
  return {
    ...(id === null ? {} : { id }),
    ...(url === null ? {} : { url }),
    object,
    ...(listed.length === 0 ? {} : { listed }),
  };
};

/** A list is answered to who adds items to a conversation, and to nobody else who changes something. */
const itemsIn = (object: RecordBody): readonly { readonly type: string; readonly id: string }[] =>
  arrayField(object, 'data').flatMap(item => {
    const id = textField(item, 'id');
    return id === null ? [] : [{ type: 'conversation_item', id }];
  });

const CANCELLED = cancelled(object => /^cancell(?:ing|ed)$/.test(textField(object, 'status') ?? ''), doneOf);

const pageOf = (object: RecordBody, id: string | null): string | null => {
  const called = textField(object, 'object') ?? '';
  const page = Object.hasOwn(PAGES, called) ? PAGES[called] : undefined;
  if (id === null || page === undefined || object['deleted'] === true) return null;
  return `https://platform.openai.com/${page}/${id}`;
};
