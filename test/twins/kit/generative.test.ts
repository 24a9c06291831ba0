// The handlers of a generative twin: matchers of what was said, replies in words, streams that go wrong, and a
// document that is exchanged while the world runs. Asked through both vendors' SDKs.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import t from 'tap';
import { checkHandlers } from '../../../twins/kit/handlers.ts';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const openaiOf = (made: LlmWorld): OpenAI =>
  new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const anthropicOf = (made: LlmWorld): Anthropic =>
  new Anthropic({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const say = (content: string, more: object = {}): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
  model: 'gpt-5',
  messages: [{ role: 'user', content }],
  ...more,
});

t.test('[2.3] every matcher of what was said', async t => {
  const tool = (name: string): object => ({
    type: 'function',
    function: { name, parameters: { type: 'object' } },
  });
  const history = [
    { role: 'system', content: 'You are terse.' },
    { role: 'user', content: 'first question' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
  ];
  const ended = [...history, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'and now?' }];
  const plain = { model: 'gpt-5', messages: [{ role: 'user', content: 'Hello World' }] };
  const withTools = { ...plain, tools: [tool('look'), tool('book')], stream: true };
  const schema = { type: 'json_schema', json_schema: { name: 'x', schema: {} } };
  const table: readonly (readonly [string, object, object, boolean])[] = [
    ['endpoint', { endpoint: 'chat.completions' }, plain, true],
    ['another endpoint', { endpoint: 'responses' }, plain, false],
    ['model', { model: { regex: '^gpt-5' } }, plain, true],
    ['another model', { model: 'gpt-4o' }, plain, false],
    ['the last user message', { lastUser: { contains: 'and now' } }, { ...plain, messages: ended }, true],
    ['not an earlier one', { lastUser: { contains: 'first' } }, { ...plain, messages: ended }, false],
    [
      'a tool result is no user message',
      { lastUser: 'first question' },
      { ...plain, messages: history },
      true,
    ],
    ['system', { system: { contains: 'terse' } }, { ...plain, messages: history }, true],
    ['no system', { system: { contains: '' } }, plain, false],
    [
      'input is all that was said',
      { input: { containsAll: ['first question', 'sunny'] } },
      { ...plain, messages: history },
      true,
    ],
    ['input holds no instructions', { input: { contains: 'terse' } }, { ...plain, messages: history }, false],
    ['a tool that is offered', { tool: { offered: 'book' } }, withTools, true],
    ['several that are', { tool: { offered: ['book', { contains: 'oo' }] } }, withTools, true],
    ['one that is not', { tool: { offered: ['book', 'cook'] } }, withTools, false],
    ['a tool result', { toolResult: 'sunny' }, { ...plain, messages: history }, true],
    [
      'of that tool',
      { toolResult: { name: 'look', text: { contains: 'sun' } } },
      { ...plain, messages: history },
      true,
    ],
    ['of another tool', { toolResult: { name: 'book' } }, { ...plain, messages: history }, false],
    ['only of the last message', { toolResult: 'sunny' }, { ...plain, messages: ended }, false],
    ['any tool result', { toolResult: true }, { ...plain, messages: history }, true],
    ['none', { toolResult: false }, { ...plain, messages: ended }, true],
    ['the first turn', { turn: 1 }, plain, true],
    ['the second', { turn: 2 }, { ...plain, messages: history }, true],
    ['the third', { turn: 3 }, { ...plain, messages: ended }, true],
    ['the first call', { call: 1 }, plain, true],
    ['no second call yet', { call: 2 }, plain, false],
    ['a stream', { stream: true }, withTools, true],
    ['no stream', { stream: false }, plain, true],
    ['text', { responseFormat: 'text' }, plain, true],
    ['a schema', { responseFormat: 'json_schema' }, { ...plain, response_format: schema }, true],
    ['another format', { responseFormat: 'json_object' }, { ...plain, response_format: schema }, false],
    [
      'with others: all, any, not',
      { all: [{ model: 'gpt-5' }], any: [{ turn: 9 }, { stream: false }], not: { system: 'x' } },
      plain,
      true,
    ],
  ];
  for (const [what, match, body, wanted] of table) {
    await using made = await openLlmWorld('openai', {
      handlers: [{ id: 'x', match, reply: { text: 'YES', status: 299 } }],
    });
    t.equal((await made.ask('POST', '/v1/chat/completions', body)).status === 299, wanted, what);
  }
  await using made = await openLlmWorld('openai', {
    handlers: [{ id: 'x', match: { stream: false }, reply: { status: 299 } }],
  });
  t.equal((await made.ask('GET', '/v1/models')).status, 200, 'none of them fits what no model answers');
});

