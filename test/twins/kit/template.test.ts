// [2.3] Values of the request in a handler's reply: where they come from, what is not there, and what cannot be read.
import OpenAI from 'openai';
import t from 'tap';
import { parseHandlers } from '../../../twins/kit/handlers.ts';
import { openLlmWorld } from '../../kit/llm-world.ts';

const user = (content: string) => ({ role: 'user', content });
const asked = { model: 'gpt-4o', messages: [user('first'), user('last')] };

async function answer(reply: object, body: object = asked) {
  await using made = await openLlmWorld('openai', {
    templates: true,
    handlers: [{ id: 'it', match: {}, reply }],
  });
  const { status, body: said, headers } = await made.ask('POST', '/v1/chat/completions?a=b', body);
  const message = said.choices?.[0].message;
  return {
    status,
    headers,
    text: message?.content,
    calls: message?.tool_calls,
    error: said.error,
    kinds: await made.kinds(),
  };
}

t.test('[2.3] values of the body, the query, the headers, and of what was said', async t => {
  for (const [template, text] of [
    ['{{request.body.messages[-1].content}}', 'last'],
    [
      '{{ request.body.messages[0].content }}, then {{request.body["messages"][1].content}}.',
      'first, then last.',
    ],
    ['{{request.method}} {{request.path}} {{request.query.a}}', 'POST /v1/chat/completions b'],
    ['{{request.headers.Content-Type}}', 'application/json'],
    ['{{request.said.lastUser}} of {{request.said.turn}}', 'last of 1'],
    ['{{request.body.messages[0]}}', '{"role":"user","content":"first"}'],
    ['no place } in } it', 'no place } in } it'],
  ] as const)
    t.equal((await answer({ text: template })).text, text, template);
  const typed = await answer({ json: { all: '{{request.body.messages}}', n: 1 } });
  t.same(
    JSON.parse(typed.text),
    { all: asked.messages, n: 1 },
    'a text that is one place takes the value as it is',
  );
  const called = await answer({
    toolCalls: [{ name: 'look', arguments: { q: '{{request.said.lastUser}}' } }],
  });
  t.same(JSON.parse(called.calls[0].function.arguments), { q: 'last' });
  const made = await answer({ text: 'x', headers: { 'x-model': 'is {{request.body.model}}' } });
  t.equal(made.headers.get('x-model'), 'is gpt-4o');
});

t.test('[2.3] what the request does not have is an error that names it, and nothing is stored', async t => {
  for (const place of [
    'request.body.messages[2].content',
    'request.body.constructor',
    'request.query.no',
    'request.headers.authorization',
    'request.body.model.length',
  ]) {
    const { status, error, kinds } = await answer({ text: `{{${place}}}` });
    t.match({ status, ...error }, { status: 400, code: 'wrld_handler_failed' }, place);
    t.ok(error.message.includes(`{{${place}}}`) && error.message.includes('“it”'), error.message);
    t.same(kinds, []);
  }
  const headers = { 'x-a': '{{request.body.messages[0].content}}' };
  const { error } = await answer({ text: 'x', headers }, { ...asked, messages: [user('a\r\nb')] });
  t.match(error, { code: 'wrld_handler_failed', message: /no header value/ });
});

t.test('[2.3] a place that cannot be read is a fault of the file, by its pointer', t => {
  const faultOf = (reply: object, templates = true): unknown => {
    const read = parseHandlers(
      JSON.stringify({ version: 1, templates, handlers: [{ id: 'a', match: {}, reply }] }),
    );
    return read.ok ? null : read.faults[0];
  };
  for (const [text, message] of [
    ['{{body.a}}', /does not begin with request/],
    ['{{request.body.a', /is not closed/],
    ['{{request.session.a}}', /is not known; request has method, path/],
    ['{{request}}', /is not known/],
    ['{{request.body..a}}', /cannot be read from “\.\.a”/],
    ['{{request.body[x]}}', /cannot be read/],
  ] as const)
    t.match(faultOf({ json: { deep: [text] } }), { pointer: '/handlers/0/reply/json/deep/0', message }, text);
  t.equal(faultOf({ text: '{{body.a}}' }, false), null, 'without `templates` it is a text like any other');
  t.end();
});

t.test('[2.3] without `templates` it is said as it is written; streams are filled too', async t => {
  const text = 'Hello {{request.body.messages[-1].content}}';
  const handlers = [{ id: 'it', match: {}, reply: { text } }];
  await using plain = await openLlmWorld('openai', { handlers });
  const sdk = (fetch: typeof globalThis.fetch): OpenAI => new OpenAI({ apiKey: 'k', fetch, maxRetries: 0 });
  const chat = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'Ada' }] };
  t.equal((await sdk(plain.fetch).chat.completions.create(chat)).choices[0]!.message.content, text);
  await using filled = await openLlmWorld('openai', { templates: true, handlers });
  const stream = sdk(filled.fetch).chat.completions.stream(chat);
  t.equal(await stream.finalContent(), 'Hello Ada');
});
