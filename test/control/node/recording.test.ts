// An app's exchanges with a real vendor, recorded and said again: end to end, against a world of another process in the
// vendor's place, which knows nothing of the one that records.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import type { RunningControl } from '../../../control/node/control.ts';
import { cleanEnv, wrldWords } from '../../kit/command-line.ts';
import { openWorldFolders, startQuietly } from '../../kit/control-world.ts';

const KEY = ['sk', '-proj-', 'mine0123456789abcdef'].join('');
const LEAKED = ['sk', '_live_', 'aB3dE5gH7jK9mN1pQ2rS4'].join('');

type Vendor = { readonly url: string; readonly token: string; readonly child: ChildProcess };

async function startVendor(asked: object): Promise<Vendor> {
  const [program, ...args] = wrldWords('world', 'test');
  const child = spawn(program!, args, { env: cleanEnv(), stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout! });
  child.stdin!.write(`${JSON.stringify(asked)}\n`);
  const [line] = (await once(lines, 'line')) as [string];
  return { ...(JSON.parse(line) as Omit<Vendor, 'child'>), child };
}

const vendor = await startVendor({
  twins: ['openai', 'stripe'],
  handlers: {
    openai: {
      version: 1,
      defaults: { chunkDelayMs: 5 },
      handlers: [
        {
          id: 'broken',
          match: { lastUser: 'break' },
          reply: { text: 'one two three', stream: { cutAfterChunks: 2 } },
        },
        {
          id: 'limit',
          match: { lastUser: 'limit' },
          reply: { error: { status: 429, type: 'tokens', message: 'slow', retryAfter: 7 } },
        },
        {
          id: 'tells',
          match: { endpoint: 'chat.completions' },
          reply: { text: `It is ${LEAKED}, said the model.` },
        },
      ],
    },
  },
});
t.teardown(async () => {
  vendor.child.stdin!.end();
  await once(vendor.child, 'exit');
});

