// The realtime socket as plain values, asked by the vendor's own SDK over a real WebSocket: this test's server hands
// each message to the twin in a transaction of a real world, as a host does.
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import t from 'tap';
import { WebSocketServer } from 'ws';
import { openAlarms } from '../../../control/node/alarms.ts';
import { digest } from '../../../control/node/digest.ts';
import { openEntropy } from '../../../control/node/entropy.ts';
import { openSqlite } from '../../../control/node/sqlite.ts';
import { wallClock } from '../../../control/node/wall-clock.ts';
import { openWorld } from '../../../control/world/open-world.ts';
import type { Call } from '../../../twins/kit/call.ts';
import { mountTwin } from '../../../twins/kit/mount.ts';
import type { SocketAct, TwinSocket } from '../../../twins/kit/socket.ts';
import type { Twin } from '../../../twins/kit/twin.ts';
import type { Tx } from '../../../twins/kit/tx.ts';
import { openaiTwin } from '../../../twins/openai/twin.ts';
import { memoryBlobs } from '../../kit/memory-blobs.ts';
import { receiver } from '../../kit/receiver.ts';
import { createTestAuthority } from '../../kit/test-ca.ts';

// The SDK opens its socket over TLS only.
const authority = await createTestAuthority();
const leaf = await authority.leaf(['127.0.0.1']);

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an event
type Event = any;
type Talk = AsyncDisposable & {
  readonly send: (event: object) => void;
  /** The next event. */
  readonly next: () => Promise<Event>;
  /** Events up to one of that type, which is the last. */
  readonly until: (type: string) => Promise<Event[]>;
  readonly closed: Promise<number>;
  readonly kinds: () => Promise<string[]>;
};