t.test('[2.3] counts by conversation, by key and by world', async t => {
  const replies = [{ text: '1' }, { text: '2' }];
  const ask = async (scope: string): Promise<string[]> => {
    await using made = await openLlmWorld('openai', { scope, handlers: [{ id: 'x', match: {}, replies }] });
    const heard: string[] = [];
    for (const [key, content] of [
      ['a', 'x'],
      ['a', 'y'],
      ['b', 'x'],
    ] as const) {
      const openai = new OpenAI({ apiKey: key, fetch: made.fetch });
      heard.push((await openai.chat.completions.create(say(content))).choices[0]!.message.content!);
    }
    return heard;
  };
  t.same(await ask('world'), ['1', '2', '2']);
  t.same(await ask('key'), ['1', '2', '1']);
  t.same(await ask('conversation'), ['1', '1', '2']);
  await using made = await openLlmWorld('openai', {
    scope: 'key',
    handlers: [{ id: 'second', match: { call: 2 }, times: 1, reply: { text: 'twice' } }],
  });
  const heard: (string | null)[] = [];
  for (let n = 0; n < 3; n += 1)
    heard.push((await openaiOf(made).chat.completions.create(say('x'))).choices[0]!.message.content);
  t.same(heard, ['You said: x', 'twice', 'You said: x']);
});

t.test('[2.3] replies in words: structure, reasoning, usage, why it stopped, and headers beside', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      {
        id: 'json',
        match: { lastUser: 'json' },
        reply: {
          json: { a: [1, 2] },
          usage: { input: 5, output: 9, cached: 2 },
          headers: { 'x-mine': 'yes' },
        },
      },
      { id: 'cut', match: { lastUser: 'cut' }, reply: { text: 'so far', finish: 'length' } },
      { id: 'no', match: { lastUser: 'no' }, reply: { text: 'I cannot.', finish: 'refusal' } },
      { id: 'chunks', match: { lastUser: 'chunks' }, reply: { stream: { chunks: ['a', 'bc', 'd'] } } },
    ],
  });
  const openai = openaiOf(made);
  const { data: json, response } = await openai.chat.completions.create(say('json')).withResponse();
  t.match(json, {
    choices: [{ message: { content: '{"a":[1,2]}' } }],
    usage: {
      prompt_tokens: 5,
      completion_tokens: 9,
      total_tokens: 14,
      prompt_tokens_details: { cached_tokens: 2 },
    },
  });
  t.equal(response.headers.get('x-mine'), 'yes');
  t.equal((await openai.chat.completions.create(say('cut'))).choices[0]!.finish_reason, 'length');
  t.match((await openai.chat.completions.create(say('no'))).choices[0]!.message, {
    content: null,
    refusal: 'I cannot.',
  });
  const deltas: string[] = [];
  for await (const chunk of await openai.chat.completions.create({ ...say('chunks'), stream: true })) {
    const { content } = chunk.choices[0]!.delta;
    if (content) deltas.push(content);
  }
  t.same(deltas, ['a', 'bc', 'd']);
});

