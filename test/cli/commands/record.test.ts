// `wrld world record` as a person uses it.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { openWorlds, startServe, startUp, wrld } from '../../kit/command-line.ts';

const worlds = await openWorlds();
t.teardown(() => worlds.remove());

t.test('a recording is begun, listed and ended, and what is wrong is said', async t => {
  const folder = await worlds.make('shop');
  await using world = await startServe(folder);
  const record = (...args: readonly string[]) => wrld(folder, 'world', 'record', ...args);
  const [listed, wrong, both, none, begun] = [
    await record(),
    await record('--strict'),
    await record('stripe', '--stop', '--strict'),
    await record('stripe'),
    await record('stripe', '--to', 'rec/stripe.json', '--strict', '--at', 'http://127.0.0.1:1'),
  ];
  t.match(listed, { code: 0, out: /Nothing is recorded/ });
  t.match(wrong, { code: 2, err: /needs a vendor/ });
  t.match(both, { code: 2, err: /--stop goes with no/ });
  t.match(none, { code: 1, err: /--to recordings\/stripe\.json/ });
  t.match(begun, { code: 0, out: /goes to http:\/\/127\.0\.0\.1:1 now.*\nKept in rec\/stripe\.json/ });
  const answer = await fetch(`${world.up.worldUrl}/stripe/v1/customers`, {
    headers: { authorization: 'Bearer sk_test_x', 'x-wrld-token': world.up.token },
  });
  t.equal(answer.status, 502);
  t.match(await record(), {
    code: 0,
    out: /stripe +rec\/stripe\.json +0 +1 [\s\S]*GET \/v1\/customers: ECONNREFUSED/,
  });
  const ended = await record('stripe', '--stop', '--json');
  t.match(JSON.parse(ended.out), { twin: 'stripe', kept: 0, unkept: 1, strict: true });
  t.match(await record('stripe', '--stop'), { code: 1, err: /Nothing is recorded of stripe/ });
  t.match(JSON.parse(await readFile(join(folder, 'rec', 'stripe.json'), 'utf8')), {
    unmatched: 'error',
    handlers: [],
  });
});

/** An app that knows the vendor’s own host alone, and tells each piece of what it was answered. */
const APP = `
const { env } = process;
const answer = await fetch('https://api.openai.com/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + env.KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-4.1', stream: true, messages: [{ role: 'user', content: env.SAYS }] }),
});
const text = await answer.text();
console.log(JSON.stringify({ status: answer.status, lines: text.split('\\n').filter(line => line !== '') }));
`;

t.test('an app’s exchange through the proxy is recorded, and said again when the vendor is gone', async t => {
  const key = ['sk', '-proj-', 'mine0123456789abcdef'].join('');
  const lines = ['one', 'two', 'three'].map(
    content => `data: ${JSON.stringify({ id: 'c1', choices: [{ index: 0, delta: { content } }] })}`,
  );
  const asked: string[] = [];
  const vendor = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization}`);
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const line of lines) outgoing.write(`${line}\n\n`);
    outgoing.end('data: [DONE]\n\n');
  });
  await once(vendor.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => vendor.close());
  const openai = { twin: 'openai', colocate: { scenarioPath: 'recorded.json' } };
  const folder = await worlds.make('recorded', { services: { openai } });
  await using _world = await startUp(folder);
  const app = async (says: string, as = key): Promise<{ status: number; lines: string[] }> => {
    const words = ['env', `KEY=${as}`, `SAYS=${says}`, process.execPath, '--input-type=module', '-e', APP];
    const ended = await wrld(folder, 'world', 'run', '--quiet', '--', ...words);
    if (ended.code !== 0) throw new Error(ended.err);
    return JSON.parse(ended.out);
  };
  const at = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  const to = ['--strict', '--at', at];
  t.match(await wrld(folder, 'world', 'record', 'openai', ...to), { code: 0 });
  const real = { status: 200, lines: [...lines, 'data: [DONE]'] };
  t.strictSame(await app('hello'), real);
  t.strictSame(asked, [`POST /v1/chat/completions Bearer ${key}`], 'with the app’s own key');
  t.match(await wrld(folder, 'world', 'record', 'openai', '--stop'), { code: 0 });
  vendor.close();
  vendor.closeAllConnections();
  const file = await readFile(join(folder, 'recorded.json'), 'utf8');
  t.notMatch(file, key, 'no key is kept');
  t.match(JSON.parse(file), { unmatched: 'error', handlers: [{}] });
  t.strictSame(await app('hello', 'another-key'), real, 'as it was, to any key');
  t.match(await app('something else'), { status: 404 }, 'what was not recorded is refused');
  t.equal(asked.length, 1, 'the vendor was asked no more');
});