async function talk(handlers: object | null, path = '/v1/realtime?model=gpt-realtime'): Promise<Talk> {
  const mounted = mountTwin(openaiTwin, null);
  if (handlers !== null) t.ok(mounted.load(JSON.stringify({ version: 1, ...handlers })).ok);
  let work: ((tx: Tx) => unknown) | null = null;
  // A world runs calls; one that carries no request runs the socket's work in its transaction.
  const twin: Twin = { ...mounted.twin, respond: mounted.twin.respond };
  const sql = openSqlite(':memory:');
  const quiet = (): void => undefined;
  const world = await openWorld({
    name: 'acme/talk',
    sql,
    durability: sql,
    blobs: memoryBlobs(),
    digest,
    wall: wallClock,
    alarms: openAlarms(wallClock),
    entropy: openEntropy(),
    outbound: receiver(() => ({ ok: true, status: 200, ms: 1 })),
    processLog: { debug: quiet, info: quiet, warn: quiet, error: fields => t.fail(JSON.stringify(fields)) },
    twins: [
      {
        id: 'openai',
        package: null,
        twin: {
          twin,
          respond: (_call, tx) => {
            work?.(tx);
            return { status: 200, headers: [], body: null };
          },
        },
      },
    ],
  });
  const within = async <T>(call: Call, act: (tx: Tx) => T): Promise<T> => {
    let made: T | undefined;
    work = tx => {
      made = act(tx);
    };
    await world.call('openai', call);
    return made as T;
  };
  const server = createServer(leaf);
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', async (request, socket, head) => {
    const [bare = '', query = ''] = (request.url ?? '').split('?');
    const call: Call = {
      method: 'GET',
      host: 'api.openai.com',
      via: 'host',
      path: bare,
      query,
      headers: request.headers,
      body: new Uint8Array(),
      caller: 'token',
      scope: 'write',
      trace: { traceId: '0'.repeat(32), spanId: '1'.repeat(16), parentId: null },
    };
    const answer = await within(call, tx => twin.upgrade!(call, tx));
    if ('status' in answer) {
      socket.end(`HTTP/1.1 ${answer.status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    let twinSocket: TwinSocket = answer;
    let messages = 0;
    sockets.handleUpgrade(request, socket, head, ws => {
      let line = Promise.resolve();
      const perform = (acts: readonly SocketAct[]): void => {
        for (const act of acts) {
          line = line.then(async () => {
            if ('interrupt' in act)
              return act.otherwise.forEach(each => 'send' in each && ws.send(each.send));
            if (act.afterMs !== undefined) await new Promise(resolve => setTimeout(resolve, act.afterMs));
            if ('send' in act) ws.send(act.send);
            else ws.close(act.close.code, act.close.reason);
          });
        }
      };
      void within(call, tx => twinSocket.open(tx)).then(perform);
      ws.on('message', data => {
        const acts = within(call, tx => {
          // A host may put it away before any message: here it does before each second one.
          messages += 1;
          if (messages % 2 === 0) twinSocket = twin.resume!(call, twinSocket.kept!(), tx);
          return twinSocket.message(String(data), tx);
        });
        void acts.then(perform);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const openai = new OpenAI({
    apiKey: 'sk-test',
    baseURL: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
  });
  const model = new URLSearchParams(path.split('?')[1]).get('model') ?? '';
  const rt = new OpenAIRealtimeWS({ model, options: { ca: authority.pem } }, openai);
  const heard: Event[] = [];
  let wake: () => void = () => undefined;
  rt.on('event', event => {
    heard.push(event);
    wake();
  });
  rt.on('error', () => undefined);
  const closed = new Promise<number>(resolve => rt.socket.on('close', code => resolve(code)));
  const next = async (): Promise<Event> => {
    while (heard.length === 0) {
      await new Promise<void>(resolve => {
        wake = resolve;
      });
    }
    return heard.shift();
  };
  return {
    send: event => rt.send(event as Parameters<typeof rt.send>[0]),
    next,
    until: async type => {
      const events: Event[] = [];
      do events.push(await next());
      while (events.at(-1).type !== type);
      return events;
    },
    closed,
    kinds: async () => (await world.log('openai', 0))!.entries.map(({ kind }) => kind),
    [Symbol.asyncDispose]: async () => {
      rt.socket.terminate();
      sockets.close();
      server.close();
      server.closeAllConnections();
      await world.close();
      sql.close();
    },
  };
}

const user = (text: string): object => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

t.test('a session: made, changed, spoken to, answered in deltas', async t => {
  await using rt = await talk(null);
  t.match(await rt.next(), {
    type: 'session.created',
    event_id: /^event_/,
    session: { type: 'realtime', model: 'gpt-realtime', id: /^sess_/ },
  });
  rt.send({
    type: 'session.update',
    session: { type: 'realtime', output_modalities: ['text'], instructions: 'Be brief.' },
  });
  t.match(await rt.next(), {
    type: 'session.updated',
    session: { instructions: 'Be brief.', output_modalities: ['text'] },
  });
  rt.send(user('Hello there'));
  t.match(await rt.next(), {
    type: 'conversation.item.added',
    previous_item_id: null,
    item: { role: 'user', id: /^item_/ },
  });
  t.match(await rt.next(), { type: 'conversation.item.done' });
  rt.send({ type: 'response.create' });
  const events = await rt.until('rate_limits.updated');
  t.same(
    events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]),
    [
      'response.created',
      'response.output_item.added',
      'conversation.item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'conversation.item.done',
      'response.done',
      'rate_limits.updated',
    ],
  );
  const said = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
  t.equal(said.join(''), 'You said: Hello there');
  t.match(events.at(-2).response, {
    status: 'completed',
    output: [{ content: [{ type: 'output_text', text: 'You said: Hello there' }] }],
    usage: { total_tokens: Number },
  });
  t.same(await rt.kinds(), ['conversation.item.added', 'response.done'], 'one entry a write');
});

t.test('[2.3] handlers speak, call functions and read their results', async t => {
  await using rt = await talk({
    scope: 'conversation',
    handlers: [
      {
        id: 'call',
        match: { endpoint: 'realtime', lastUser: 'weather', toolResult: false },
        reply: { toolCalls: [{ name: 'look', arguments: { city: 'Oslo' }, id: 'call_1' }] },
      },
      {
        id: 'told',
        match: { toolResult: { name: 'look', text: 'rain' }, turn: 2 },
        reply: { text: 'It rains.', stream: { chunkDelayMs: 5 } },
      },
    ],
  });
  await rt.next();
  rt.send({
    type: 'session.update',
    session: {
      type: 'realtime',
      output_modalities: ['audio'],
      tools: [{ type: 'function', name: 'look', parameters: {} }],
    },
  });
  rt.send(user('weather'));
  rt.send({ type: 'response.create' });
  const called = await rt.until('response.done');
  t.match(
    called.find(({ type }) => type === 'response.function_call_arguments.done'),
    { name: 'look', call_id: 'call_1', arguments: '{"city":"Oslo"}' },
  );
  await rt.next();
  rt.send({
    type: 'conversation.item.create',
    item: { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
  });
  rt.send({ type: 'response.create' });
  const told = await rt.until('response.done');
  t.ok(told.some(({ type }) => type === 'response.output_audio.delta'));
  t.match(
    told.find(({ type }) => type === 'response.output_audio_transcript.done'),
    { transcript: 'It rains.' },
  );
});

t.test('audio: what is said is a transcript beside silence; what is heard is an honest error', async t => {
  await using rt = await talk(null);
  await rt.next();
  const error = { type: 'error', error: { code: 'unsupported_audio', message: /hears no audio/ } };
  rt.send({ type: 'input_audio_buffer.append', audio: 'AAAA' });
  t.match(await rt.next(), error);
  for (let n = 0; n < 20; n += 1) rt.send({ type: 'input_audio_buffer.append', audio: 'AAAA' });
  rt.send({ type: 'input_audio_buffer.commit' });
  t.match(await rt.next(), error, 'once for all that came, and when it is to be a turn');
  const spoken = (part: object): object => ({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_audio', ...part }] },
  });
  rt.send(spoken({ audio: 'AAAA' }));
  t.match(await rt.next(), error);
  rt.send(spoken({ audio: 'AAAA', transcript: 'Hello there' }));
  await rt.until('conversation.item.done');
  rt.send({ type: 'response.create' });
  const events = await rt.until('response.done');
  t.match(
    events.find(({ type }) => type === 'response.output_audio_transcript.done'),
    { transcript: 'You said: Hello there' },
    'what comes with a transcript is heard',
  );
});

t.test('errors: what is not known, what is not there, a failure in the middle, a cut', async t => {
  const error = { status: 500, type: 'server_error', message: 'Broken.' };
  await using rt = await talk({
    handlers: [
      {
        id: 'broken',
        match: { lastUser: 'broken' },
        reply: { text: 'one two', error, stream: { cutAfterChunks: 1 } },
      },
      { id: 'cut', match: { lastUser: 'cut' }, reply: { text: 'one two', error: 'reset' } },
    ],
  });
  await rt.next();
  rt.send({ type: 'nonsense', event_id: 'mine' });
  t.match(await rt.next(), {
    type: 'error',
    error: {
      type: 'invalid_request_error',
      param: 'type',
      event_id: 'mine',
      message: /^Invalid value: 'nonsense'/,
    },
  });
  for (const [event, code] of [
    [{ type: 'session.update' }, 'missing_required_parameter'],
    [{ type: 'conversation.item.delete', item_id: 'item_x' }, 'item_not_found'],
    [{ type: 'input_audio_buffer.commit' }, 'input_audio_buffer_commit_empty'],
    [{ type: 'response.cancel' }, 'response_cancel_not_active'],
  ] as const) {
    rt.send(event);
    t.match(await rt.next(), { type: 'error', error: { code } }, code);
  }
  for (const [given, code, param] of [
    [{ item: { type: 'nonsense' } }, 'invalid_value', 'item.type'],
    [{ item: { type: 'message', role: 'nobody' } }, 'invalid_value', 'item.role'],
    [{ previous_item_id: 'item_x', item: { type: 'message', role: 'user' } }, 'item_not_found', 'item_id'],
  ] as const) {
    rt.send({ type: 'conversation.item.create', ...given });
    t.match(await rt.next(), { type: 'error', error: { code, param } });
  }
  rt.send({ type: 'response.create', response: { output_modalities: ['text', 'audio'] } });
  t.match(await rt.next(), { type: 'error', error: { param: 'response.output_modalities' } });
  const item = { id: 'mine', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] };
  rt.send({ type: 'conversation.item.create', item });
  await rt.until('conversation.item.done');
  rt.send({ type: 'conversation.item.create', item });
  t.match(await rt.next(), { type: 'error', error: { code: 'item_exists' } });
  rt.send({ type: 'conversation.item.retrieve', item_id: 'mine' });
  t.match(await rt.next(), { type: 'conversation.item.retrieved', item: { content: [{ text: 'x' }] } });
  rt.send({ type: 'conversation.item.delete', item_id: 'mine' });
  t.match(await rt.next(), { type: 'conversation.item.deleted' });
  t.same(await rt.kinds(), ['conversation.item.added', 'conversation.item.deleted'], 'errors are no entries');
  rt.send(user('broken'));
  rt.send({ type: 'response.create', response: { output_modalities: ['text'] } });
  const broken = await rt.until('response.done');
  t.equal(broken.filter(({ type }) => type === 'response.output_text.delta').length, 1);
  t.match(broken.at(-1).response, { status: 'failed', status_details: { error: { message: 'Broken.' } } });
  rt.send(user('cut'));
  rt.send({ type: 'response.create' });
  t.equal(await rt.closed, 1011);
});
