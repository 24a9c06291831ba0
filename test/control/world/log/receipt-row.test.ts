// Receipts as the store keeps them (2.6, 2.7): of one action, and the last of a twin.
import t from 'tap';
import { lastReceipt, readReceipt } from '../../../../control/world/log/receipt-row.ts';
import { openDeployWorld } from '../../../kit/deploy-world.ts';

t.test('[2.7] the last one that was settled is the twin’s', async t => {
  await using world = await openDeployWorld();
  const { notes } = world;
  t.equal(lastReceipt(notes.sql, 'note'), null);
  await world.make({ n: 1 });
  await world.cut('one');
  world.root = null;
  await world.deploy('one');
  t.match(readReceipt(notes.sql, 'one', 'a1'), { status: 'landed' });
  t.equal(lastReceipt(notes.sql, 'note'), null, 'what waits was not asked');
  await world.make({ refuse: true });
  await world.cut('two');
  notes.wall.at += 1000;
  await notes.world.deploys.one('two');
  world.root = { url: 'https://api.notes.test', deploy: 'manual', refresh: { every: null, atMost: '1m' } };
  await world.deploy('one');
  notes.wall.at += 1000;
  await world.deploy('two');
  t.strictSame(lastReceipt(notes.sql, 'note'), {
    changeset: 'two',
    actionId: 'a1',
    status: 'refused',
    at: new Date(notes.wall.at).toISOString(),
    reason: 'not so',
  });
  t.equal(lastReceipt(notes.sql, 'other'), null);
  t.equal(readReceipt(notes.sql, 'one', 'a2'), null);
});