/** What a vendor's own gate is: it takes the app's key for the world's token, and sees what came. */
const asked: string[] = [];
function gate(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { authorization, host: _, ...headers } = incoming.headers;
  asked.push(`${incoming.method} ${incoming.url} ${authorization} ${headers['x-twins-key'] ?? ''}`);
  const onward = request(`${vendor.url}/openai${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers: { ...headers, 'x-wrld-token': vendor.token },
  });
  onward.on('response', answer => {
    outgoing.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
    answer.pipe(outgoing);
    answer.on('aborted', () => outgoing.destroy());
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}
const gateway = createServer(gate);
await once(gateway.listen(0, '127.0.0.1'), 'listening');
t.teardown(() => gateway.close());
const AT = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;

const folders = await openWorldFolders(t);
const folder = await folders.world({
  name: 'acme/shop',
  services: {
    openai: { twin: 'openai', colocate: { scenarioPath: 'openai.json' } },
    stripe: { twin: 'stripe' },
  },
});
const control: RunningControl = await startQuietly(folder);
t.teardown(() => control[Symbol.asyncDispose]());
const token = (await readFile(join(folder, '.wrld', 'token'), 'utf8')).split('\n')[0]!.trim();

type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };

async function own(
  method: string,
  path: string,
  body?: object,
): Promise<Answer & { readonly json: Record<string, unknown> }> {
  const answer = await fetch(`${control.baseUrl}/-/acme/shop/${path}`, {
    method,
    headers: { 'x-wrld-token': token },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) };
}

/** As an app does that was given the twin's URL. `cut`: the answer broke off, after that text. */
async function app(
  twin: string,
  method: string,
  path: string,
  body?: object | Uint8Array,
  key = KEY,
): Promise<Answer & { readonly cut: boolean }> {
  const answer = await fetch(`${control.baseUrl}/acme/shop/${twin}${path}`, {
    method,
    headers: {
      'x-twins-key': token,
      authorization: `Bearer ${key}`,
      ...(body !== undefined && {
        'content-type': body instanceof Uint8Array ? 'application/octet-stream' : 'application/json',
      }),
    },
    ...(body !== undefined && {
      body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
    }),
  });
  let text = '';
  let cut = false;
  try {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString('latin1');
  } catch {
    cut = true;
  }
  return { status: answer.status, headers: answer.headers, text, cut };
}

const chat = (content: string, more: object = {}) => ({
  model: 'gpt-4o',
  messages: [{ role: 'user', content }],
  ...more,
});

t.test(
  '[7.2] nothing is opened that is not granted: the refusal says what to grant, and nobody is asked',
  async t => {
    t.match((await own('PUT', 'twins/openai/recording', {})).json, { to: 'openai.json', at: null, kept: 0 });
    const refused = await app('openai', 'POST', '/v1/chat/completions', chat('hi'));
    t.equal(refused.status, 502);
    t.equal(refused.headers.get('x-wrld-world-refusal'), 'grant');
    t.match(refused.text, /POST https:\/\/api\.openai\.com\/v1\/chat\/completions/);
    t.match(refused.text, /runtime\.network\.writes/);
    t.match((await own('GET', 'recordings')).json, {
      recordings: [
        { twin: 'openai', kept: 0, unkept: 1, why: [{ method: 'POST', message: /^not-granted/ }] },
      ],
    });
    t.match(await own('PUT', 'twins/openai/recording', {}), {
      status: 409,
      json: { error: { code: 'recording' } },
    });
    t.match(await own('DELETE', 'twins/openai/recording'), { status: 200, json: { kept: 0 } });
    t.match(await own('DELETE', 'twins/openai/recording'), { status: 404 });
    t.strictSame(asked, []);
  },
);

const said: { readonly [name: string]: Answer & { readonly cut: boolean } } = {};
const put = (name: string, answer: Answer & { readonly cut: boolean }): void =>
  void Object.assign(said, { [name]: answer });
const ASKS: readonly (readonly [name: string, method: string, path: string, body?: object | Uint8Array])[] = [
  ['models', 'GET', '/v1/models'],
  ['answer', 'POST', '/v1/chat/completions', chat('hi', { user: `my key is ${KEY}` })],
  ['stream', 'POST', '/v1/chat/completions', chat('hi', { stream: true })],
  ['broken', 'POST', '/v1/chat/completions', chat('break', { stream: true })],
  ['limit', 'POST', '/v1/chat/completions', chat('limit')],
  [
    'speech',
    'POST',
    '/v1/audio/speech',
    { model: 'tts-1', voice: 'alloy', input: 'hi', response_format: 'wav' },
  ],
  ['missing', 'GET', '/v1/models/none'],
];

t.test('what the vendor says comes as it is, and is kept with its secrets masked', async t => {
  t.match(await own('PUT', 'twins/openai/recording', { at: `${AT}/`, strict: true }), {
    status: 200,
    json: { at: AT },
  });
  for (const [name, method, path, body] of ASKS) put(name, await app('openai', method, path, body));
  t.match(said['answer']?.text, LEAKED, 'the app has what the vendor said');
  t.ok(said['broken']?.cut);
  t.match(said['limit'], { status: 429 });
  t.equal(said['speech']?.text.slice(0, 4), 'RIFF');
  t.match(
    asked[0],
    `GET /v1/models Bearer ${KEY} `,
    'asked with the app’s own key, and nothing of this world’s',
  );
  t.match((await own('DELETE', 'twins/openai/recording')).json, { kept: ASKS.length, unkept: 0 });
  const text = await readFile(join(folder, 'openai.json'), 'utf8');
  t.notMatch(text, KEY.slice(8));
  t.notMatch(text, LEAKED.slice(8));
  t.notMatch(text, token);
});

t.test('replayed it is what it was, with another key, and the vendor is asked no more', async t => {
  const before = asked.length;
  const other = 'another-key-of-no-shape';
  for (const [name, method, path, body] of ASKS) {
    const sent = name === 'answer' ? chat('hi', { user: `my key is ${other}` }) : body;
    const again = await app('openai', method, path, sent, other);
    const first = said[name]!;
    t.equal(again.status, first.status, name);
    t.equal(again.cut, first.cut, name);
    t.equal(again.headers.get('content-type'), first.headers.get('content-type'), name);
    t.equal(again.headers.get('x-request-id'), first.headers.get('x-request-id'), name);
    const masked = first.text.replaceAll(LEAKED, 'masked-stripe-key');
    if (name !== 'stream') t.equal(again.text, masked, name);
  }
  t.equal(asked.length, before);
  const words = (text: string): string =>
    [...text.matchAll(/"delta":\{[^}]*"content":"([^"]*)"/g)].map(match => match[1]).join('');
  t.equal(
    words((await app('openai', 'POST', '/v1/chat/completions', chat('hi', { stream: true }))).text),
    'It is masked-stripe-key, said the model.',
  );
});

t.test(
  'strict: what was not recorded is refused in the vendor’s shape, which says what was nearest',
  async t => {
    const refused = await app('openai', 'POST', '/v1/chat/completions', chat('hello'));
    t.equal(refused.status, 404);
    t.match(JSON.parse(Buffer.from(refused.text, 'latin1').toString()), {
      error: {
        code: 'wrld_unmatched_request',
        message:
          /Nearest is “recorded 5: POST \/v1\/chat\/completions”, which is another in body\.messages\.0\.content\./,
      },
    });
  },
);

t.test('a file of one’s own: torn, edited, or where none may be, it is said and left as it is', async t => {
  const record = (to: string) => own('PUT', 'twins/stripe/recording', { to, at: AT });
  await writeFile(join(folder, 'torn.json'), '{"version":1,"handlers":[{"id":"a');
  await writeFile(
    join(folder, 'edited.json'),
    '{"version":1,"handlers":[{"id":"a","match":{"exact":{"method":"GET","path":"/a"}},"reply":{"raw":{"base64":"%"}}}]}',
  );
  t.match(await record('torn.json'), {
    status: 400,
    json: {
      error: { code: 'bad-handlers', message: /^torn\.json is there and cannot be added to.*not JSON/ },
    },
  });
  t.match(await record('edited.json'), {
    status: 400,
    json: { error: { message: /edited\.json\/handlers\/0\/reply\/raw\/base64: is no Base64/ } },
  });
  for (const to of ['../out.json', '/etc/x.json', '.wrld/world.json', 'a.txt', ''])
    t.match(await record(to), { status: 400, json: { error: { code: 'bad-file' } } }, to);
  t.match(await own('PUT', 'twins/stripe/recording', {}), {
    status: 400,
    json: { error: { message: /--to recordings\/stripe\.json/ } },
  });
  t.match(await own('PUT', 'twins/none/recording', {}), { status: 404 });
  t.match(await own('PUT', 'twins/openai/recording', { at: 'ftp://x' }), {
    status: 400,
    json: { error: { code: 'bad-at' } },
  });
  t.match(await own('PUT', 'twins/openai/recording', { strict: 1 }), { status: 400 });
  t.match(await own('PUT', 'twins/openai/recording', { at: 1 }), { status: 400 });
  t.equal(await readFile(join(folder, 'torn.json'), 'utf8'), '{"version":1,"handlers":[{"id":"a');
  t.match(await record('recordings/stripe.json'), {
    status: 200,
    json: { to: join('recordings', 'stripe.json') },
  });
  t.match(await own('DELETE', 'twins/stripe/recording'), { status: 200, json: { kept: 0 } });
  t.strictSame(JSON.parse(await readFile(join(folder, 'recordings', 'stripe.json'), 'utf8')), {
    version: 1,
    handlers: [],
  });
});

t.test('a vendor that is away is said to be, in its own shape', async t => {
  await own('PUT', 'twins/openai/recording', { at: 'http://127.0.0.1:1' });
  const answer = await app('openai', 'GET', '/v1/models');
  t.equal(answer.status, 502);
  t.match(JSON.parse(answer.text), { error: { code: 'wrld_vendor_away' } });
  t.match((await own('DELETE', 'twins/openai/recording')).json, { kept: 0, unkept: 1 });
});
