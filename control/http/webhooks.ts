// …/webhooks: what the twins sent to the endpoints that apps named, what came of each attempt, and one of them once more.
// Ours, beside section 4.
import { RECORDS_PAGE_DEFAULT, WEBHOOKS_PAGE_ROWS_MAX } from '../world/limits.ts';
import { json, problem } from './answer.ts';
import { pageAsked } from './records.ts';
import type { Route } from './route.ts';
import { FLAG, TEXT } from './schema.ts';
import { failure, ref } from './shapes.ts';

const ONE = '/-/<org>/<world>/webhooks/<twin>/<number>';
const NUMBER = /^[1-9][0-9]{0,14}$/;
const NONE = failure('the twin sent no such webhook');

export const webhooks: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/webhooks',
    access: 'read',
    tag: 'Looking',
    summary: 'the webhooks that the twins send, newest first: event, endpoint, state, next attempt',
    query: {
      limit: {
        description: `of a page; ${RECORDS_PAGE_DEFAULT} unless given, at most ${WEBHOOKS_PAGE_ROWS_MAX}`,
        schema: { type: 'integer', minimum: 1 },
      },
      before: { description: '`next` of the page before', schema: TEXT },
      failed: {
        description: 'those alone whose last attempt failed, of the newest 10,000',
        schema: FLAG,
      },
    },
    answers: {
      200: { description: 'a page of webhooks', schema: ref('WebhookPage') },
      400: failure('a parameter cannot be read'),
    },
    run: async (call, world) => {
      const asked = pageAsked(call.query);
      if (!asked.ok) return asked.reply;
      const failed = new URLSearchParams(call.query).get('failed') || 'false';
      if (failed !== 'true' && failed !== 'false')
        return problem(400, 'bad-flag', '`failed` is true or false.');
      return json(200, await world.webhooks.page({ ...asked.page, failed: failed === 'true' }));
    },
  },
  {
    method: 'GET',
    path: ONE,
    access: 'read',
    tag: 'Looking',
    summary:
      'one webhook with its attempts, the body that was sent, and whether its signature holds; what it was signed with is for who may write',
    answers: { 200: { description: 'the webhook', schema: ref('WholeWebhook') }, 404: NONE },
    run: async (_call, world, { params, asker }) => {
      const { twin = '', number = '' } = params;
      const values = asker?.scope === 'write';
      const found = NUMBER.test(number) ? await world.webhooks.one(twin, Number(number), values) : null;
      return found === null ? noSuchWebhook(twin, number) : json(200, found);
    },
  },
  {
    method: 'POST',
    path: `${ONE}/resend`,
    access: 'write',
    tag: 'Looking',
    summary:
      'sends the same event to the same endpoint once more: an attempt like any other, in its turn, that the log tells of',
    answers: {
      202: {
        description: 'it goes as soon as those before it at its endpoint are through',
        schema: ref('Webhook'),
      },
      404: NONE,
      409: failure('it is on its way already, or what was sent is not kept any more'),
    },
    run: async (_call, world, { params }) => {
      const { twin = '', number = '' } = params;
      if (!NUMBER.test(number)) return noSuchWebhook(twin, number);
      const sent = await world.webhooks.again(twin, Number(number));
      if (sent.ok) return json(202, sent.webhook);
      return problem(sent.why === 'no-such-webhook' ? 404 : 409, sent.why, sent.message);
    },
  },
];

const noSuchWebhook = (twin: string, number: string) =>
  problem(404, 'no-such-webhook', `${twin} sent no webhook ${number}: wrld world webhooks lists them.`);