t.test('[2.3] errors: before an answer, in the middle of a stream, a cut, a stall', async t => {
  const error = { status: 529, type: 'overloaded_error', message: 'Overloaded' };
  const handlers = [
    { id: 'first', match: { lastUser: 'first' }, reply: { error: { ...error, retryAfter: 3 } } },
    {
      id: 'middle',
      match: { lastUser: 'middle' },
      reply: { text: 'one two three', error, stream: { cutAfterChunks: 2 } },
    },
    { id: 'end', match: { lastUser: 'end' }, reply: { text: 'one two three', error } },
    {
      id: 'cut',
      match: { lastUser: 'cut' },
      reply: { text: 'one two three', stream: { cutAfterChunks: 1 } },
    },
    { id: 'reset', match: { lastUser: 'reset' }, reply: { text: 'one two', error: 'reset' } },
    {
      id: 'stall',
      match: { lastUser: 'stall' },
      reply: { text: 'one two', error: 'timeout', stream: { cutAfterChunks: 1 } },
    },
    { id: 'gone', match: { lastUser: 'gone' }, reply: { error: 'reset' } },
    {
      id: 'long',
      match: { lastUser: 'long' },
      reply: { text: 'one two three', stream: { cutAfterChunks: 9 } },
    },
  ];
  for (const vendor of ['openai', 'anthropic'] as const) {
    await using made = await openLlmWorld(vendor, { handlers });
    const heard = async (
      content: string,
      signal?: AbortSignal,
    ): Promise<{ text: string; failed: string | null }> => {
      let text = '';
      try {
        if (vendor === 'openai') {
          const stream = await openaiOf(made).chat.completions.create(
            { ...say(content), stream: true },
            { signal },
          );
          for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
        } else {
          const stream = anthropicOf(made).messages.stream(
            { model: 'claude-opus-4-5', max_tokens: 50, messages: [{ role: 'user', content }] },
            { signal },
          );
          stream.on('text', piece => {
            text += piece;
          });
          await stream.done();
        }
        return { text, failed: null };
      } catch (thrown) {
        return { text, failed: String((thrown as Error).message) };
      }
    };
    t.match(await heard('first'), { text: '', failed: /529.*Overloaded/ }, vendor);
    t.match(await heard('middle'), { text: 'one two', failed: /Overloaded/ }, vendor);
    t.match(await heard('end'), { text: 'one two three', failed: /Overloaded/ }, vendor);
    t.match(await heard('cut'), { text: 'one', failed: /terminated|error/i }, vendor);
    t.match(await heard('reset'), { text: 'one two', failed: /terminated|error/i }, vendor);
    t.match(await heard('gone'), { text: '', failed: /Connection error/ }, vendor);
    t.same(await heard('long'), { text: 'one two three', failed: null }, vendor);
    const abort = new AbortController();
    const stalled = heard('stall', abort.signal);
    while (made.open() === 0) await new Promise(setImmediate);
    abort.abort();
    await stalled;
    t.equal(made.open(), 0, `${vendor}: a client that leaves ends a stream that stalls`);
    const whole = await made.ask(
      'POST',
      vendor === 'openai' ? '/v1/chat/completions' : '/v1/messages',
      {
        model: 'm',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'middle' }],
      },
      { headers: { authorization: 'Bearer k', 'anthropic-version': '2023-06-01' } },
    );
    t.equal(whole.status, 529, 'without a stream, the error alone');
  }
});

t.test('[2.3] a pace: delays before the first piece and between', async t => {
  await using made = await openLlmWorld('openai', {
    defaults: { chunkDelayMs: 20 },
    handlers: [{ id: 'slow', match: {}, reply: { text: 'a b c', stream: { firstDelayMs: 60 } } }],
  });
  const began = performance.now();
  const at: number[] = [];
  for await (const chunk of await openaiOf(made).chat.completions.create({ ...say('x'), stream: true })) {
    if (chunk.choices[0]?.delta.content) at.push(performance.now() - began);
  }
  t.equal(at.length, 3);
  t.ok(at[0]! >= 55, `${at}`);
  t.ok(at[2]! - at[0]! >= 35, `${at}`);
});

t.test('[2.3] an abort in the middle of a stream ends it at its source', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [{ id: 'slow', match: {}, reply: { text: 'a b c d', stream: { chunkDelayMs: 60_000 } } }],
  });
  const stream = await openaiOf(made).chat.completions.create({ ...say('x'), stream: true });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
  t.equal(made.open(), 0);
});

t.test('[2.3] what no handler takes is told with the nearest, by name and never by value', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      { id: 'far', match: { model: 'other', lastUser: 'x', turn: 4 }, reply: {} },
      { id: 'near', match: { model: 'gpt-5', toolResult: 'x' }, reply: {} },
    ],
  });
  await openaiOf(made).chat.completions.create(say('my secret'));
  const { unmatched, unmatchedTotal } = await made.scenario();
  t.equal(unmatchedTotal, 1);
  t.match(unmatched[0], { nearest: { id: 'near', failed: ['toolResult'] } });
  t.same(
    unmatched[0].features.filter((name: string) => !name.startsWith('body.')),
    ['endpoint', 'model', 'lastUser'],
  );
  t.notMatch(JSON.stringify(unmatched), /secret/);
  await using strict = await openLlmWorld('openai', { unmatched: 'error', handlers: [] });
  await t.rejects(openaiOf(strict).chat.completions.create(say('x')), {
    status: 404,
    code: 'wrld_unmatched_request',
  });
  await using soft = await openLlmWorld('openai', { unmatched: { text: 'the rest' }, handlers: [] });
  t.equal((await openaiOf(soft).chat.completions.create(say('x'))).choices[0]!.message.content, 'the rest');
});

