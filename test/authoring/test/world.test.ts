// `wrld/test` as a suite uses it: one world for the file, brought back where a test needs it.
import { execFile, execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import t from 'tap';
import { openWorld, type RefusalError, story, type World } from '../../../authoring/test.ts';

const STRIPE = 'https://api.stripe.com/v1/customers';
const OPENAI = 'https://api.openai.com/v1/chat/completions';
const key = { authorization: 'Bearer sk_test_x' };
const SEEDED_AT = '2026-03-02T08:00:00.000Z';

const made = async (world: World, email: string): Promise<string> => {
  const answer = await world.fetch(STRIPE, {
    method: 'POST',
    headers: key,
    body: new URLSearchParams({ email }),
  });
  return ((await answer.json()) as { id: string }).id;
};

const customers = async (fetcher: typeof fetch): Promise<readonly string[]> => {
  const answer = await fetcher(STRIPE, { headers: key });
  return ((await answer.json()) as { data: { email: string }[] }).data.map(({ email }) => email);
};

const asked = async (world: World, content: string): Promise<{ status: number; said: string }> => {
  const answer = await world.fetch(OPENAI, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content }] }),
  });
  const body = (await answer.json()) as {
    choices?: { message: { content: string } }[];
    error?: { message: string };
  };
  return { status: answer.status, said: body.choices?.[0]?.message.content ?? body.error?.message ?? '' };
};

const world = await openWorld({
  twins: ['stripe', 'openai', 'smtp'],
  handlers: {
    openai: { handlers: [{ id: 'fixed', match: {}, times: 1, reply: { text: 'from the file' } }] },
  },
  clock: SEEDED_AT,
  seed: async filled => {
    await made(filled, 'ada@example.com');
    filled.on('openai', ({ said }) => (said?.lastUser === 'who?' ? 'the seed' : undefined));
  },
});
t.teardown(() => world.close());

t.test('reset comes back to the seed: records, clock, counts of handlers, calls, refusals', async t => {
  await made(world, 'bob@example.com');
  await world.clock.advance('3d');
  await world.fetch('https://api.elsewhere.example/');
  t.equal((await asked(world, 'hello')).said, 'from the file');
  t.not((await asked(world, 'hello')).said, 'from the file', 'it matches once');
  t.strictSame(
    (await world.requests()).map(({ twin, method, path, status }) => [twin, method, path, status]),
    [
      ['stripe', 'POST', '/v1/customers', 200],
      ['openai', 'POST', '/v1/chat/completions', 200],
      ['openai', 'POST', '/v1/chat/completions', 200],
    ],
  );
  t.match(await world.refusals(), [{ kind: 'wrld-world-refusal', rule: 'sealed', run: 'default' }]);

  await world.reset();
  t.strictSame(await customers(world.fetch), ['ada@example.com']);
  t.equal((await world.clock.now()).toISOString(), SEEDED_AT);
  t.equal((await world.twin('stripe').log()).length, 1);
  t.strictSame(await world.refusals(), []);
  t.strictSame(
    (await world.requests()).map(({ method }) => method),
    ['GET'],
  );
  t.equal((await asked(world, 'hello')).said, 'from the file', 'handlers count anew');
  await world.reset();
});

t.test('functions answer calls, the newest first, and go with the reset', async t => {
  const seen: unknown[] = [];
  world.on('openai', request => {
    seen.push(request);
    return undefined;
  });
  world.on('openai', async ({ said }) =>
    said?.lastUser === 'count' ? { text: '1, 2', usage: { output: 2 } } : null,
  );
  const off = world.on('openai', () => 'anything');
  t.equal((await asked(world, 'count')).said, 'anything');
  off[Symbol.dispose]();
  t.equal((await asked(world, 'count')).said, '1, 2');
  t.equal((await asked(world, 'who?')).said, 'the seed', 'then those of the seed');
  t.equal((await asked(world, 'else')).said, 'from the file', 'then the handlers');
  t.match(seen[0], {
    method: 'POST',
    path: '/v1/chat/completions',
    body: { model: 'gpt-5', messages: [{ role: 'user', content: 'who?' }] },
    said: { endpoint: 'chat.completions', model: 'gpt-5', lastUser: 'who?', turn: 1, stream: false },
  });
  t.notMatch(JSON.stringify(seen), 'sk_test_x', 'a credential is not handed to whoever prints it');
  await world.reset();
  t.equal((await asked(world, 'count')).said, 'from the file');
  await world.reset();
});

t.test('what is wrong with a function is told to the client and to the test', async t => {
  t.throws(() => world.on('opnai', () => 'x'), {
    message: 'This world has no twin “opnai”; it has stripe, openai, smtp.',
  });
  t.throws(() => world.on('openai', { text: 'x' } as never), /takes a function of the request/);
  t.throws(() => world.twin('nobody'), /no twin “nobody”/);
  world.on('openai', () => {
    throw new Error('not today');
  });
  const thrown = await asked(world, 'x');
  t.equal(thrown.status, 400, 'a status that no SDK tries again');
  t.match(thrown.said, "The function of world.on('openai') for POST /v1/chat/completions threw: not today");
  world.on('openai', () => ({ txt: 'x' }) as never);
  t.match((await asked(world, 'x')).said, /said what is no reply: .*txt/);
  t.match(world.complaints.at(-1), /no reply/);
  await world.reset();
});

