// …/conversations: what the models of a world were asked, and what they answered (4.9). Ours, beside section 4.
import { CONVERSATIONS_PAGE_ENTRIES_DEFAULT, CONVERSATIONS_PAGE_ENTRIES_MAX } from '../world/story/limits.ts';
import { json, problem } from './answer.ts';
import type { Route } from './route.ts';
import { TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';
import { timelineQuery } from './timeline.ts';

const POSITION = /^[1-9][0-9]{0,14}$/;

export const conversations: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/conversations',
    access: 'read',
    tag: 'Looking',
    summary: 'the calls to the models of a world, newest first: asked, answered, by which handler, tokens',
    query: {
      limit: {
        description: `entries that are looked through; ${CONVERSATIONS_PAGE_ENTRIES_DEFAULT} unless given, at most ${CONVERSATIONS_PAGE_ENTRIES_MAX}`,
        schema: { type: 'integer', minimum: 1 },
      },
      before: { description: '`next` of the page before', schema: TEXT },
    },
    answers: {
      200: { description: 'a page of calls', schema: ref('ConversationPage') },
      400: failure('a parameter cannot be read'),
    },
    run: async (call, world) => {
      const query = timelineQuery(new URLSearchParams(call.query));
      if ('message' in query) return problem(400, query.code, query.message);
      const { limit, before } = query;
      const page = await world.conversations.page({ ...(limit === undefined ? {} : { limit }), before });
      return page.ok
        ? json(200, { calls: page.calls, next: page.next })
        : problem(400, page.why, page.message);
    },
  },
  {
    method: 'GET',
    path: '/-/<org>/<world>/conversations/<twin>/<position>',
    access: 'read',
    tag: 'Looking',
    summary: 'one call to a model: the conversation as it was asked with, by turns, and the answer',
    answers: {
      200: { description: 'the conversation', schema: ref('Conversation') },
      404: failure('the entry is none of a call to a model'),
    },
    run: async (_call, world, { params }) => {
      const { twin = '', position = '' } = params;
      const found = POSITION.test(position) ? await world.conversations.one(twin, Number(position)) : null;
      return found === null
        ? problem(404, 'no-such-call', `${twin}:${position} is no entry of a call to a model.`)
        : json(200, found);
    },
  },
];
