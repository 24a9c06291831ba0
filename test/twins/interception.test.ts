// Both SDKs as an app has them, with nothing set but the proxy and the authority: control, proxy, TLS and store are
// the real ones. The handlers file is edited while the world runs.
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { setGlobalProxyFromEnv } from 'node:http';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import t from 'tap';
import { WebSocket } from 'ws';
import { startControl } from '../../control/node/control.ts';
import type { Log } from '../../control/ports/log.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
const logged: { readonly level: string; readonly message: string }[] = [];
let told: () => void = () => undefined;
const say = (level: string) => (_fields: object, message: string) => {
  logged.push({ level, message });
  told();
};
const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };

/** The next time that the log says so. */
async function logs(pattern: RegExp): Promise<void> {
  while (!logged.some(({ message }) => pattern.test(message))) {
    await new Promise<void>(resolve => {
      told = resolve;
    });
  }
}

const HANDLERS = join(folder, 'llm.json');
/** As editors save: beside, then in its place. */
async function save(document: object | string): Promise<void> {
  logged.length = 0;
  const text = typeof document === 'string' ? document : JSON.stringify({ version: 1, ...document });
  await writeFile(`${HANDLERS}.new`, text);
  await rename(`${HANDLERS}.new`, HANDLERS);
}

await mkdir(join(folder, '.wrld'), { recursive: true });
const service = { colocate: { scenarioPath: 'llm.json' } };
await writeFile(
  join(folder, '.wrld', 'world.json'),
  JSON.stringify({
    name: 'acme/chat',
    services: { openai: { twin: 'openai', ...service }, anthropic: { twin: 'anthropic', ...service } },
  }),
);
await save({
  handlers: [
    {
      id: 'slow',
      match: { lastUser: 'slow', stream: true },
      reply: { text: 'a b c', stream: { chunkDelayMs: 60_000 } },
    },
    { id: 'cut', match: { lastUser: 'cut' }, reply: { text: 'a b c', stream: { cutAfterChunks: 1 } } },
    { id: 'reset', match: { lastUser: 'reset' }, reply: { error: 'reset' } },
    { id: 'hi', match: { lastUser: { contains: 'hi' } }, reply: { text: 'first' } },
  ],
});
const control = await startControl({ folder, host: '127.0.0.1', port: 0, proxyPort: 0, sandbox: true, log });
const restore = setGlobalProxyFromEnv({ https_proxy: control.proxyUrl });
setDefaultCACertificates([await readFile(control.caFile, 'utf8')]);
t.teardown(async () => {
  restore();
  await control.close();
  await rm(folder, { recursive: true, force: true });
});

const openai = new OpenAI({ apiKey: 'sk-test', maxRetries: 0 });
const anthropic = new Anthropic({ apiKey: 'sk-test', maxRetries: 0 });
const chat = (content: string): { model: string; messages: { role: 'user'; content: string }[] } => ({
  model: 'gpt-5',
  messages: [{ role: 'user', content }],
});
const message = (content: string) => ({ ...chat(content), model: 'claude-opus-4-5', max_tokens: 50 });

t.test('[1] at the vendors’ own hosts, whole and streamed, seen by a second client', async t => {
  const { id } = await openai.responses.create({ model: 'gpt-5', input: 'hi' });
  t.equal((await new OpenAI({ apiKey: 'sk-other' }).responses.retrieve(id)).output_text, 'first');
  t.equal(await openai.chat.completions.stream(chat('hello you')).finalContent(), 'You said: hello you');
  t.equal(await anthropic.messages.stream(message('hello you')).finalText(), 'You said: hello you');
  const bytes = new Uint8Array(300_000).map((_, at) => at % 251);
  const file = await openai.files.create({ file: await toFile(bytes, 'a.bin'), purpose: 'user_data' });
  t.same(new Uint8Array(await (await openai.files.content(file.id)).arrayBuffer()), bytes);
});

t.test(
  '[2.3] an edit is in force from the next call; a bad one is told, and the last good one stays',
  async t => {
    t.equal((await openai.chat.completions.create(chat('hi'))).choices[0]!.message.content, 'first');
    await save({ handlers: [{ id: 'hi', match: {}, reply: { text: 'second' } }] });
    await logs(/llm\.json is in force/);
    t.equal((await openai.chat.completions.create(chat('hi'))).choices[0]!.message.content, 'second');
    await save('{"version":1,"handlers":[{"id":"hi","match":{},"replay":{}}]}');
    await logs(/llm\.json has faults[\s\S]*handlers\/0\/replay: is not known here/);
    t.equal((await openai.chat.completions.create(chat('hi'))).choices[0]!.message.content, 'second');
    const scenario = await fetch(`${control.worldUrl}/openai/twin/scenario`, {
      headers: { 'x-twins-key': control.token },
    });
    t.match(await scenario.json(), {
      fault: { faults: [{ pointer: '/handlers/0/replay' }, { pointer: '/handlers/0' }] },
    });
    await save({
      handlers: [
        {
          id: 'slow',
          match: { lastUser: 'slow', stream: true },
          reply: { text: 'a b c', stream: { chunkDelayMs: 60_000 } },
        },
        { id: 'cut', match: { lastUser: 'cut' }, reply: { text: 'a b c', stream: { cutAfterChunks: 1 } } },
        { id: 'reset', match: { lastUser: 'reset' }, reply: { error: 'reset' } },
      ],
    });
    await logs(/llm\.json is in force/);
  },
);