t.test(
  '[2.3] another document is in force from the next call; a bad one changes nothing and is told',
  async t => {
    await using made = await openLlmWorld('openai', {
      handlers: [{ id: 'x', match: {}, times: 1, reply: { text: 'one' } }],
    });
    const heard = async (): Promise<string | null> =>
      (await openaiOf(made).chat.completions.create(say('x'))).choices[0]!.message.content;
    t.same([await heard(), await heard()], ['one', 'You said: x']);
    const { hash } = await made.scenario();
    const same = JSON.stringify({
      version: 1,
      handlers: [{ id: 'x', match: {}, times: 1, reply: { text: 'one' } }],
    });
    t.ok(made.mounted.load(same).ok);
    t.equal(await heard(), 'You said: x', 'the same content goes on counting');
    t.notOk(made.mounted.load('{"version":1,"handlers":[{"id":"x","match":{"modle":"m"},"reply":{}}]}').ok);
    const bad = await made.scenario();
    t.equal(bad.hash, hash);
    t.match(bad.fault.faults, [
      { pointer: '/handlers/0/match/modle', message: /^is not known here; there are .*model/ },
    ]);
    t.ok(made.mounted.load('{"version":1,"handlers":[{"id":"y","match":{},"reply":{"text":"two"}}]}').ok);
    t.equal(await heard(), 'two');
    const good = await made.scenario();
    t.not(good.hash, hash);
    t.equal(good.fault, undefined);
    t.same(
      good.handlers.map(({ id, matched }: { id: string; matched: number }) => [id, matched]),
      [['y', 1]],
    );
    t.ok(made.mounted.load(null).ok);
    t.equal(await heard(), 'You said: x');
  },
);

t.test('[2.3] faults in what only a generative twin takes', t => {
  const faults = (match: object, reply: object, more: object = {}): readonly string[] => {
    const checked = checkHandlers(
      { version: 1, ...more, handlers: [{ id: 'a', match, reply }] },
      { generative: true },
    );
    return checked.ok ? [] : checked.faults.map(({ pointer }) => pointer);
  };
  const table: readonly (readonly [object, object, readonly string[]])[] = [
    [{ tool: {} }, {}, ['/handlers/0/match/tool']],
    [{ tool: { offered: [1] } }, {}, ['/handlers/0/match/tool/offered/0']],
    [{ toolResult: { name: 'a', id: 'b' } }, {}, ['/handlers/0/match/toolResult/id']],
    [{ turn: 0 }, {}, ['/handlers/0/match/turn']],
    [{ stream: 'yes' }, {}, ['/handlers/0/match/stream']],
    [{ responseFormat: 'xml' }, {}, ['/handlers/0/match/responseFormat']],
    [{ lastUser: { regex: '(?=a)' } }, {}, ['/handlers/0/match/lastUser/regex']],
    [{}, { text: 'a', json: 1 }, ['/handlers/0/reply']],
    [{}, { toolCalls: [{ arguments: {} }] }, ['/handlers/0/reply/toolCalls/0']],
    [{}, { toolCalls: [{ name: 'a', args: {} }] }, ['/handlers/0/reply/toolCalls/0/args']],
    [{}, { embedding: [1, 'a'] }, ['/handlers/0/reply/embedding']],
    [{}, { embedding: [] }, ['/handlers/0/reply/embedding']],
    [{}, { usage: { tokens: 1 } }, ['/handlers/0/reply/usage/tokens']],
    [{}, { text: 'abc', stream: { chunks: ['a', 'c'] } }, ['/handlers/0/reply/stream/chunks']],
    [{}, { stream: { chunkSize: 0 } }, ['/handlers/0/reply/stream/chunkSize']],
    [{}, { stream: { cutAfterChunks: -1 } }, ['/handlers/0/reply/stream/cutAfterChunks']],
    [
      { tool: { offered: 'a' }, toolResult: { text: 'a' } },
      { text: 'a', error: 'reset', stream: { chunks: ['a'] } },
      [],
    ],
  ];
  for (const [match, reply, pointers] of table)
    t.same(faults(match, reply), pointers, JSON.stringify([match, reply]));
  t.same(faults({}, {}, { scope: 'conversation', defaults: { chunkSize: 3, chunkDelayMs: 1 } }), []);
  t.same(faults({}, {}, { scope: 'planet' }), ['/scope']);
  t.end();
});
