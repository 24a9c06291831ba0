// `wrld world record` as a person uses it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openWorlds, startServe, wrld } from '../../kit/command-line.ts';

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
