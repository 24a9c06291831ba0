// The demo as a new user sees it: its steps, its exit code, and that nothing is left behind.
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { isAlive } from '../../kit/command-line.ts';
import { pidsIn, startDemo } from '../../kit/demo.ts';

t.test('it shows the main job from end to end, in 80 columns', async t => {
  const demo = await startDemo();
  t.strictSame(await demo.ended(), [0, null], demo.complained());
  const out = demo.said();
  t.equal(out, stripVTControlCharacters(out), 'no colour where no terminal is');
  t.strictSame(
    out.split('\n').filter(line => line.length > 80),
    [],
  );
  for (const [what, pattern] of [
    ['both processes', /control {2}process \d+[\s\S]*proxy {4}process \d+, at http:\/\/127\.0\.0\.1:\d+/],
    [
      'the app’s own words',
      // The webhook of the first invoice may come before the call that made it returns.
      /shop │ customer +cus_\w+ {2}ada@example\.com\n(?:.*shop │ webhook .*\n)?.*shop │ subscription sub_\w+ {2}active/,
    ],
    ['the list', /cus_\w+ {2}Grace Hopper {2}grace@example\.com\n +cus_\w+ {2}Ada Lovelace/],
    [
      'the renewal’s webhooks',
      /A month passes[\s\S]*(webhook +invoice\.paid \$19\.00 subscription_cycle, verified[\s\S]*){2}\n6 /,
    ],
    ['curl', /(✓ curl +cus_\w+ {2}Ada Lovelace <ada@example\.com>|skipped: no curl)/],
    ['Python', /(✓ python3 +cus_\w+ {2}Ada Lovelace <ada@example\.com>|skipped: no python3)/],
    [
      '[7.2 not-granted] a host',
      /tracker\.example\.com[\s\S]*rule +not-granted[\s\S]*fix in +runtime\.network\.egress/,
    ],
    [
      '[7.2 not-granted] a write',
      /POST https:\/\/rates\.example\.com[\s\S]*fix in +runtime\.network\.writes/,
    ],
    ['[7.2 unclaimed-path]', /api\.stripe\.com\/v9[\s\S]*missing +twin\n +rule +unclaimed-path/],
    ['the timeline', /\n +1 +\d\d-\d\d \d\d:\d\d +product\.created +POST \/v1\/products\n/],
    ['what to do next', /wrld world run -- node app\.mjs/],
  ] as const) {
    t.match(out, pattern, what);
  }
  t.strictSame(await demo.leftovers(), []);
  t.strictSame(pidsIn(out).filter(isAlive), []);
});

t.test('without curl and Python it says so and goes on', async t => {
  const demo = await startDemo(['demo'], { PATH: '/nowhere' });
  t.strictSame(await demo.ended(), [0, null], demo.complained());
  t.match(demo.said(), /skipped: no curl\n.*skipped: no python3/);
  t.strictSame(await demo.leftovers(), []);
});

for (const [when, at, signal, code] of [
  ['while its world starts', /A world is made/, 'SIGTERM', 143],
  ['while its shop starts', /A small shop starts/, 'SIGINT', 130],
  ['in the middle of it', /shop │ customer/, 'SIGINT', 130],
] as const) {
  t.test(`${signal} ${when} leaves nothing behind`, async t => {
    const demo = await startDemo();
    await demo.until(at);
    demo.child.kill(signal);
    t.strictSame(await demo.ended(), [code, null]);
    t.strictSame(await demo.leftovers(), []);
    t.strictSame(pidsIn(demo.said()).filter(isAlive), []);
  });
}
