// The way to the vendor and back, as a new user sees it: its steps, its exit code, and that nothing is left behind.
import t from 'tap';
import { isAlive } from '../../kit/command-line.ts';
import { pidsIn, startDemo } from '../../kit/demo.ts';

t.test('[2.6, 2.8, 2.9, 4.5–4.7] it shows the story of a deploy', async t => {
  const demo = await startDemo(['demo', 'deploy']);
  t.strictSame(await demo.ended(), [0, null], demo.complained());
  const out = demo.said();
  // An address, an id or a hash is not to be cut.
  const long = out.split('\n').filter(line => line.length > 80 && !/https?:|_\w{14}|[0-9a-f]{64}/.test(line));
  t.strictSame(long, []);
  for (const [what, pattern] of [
    [
      'the vendor is another process',
      /Stripe +http:\/\/127\.0\.0\.1:\d+\/demo\/stripe\/stripe, process \d+;/,
    ],
    [
      'its key is typed nowhere',
      /\$ wrld world credential set stripe < secret\n +│ stripe: sealed for http:/,
    ],
    ['a refresh', /cus_\w+ {2}Ada Lovelace\n +header +x-wrld-observed-at: \d{4}-/],
    ['the check refuses', /the check prices refuses stripe:\d+: a price is over 100/],
    ['the mended app passes', /changeset verify[^$]*every check passes/],
    ['what it did, by field', /\+ stripe product prod_\w+ {2}“Gold”\n[^+]*\+ stripe price price_\w+/],
    ['one approval is not enough', /may not be deployed: approvals/],
    ['two are', /approved by ann\n +│ approved by bob\n +│ ready to be deployed/],
    [
      'receipts with links',
      /a4 +stripe +deployed +sub_\w+\s+(?:│ )?https:\/\/dashboard\.stripe\.com\/test\/subscriptions\/sub_/,
    ],
    ['the app’s ids', /goes on working:\n +app +sub_\w+\n +vendor +sub_\w+/],
    ['a webhook', /✓ cus_\w+ is called Ada King here too/],
    ['a conflict by record and field', /customer\s+(?:│ )?cus_\w+ \/name: was "Grace Hopper"/],
    ['resolved', /✓ Ours has it: cus_\w+ is Grace B\. Hopper\./],
  ] as const)
    t.match(out, pattern, what);
  t.notMatch(out + demo.complained(), /tok_\w{8}|whsec_/, 'no secret is shown');
  t.strictSame(await demo.leftovers(), []);
  t.strictSame(pidsIn(out).filter(isAlive), []);
});

t.test('SIGINT in the middle of it leaves nothing behind', async t => {
  const demo = await startDemo(['demo', 'deploy']);
  await demo.until(/world refresh stripe/);
  demo.child.kill('SIGINT');
  t.strictSame(await demo.ended(), [130, null]);
  t.strictSame(await demo.leftovers(), []);
  t.strictSame(pidsIn(demo.said()).filter(isAlive), []);
});