t.test('streams that are cut, connections that are reset, clients that leave', async t => {
  logged.length = 0;
  let text = '';
  await t.rejects(async () => {
    for await (const chunk of await openai.chat.completions.create({ ...chat('cut'), stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
  });
  t.equal(text, 'a');
  await t.rejects(openai.chat.completions.create(chat('reset')), { message: /Connection error/ });
  for await (const chunk of await openai.chat.completions.create({ ...chat('slow'), stream: true })) {
    if (chunk.choices[0]?.delta.content) break;
  }
  const stream = anthropic.messages.stream(message('slow'));
  await new Promise<void>(resolve => stream.once('text', () => resolve()));
  stream.abort();
  await t.rejects(stream.done(), { message: /aborted/ });
  t.same(
    logged.filter(({ level }) => level === 'error'),
    [],
    'a cut that is meant is no error of ours',
  );
});

t.test('[7.2] realtime, over a WebSocket through the proxy, with the same handlers', async t => {
  await save({
    handlers: [
      {
        id: 'long',
        match: { endpoint: 'realtime', lastUser: 'long' },
        reply: { text: 'a b c', stream: { chunkDelayMs: 60_000 } },
      },
      { id: 'rt', match: { endpoint: 'realtime' }, reply: { text: 'Good day.' } },
    ],
  });
  await logs(/llm\.json is in force/);
  // `ws` reads no proxy variables of its own; an agent does.
  const agent = new Agent({ proxyEnv: { https_proxy: control.proxyUrl } });
  const rt = new OpenAIRealtimeWS({ model: 'gpt-realtime', options: { agent } }, openai);
  const done = new Promise<string>((resolve, reject) => {
    rt.on('error', reject);
    rt.on('session.created', () =>
      rt.send({ type: 'response.create', response: { output_modalities: ['text'] } }),
    );
    rt.on('response.done', ({ response }) => resolve(JSON.stringify(response.output)));
  });
  t.match(await done, /Good day\./);
  rt.send({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'long' }] },
  });
  rt.send({ type: 'response.create', response: { output_modalities: ['text'] } });
  await new Promise(resolve => rt.once('response.output_text.delta', resolve));
  const cancelled = new Promise<string | undefined>(resolve =>
    rt.once('response.done', ({ response }) => resolve(response.status)),
  );
  rt.send({ type: 'response.cancel' });
  t.equal(await cancelled, 'cancelled', 'in the middle of what it says');
  const closed = once(rt.socket, 'close');
  rt.close();
  await closed;
  agent.destroy();
});

t.test('[3] a branch’s WebSockets are its own, and end with it', async t => {
  const own = (path: string, token: string, method = 'GET'): Promise<Response> =>
    fetch(`${control.baseUrl}/-/${path}`, {
      method,
      headers: { 'x-wrld-token': token },
      ...(method === 'POST' && { body: '{}' }),
    });
  const made = await own('acme/chat/branches', control.token, 'POST');
  const { name, token } = (await made.json()) as { name: string; token: string };
  const url = `${control.baseUrl.replace('http', 'ws')}/${name}/openai/v1/realtime?model=gpt-realtime`;
  const headers = { authorization: 'Bearer sk-test', 'x-wrld-token': token };
  const ws = new WebSocket(url, { headers });
  const ended = once(ws, 'close');
  const [first] = await once(ws, 'message');
  t.match(JSON.parse(String(first)), { type: 'session.created' });
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'on the branch' }] };
  ws.send(JSON.stringify({ type: 'conversation.item.create', item }));
  await once(ws, 'message');
  const entries = async (world: string, key: string): Promise<{ kind: string }[]> =>
    (
      (await (await own(`${world}/diff`, key)).json()) as { changes: { entry: { kind: string } }[] }
    ).changes.map(({ entry }) => ({ kind: entry.kind }));
  t.strictSame(await entries(name, token), [{ kind: 'conversation.item.added' }]);
  t.equal((await own(`acme/chat/branches/${name}`, control.token, 'DELETE')).status, 204);
  const [code, reason] = await ended;
  t.strictSame([code, String(reason)], [1001, 'the world is gone']);
});