t.test('install sends fetch and https through the world, and a refusal is an error [7.1]', async t => {
  const { fetch: before } = globalThis;
  const server = createServer((_request, response) => response.end('own'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  {
    using _installed = world.install();
    t.strictSame(await customers(fetch), ['ada@example.com']);
    t.equal(await (await fetch(own)).text(), 'own', 'loopback stays as it is');
    const refused = (await fetch('https://api.elsewhere.example/').catch(error => error)) as RefusalError;
    t.match(refused, { code: 'ECONNREFUSED', worldRefusal: { rule: 'sealed', missing: 'grant' } });
    const agent = new https.Agent();
    const answer = await new Promise<number | undefined>((resolve, reject) =>
      https.get(STRIPE, { headers: key, agent }, got => resolve(got.resume().statusCode)).on('error', reject),
    );
    t.equal(answer, 200, 'an agent of the SDK’s own');
    const error = await new Promise(resolve =>
      https.get('https://api.elsewhere.example/').on('error', resolve),
    );
    t.match(error, { code: 'ECONNREFUSED', worldRefusal: { rule: 'sealed' } });
  }
  t.equal(globalThis.fetch, before, 'it is as it was');
});

t.test('worlds that are installed at once are told apart by where a call comes from', async t => {
  await using other = await openWorld({ twins: ['stripe'], seed: filled => made(filled, 'eve@example.com') });
  const both = await Promise.all([world.run(() => customers(fetch)), other.run(() => customers(fetch))]);
  t.strictSame(both, [['ada@example.com'], ['eve@example.com']]);
  using _installed = world.install();
  t.strictSame(await customers(fetch), ['ada@example.com']);
  t.strictSame(await other.run(() => customers(fetch)), ['eve@example.com']);
});

t.test('a branch goes its own way from here on, and goes with the reset', async t => {
  const branch = await world.branch();
  const answer = await branch.fetch(STRIPE, {
    method: 'POST',
    headers: key,
    body: new URLSearchParams({ email: 'kim@example.com' }),
  });
  t.equal(answer.status, 200);
  t.strictSame(await customers(branch.fetch), ['kim@example.com', 'ada@example.com']);
  t.strictSame(await customers(world.fetch), ['ada@example.com']);
  t.not(
    branch.env['HTTPS_PROXY'],
    world.env['HTTPS_PROXY'],
    'a child process gets there by its own credentials',
  );
  await world.reset();
  t.strictSame(await customers(world.fetch), ['ada@example.com']);
});

t.test('a program that the test waits for without giving way reaches its world', t => {
  const words = ['--silent', '--show-error', '-u', 'sk_test_x:', STRIPE];
  const told = execFileSync('curl', words, { env: { ...process.env, ...world.env }, encoding: 'utf8' });
  t.match(told, 'ada@example.com');
  t.end();
});

t.test('a webhook reaches the test’s receiver', async t => {
  const receiver = await world.receiver();
  await world.fetch('https://api.stripe.com/v1/webhook_endpoints', {
    method: 'POST',
    headers: key,
    body: new URLSearchParams({ url: receiver.url, 'enabled_events[]': 'customer.created' }),
  });
  await made(world, 'zoe@example.com');
  const { body, headers } = await receiver.next();
  t.match(JSON.parse(body), { type: 'customer.created', data: { object: { email: 'zoe@example.com' } } });
  t.ok(headers['stripe-signature']);
  await world.reset();
});

t.test('a failing test’s story is short and says what was refused', async t => {
  await made(world, 'sam@example.com');
  await world.fetch('https://api.elsewhere.example/');
  const told = await story(world);
  t.match(told, /refused by the world:\n {2}GET https:\/\/api\.elsewhere\.example\/ .* \(sealed; fix: http/);
  t.match(told, 'stripe POST /v1/customers → 200');
  t.match(told, /stripe 2: .*put customer cus_/);
  await world.reset();
});

t.test('a grant opens one origin, and what is wrong with a world is said in words', async t => {
  await t.rejects(openWorld({ twins: ['strip'] }), /strip/);
  await t.rejects(openWorld({ twins: ['openai'], handlers: { openai: { handlers: [{}] } } }), /openai\.json/);
  await t.rejects(openWorld({ twins: ['stripe'], clock: 'yesterday' }), /Invalid time value|instant/);
  await using granting = await openWorld({
    twins: ['stripe'],
    grants: { egress: ['https://granted.invalid'] },
  });
  await granting.fetch('https://elsewhere.invalid/');
  t.match(await granting.refusals(), [{ rule: 'not-granted' }]);
});

t.test('a process that forgot to close its world ends all the same', async t => {
  const module = new URL('../../../authoring/test.ts', import.meta.url).href;
  const code = `const { openWorld } = await import(${JSON.stringify(module)}); const w = await openWorld({ twins: ['stripe'] }); await w.receiver(); console.log((await w.fetch(${JSON.stringify(STRIPE)})).status)`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  t.equal(stdout, '401\n');
});
