// What a world tells of its webhooks, as named JSON Schemas: a part of shapes.ts.
import {
  COUNT,
  FLAG,
  INSTANT,
  list,
  NUMBER,
  object,
  oneOf,
  orNull,
  shapesOf,
  TEXT,
  to,
  withText,
} from './schema.ts';

const OUTCOME = {
  status: COUNT,
  error: withText(TEXT, 'why there was no answer'),
};
const ATTEMPT = {
  at: withText(INSTANT, 'world time'),
  wallAt: withText(INSTANT, 'wall time'),
  ms: NUMBER,
};
const WEBHOOK = {
  id: withText(TEXT, '`<twin>:delivery:<number>`'),
  twin: TEXT,
  event: object({ id: TEXT, type: TEXT }),
  text: withText(orNull(TEXT), 'what it tells of, in the twin’s words'),
  endpoint: object({ id: TEXT, url: withText(TEXT, 'without its query and user') }),
  state: withText(
    oneOf('sending', 'waiting', 'delivered', 'failed'),
    '`sending`: an attempt is made as soon as those before it are through; `waiting`: another at `nextAt`',
  ),
  attempts: COUNT,
  nextAt: withText(orNull(INSTANT), 'world time of the next attempt'),
  cause: withText(orNull(TEXT), 'id of the entry that caused it'),
  trace: TEXT,
  bodyKept: withText(FLAG, 'it can be sent again'),
};
const LAST = { last: object(ATTEMPT, OUTCOME) };

export const WEBHOOK_SHAPES = shapesOf({
  Webhook: object(WEBHOOK, LAST),
  WebhookPage: object({
    webhooks: list(to('Webhook')),
    next: withText(orNull(TEXT), 'the `before` of the following page'),
  }),
  WholeWebhook: object(
    {
      ...WEBHOOK,
      tries: list(
        object(
          {
            ...ATTEMPT,
            signed: withText(
              list(object({ name: TEXT, value: orNull(TEXT) })),
              'what it was signed with; values for who may write',
            ),
            signature: withText(
              oneOf('holds', 'differs', 'unsigned', 'gone', 'unknown'),
              'by the secret that the endpoint has now',
            ),
          },
          { ...OUTCOME, answer: withText(TEXT, 'how the answer of a receiver that did not take it begins') },
        ),
      ),
      headers: list(object({ name: TEXT, value: TEXT })),
      body: withText(orNull(TEXT), 'as it was sent; null where it is kept no more'),
    },
    LAST,
  ),
});
