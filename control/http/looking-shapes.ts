// What a world tells of its webhooks and of its models' conversations, as named JSON Schemas: a part of shapes.ts.
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

const FOUND_SHAPES = shapesOf({
  FoundEntries: object({
    lines: list(to('StoryLine')),
    next: withText(orNull(TEXT), 'the `before` of the next look; null where there is no more'),
    looked: withText(COUNT, 'entries that were looked through for this answer'),
    reached: withText(orNull(INSTANT), 'world time of the last of them'),
  }),
  FoundRecords: object({
    records: list(
      object({
        twin: TEXT,
        type: TEXT,
        id: TEXT,
        position: withText(COUNT, 'of the entry that last changed it'),
        title: withText(TEXT, 'what the twin calls it; its type and id, where it calls it nothing'),
        summary: orNull(TEXT),
      }),
    ),
    next: withText(orNull(TEXT), 'the `before` of the next look; null where there is no more'),
    looked: withText(COUNT, 'records that were looked through for this answer'),
    reached: withText(orNull(object({ twin: TEXT, type: TEXT })), 'where the look ended'),
  }),
});

const WEBHOOK_SHAPES = shapesOf({
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

const CALL = {
  id: withText(TEXT, 'of its entry: `<twin>:<position>`'),
  twin: TEXT,
  position: COUNT,
  at: withText(INSTANT, 'world time'),
  endpoint: TEXT,
  model: orNull(TEXT),
  conversation: withText(orNull(TEXT), 'calls of one conversation have it in common'),
  messages: withText(COUNT, 'that it was asked with'),
  asked: withText(orNull(TEXT), 'what the user said last, cut'),
  results: withText(list(TEXT), 'names of the tools whose results it ended with'),
  answered: withText(orNull(TEXT), 'cut'),
  calls: withText(list(TEXT), 'names of the tools that the answer calls'),
  handler: withText(orNull(TEXT), 'id of the handler that answered; null: the twin itself did'),
  tokens: orNull(object({ input: COUNT, output: COUNT })),
  stream: FLAG,
};
const FROM = { caller: TEXT, trace: TEXT };

const CONVERSATION_SHAPES = shapesOf({
  ModelCall: object(CALL, FROM),
  ConversationPage: object({
    calls: list(to('ModelCall')),
    next: withText(
      orNull(TEXT),
      'the `before` of the following page; this one may have fewer calls than asked for',
    ),
  }),
  Turn: object({
    role: oneOf('system', 'user', 'assistant', 'tool'),
    parts: list(
      object(
        { kind: oneOf('text', 'reasoning', 'call', 'result', 'image', 'other') },
        {
          text: TEXT,
          id: orNull(TEXT),
          name: orNull(TEXT),
          arguments: withText(TEXT, 'as the model wrote them'),
          type: orNull(TEXT),
          data: withText(orNull(TEXT), 'Base64'),
          at: withText(orNull(TEXT), 'where a picture is that was not sent along'),
        },
      ),
    ),
  }),
  Conversation: object(
    {
      ...CALL,
      turns: list(to('Turn')),
      answer: orNull(to('Turn')),
      finish: orNull(TEXT),
      tools: withText(list(TEXT), 'that it may call'),
      after: withText(
        orNull(object({ id: TEXT, entry: orNull(TEXT) })),
        'the answer that it goes on from, where the vendor holds what was before, and its entry',
      ),
      short: withText(FLAG, 'the request is kept in short alone'),
    },
    FROM,
  ),
});

export const LOOKING_SHAPES = { ...FOUND_SHAPES, ...WEBHOOK_SHAPES, ...CONVERSATION_SHAPES };
