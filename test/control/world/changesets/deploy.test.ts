// Deploying (3): what was done in the world is done at the vendor, in its order, each once, and what the world learns by it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { DEPLOY_SENDS_MAX } from '../../../../control/world/limits.ts';
import type { VendorAnswered } from '../../../../control/world/roots/vendor-asks.ts';
import { JSON_TYPE, openDeployWorld, verify } from '../../../kit/deploy-world.ts';
import { GRACE_MS, KEPT_MS, noteVendor, rootWith } from '../../../kit/note-vendor.ts';

const NO_ANSWER: VendorAnswered = { ok: false, why: 'no-answer', message: 'cut off', sent: true };
const AWAY: VendorAnswered = { ok: false, why: 'vault-away', message: 'the vault is away', sent: false };
const said = (status: number, body: object, headers: [string, string][] = []): VendorAnswered => ({
  ok: true,
  ms: 1,
  status,
  headers,
  body: new TextEncoder().encode(JSON.stringify(body)),
});

t.test('[3] actions are asked of the vendor in order, with the ids that it gave', async t => {
  await using world = await openDeployWorld();
  const { notes, vendor } = world;
  const first = await world.make({ text: 'one' });
  const second = await world.make({ text: 'two', of: first });
  await notes.ask('PUT', `/notes/${second}`, { text: `${first} and ${second}`, by: 'x' }, JSON_TYPE);
  await world.cut('one');
  const { contentHash } = (await notes.world.changesets.get('one'))!;
  const deployed = await world.deploy('one');
  t.equal(deployed.stopped, null);
  t.strictSame(vendor.operations, [
    'POST /notes {"text":"one"}',
    'POST /notes {"text":"two","of":"note_real00000001"}',
    'PUT /notes/note_real00000002 {"text":"note_real00000001 and note_real00000002","by":"x"}',
  ]);
  t.match(deployed.deployed, [
    { service: 'note', actionId: 'a1', status: 'deployed', externalId: 'note_real00000001' },
    { actionId: 'a2', status: 'deployed', url: 'https://notes.test/note_real00000002' },
    { actionId: 'a3', status: 'deployed' },
  ]);
  const keys = vendor.asked.map(({ headers }) => headers.find(([name]) => name === 'Idempotency-Key')?.[1]);
  t.equal(new Set(keys).size, 3);
  await t.test('the records are called what the vendor calls them, and are there once', async t => {
    const all = await notes.ask('POST', '/list', { limit: 10, order: 'oldest' });
    t.strictSame(
      all.body.items.map(({ id, of, text }: { id: string; of?: string; text: string }) => [id, of, text]),
      [
        ['note_real00000001', undefined, 'one'],
        ['note_real00000002', undefined, 'note_real00000001 and note_real00000002'],
      ],
    );
  });
  await t.test('an app that holds an id goes on with it, in path, query and body', async t => {
    t.match(await notes.ask('GET', `/notes/${second}`), { status: 200, body: { id: 'note_real00000002' } });
    const put = { text: `(${first})`, near: `x${first}`, [first]: 1 };
    t.match((await notes.ask('PUT', `/notes/${second}`, put, JSON_TYPE)).body, {
      text: '(note_real00000001)',
      near: `x${first}`,
      note_real00000001: 1,
    });
    const bytes = { headers: { 'content-type': 'application/octet-stream' } };
    t.match(
      (await notes.ask('PUT', '/notes/free', { text: first }, bytes)).body,
      { text: first },
      'bytes stay',
    );
  });
  await t.test('the history stays as it was, with receipts', async t => {
    notes.world.changesets.forget();
    t.equal((await notes.world.changesets.get('one'))!.currentHash, contentHash);
    const page = (await notes.world.log('note', 0))!.entries;
    t.match(page[0], {
      changes: [{ op: 'put', id: first, after: { text: 'one' } }],
      receipt: { status: 'deployed', actionId: 'a1', externalId: 'note_real00000001' },
    });
    t.match(page[3], {
      kind: 'twin.deployed',
      actor: { type: 'root' },
      cause: 'note:1',
      changes: [{ op: 'delete', id: first }, { op: 'put', id: 'note_real00000001' }, { id: second }],
    });
    t.notOk('receipt' in page[3]!);
  });
  await t.test('[2.6] what is settled stays: a second deploy asks nothing', async t => {
    await world.deploy('one');
    t.equal(vendor.asked.length, 3);
    t.strictSame(await notes.world.deploys.all(), { ok: true, changesets: [] });
    t.match(await notes.world.changesets.cut({ by: 'token', owner: null, message: 'rest', name: 'rest' }), {
      ok: true,
    });
    t.equal(
      (await notes.world.changesets.get('rest'))!.entries,
      2,
      'what the deploy wrote is in no changeset',
    );
  });
});

t.test('[3] what waits for its instant knows the new ids', async t => {
  await using world = await openDeployWorld();
  const { notes } = world;
  const id = await world.make({ text: 'one' });
  const at = notes.wall.at + 60_000;
  await notes.ask('POST', `/due/${id}`, { at, payload: { of: id } });
  await world.cut('one');
  await world.deploy('one');
  t.strictSame(
    notes.sql.all('SELECT key, payload FROM due').map(row => ({ ...row })),
    [{ key: 'note_real00000001', payload: '{"of":"note_real00000001"}' }],
  );
});

t.test('[2.6] what the vendor refuses is refused, and so is what names it; the rest goes on', async t => {
  await using world = await openDeployWorld();
  const { notes, vendor } = world;
  const refused = await world.make({ refuse: true });
  const dependent = await world.make({ of: refused });
  await world.make({ of: dependent });
  await world.make({ text: 'free' });
  await world.cut('one');
  t.equal((await world.deploy('one')).stopped, null);
  t.strictSame(await world.receipts('one'), [
    'refused: not so',
    'refused: a1, whose record it names, was refused: not so',
    'refused: a2, whose record it names, was refused: a1, whose record it names, was refused: not so',
    'deployed',
  ]);
  t.equal(vendor.asked.length, 2);
  t.match(await notes.ask('GET', `/notes/${refused}`), { status: 200 }, 'here it is as it was');
});

t.test('[3] what cannot be asked is skipped, and says why', async t => {
  await using world = await openDeployWorld();
  await world.notes.ask('POST', '/bulk', { puts: [['note_fromBulk', {}]] }, JSON_TYPE);
  await world.make({ of: 'note_fromBulk' });
  await world.cut('one');
  await world.deploy('one');
  t.strictSame(await world.receipts('one'), [
    'skipped: many at once is nothing that the vendor does',
    'skipped: a1, whose record it names, was skipped: many at once is nothing that the vendor does',
  ]);
  await world.make({});
  await world.cut('two');
  world.root = rootWith('never');
  await world.deploy('two');
  t.strictSame(await world.receipts('two'), ['skipped: the root of note is never deployed to']);
  t.strictSame(world.vendor.asked, []);
});

t.test('[3] records that the world made by itself are nothing that the vendor has', async t => {
  await using world = await openDeployWorld();
  const { notes } = world;
  await notes.ask('POST', '/due/note_byItself', { at: notes.wall.at + 1000, payload: {} });
  notes.wall.at += 2000;
  await world.make({ of: 'note_byItself' });
  await world.cut('one');
  await world.deploy('one');
  t.match(await world.receipts('one'), [/^skipped: nothing at the vendor is note_byItself/]);
});

t.test('[2.8] a twin without a root, and one that does not deploy', async t => {
  await using world = await openDeployWorld();
  await world.make({});
  await world.cut('one');
  world.root = null;
  t.match((await world.deploy('one')).stopped, { actionId: 'a1', reason: /no root/ });
  t.match(await world.receipts('one'), [/^landed: .*no root/]);
  world.root = rootWith('manual');
  await world.deploy('one');
  t.strictSame(await world.receipts('one'), ['deployed']);
});

t.test('[2.6] readiness is judged by the rules of the moment', async t => {
  await using world = await openDeployWorld();
  const { notes } = world;
  await world.make({});
  await world.cut('one');
  await notes.world.changesets.setRules({ approvals: 1 });
  t.match(await notes.world.deploys.one('one'), { ok: false, why: 'not-ready', reasons: ['approvals 0/1'] });
  t.match(await notes.world.deploys.all(), { changesets: [{ name: 'one', reasons: ['approvals 0/1'] }] });
  t.match(await notes.world.deploys.one('none'), { ok: false, why: 'no-such-changeset' });
  await notes.world.changesets.approve('one', { person: 'bob', via: 'token' });
  t.match(await notes.world.deploys.one('one'), { ok: true });
});

t.test('[3] a changeset that names what an earlier one made waits for it', async t => {
  await using world = await openDeployWorld();
  const first = await world.make({ text: 'one' });
  await world.cut('one');
  await world.make({ of: first });
  await world.cut('two');
  t.match((await world.deploy('two')).stopped, { reason: `first deploy one, which made ${first}` });
  t.match(await world.notes.world.deploys.all(), { changesets: [{ name: 'one' }, { name: 'two' }] });
  t.equal(world.vendor.operations[1], 'POST /notes {"of":"note_real00000001"}');
});

t.test(
  '[3] what was not done for a reason that passes is asked again, and no other is asked before',
  async t => {
    await using world = await openDeployWorld();
    const { vendor } = world;
    await world.make({ n: 1 });
    await world.make({ n: 2 });
    await world.cut('one');
    for (const answer of [AWAY, said(401, { note_error: 'who?' })]) {
      vendor.answers = () => answer;
      t.match((await world.deploy('one')).stopped, { actionId: 'a1' });
      t.match(await world.receipts('one'), [/^landed: (the vault is away|who\?)$/, /^landed$/]);
    }
    let busy = 2;
    vendor.answers = () =>
      busy-- > 0 ? said(429, { note_error: 'slow' }, [['Retry-After', '3']]) : undefined;
    const before = world.notes.wall.at;
    t.equal((await world.deploy('one')).stopped, null);
    t.equal(world.notes.wall.at - before, 6000, 'no sooner than the vendor asks');
    t.strictSame(await world.receipts('one'), ['deployed', 'deployed']);
  },
);

t.test('[3] an answer that is lost, by what the vendor can do', async t => {
  await t.test('it does a request once: the same is sent again', async t => {
    await using world = await openDeployWorld('once');
    const { vendor } = world;
    await world.make({ n: 1 });
    await world.cut('one');
    let lost = 2;
    vendor.onAnswer = answered => (lost-- > 0 ? NO_ANSWER : answered);
    await world.deploy('one');
    t.strictSame(await world.receipts('one'), ['deployed']);
    t.equal(vendor.operations.length, 1);
    t.equal(vendor.asked.length, 3);
    t.strictSame(vendor.asked[0], vendor.asked[2]);
  });
  await t.test('and when it stays away, the next deploy finds out, while the key is remembered', async t => {
    await using world = await openDeployWorld('once');
    const { vendor, notes } = world;
    await world.make({ n: 1 });
    await world.cut('one');
    vendor.onAnswer = () => NO_ANSWER;
    t.match((await world.deploy('one')).stopped, { reason: /may have been done/ });
    t.equal(vendor.asked.length, DEPLOY_SENDS_MAX);
    vendor.onAnswer = null;
    await world.deploy('one');
    t.strictSame(await world.receipts('one'), ['deployed']);
    t.equal(vendor.operations.length, 1);
    await world.make({ n: 2 });
    await world.make({ n: 3 });
    await world.cut('two');
    vendor.onAnswer = () => NO_ANSWER;
    await world.deploy('two');
    notes.wall.at += KEPT_MS;
    vendor.onAnswer = null;
    t.match((await world.deploy('two')).stopped, { actionId: 'a1' });
    t.match(await world.receipts('two'), [/^failed: outcome unknown/, 'landed']);
    t.equal(vendor.operations.length, 2);
    await world.deploy('two');
    t.match(await world.receipts('two'), [/^failed/, 'deployed'], 'asked again, the rest goes on');
  });
  await t.test('it can be asked: what it did not do is sent again after the grace', async t => {
    await using world = await openDeployWorld('lookup');
    const { vendor, notes } = world;
    await world.make({ n: 1 });
    await world.make({ n: 2 });
    await world.cut('one');
    let lost = 1;
    vendor.onAnswer = answered => (lost-- > 0 ? NO_ANSWER : answered);
    await world.deploy('one');
    t.equal(vendor.operations.length, 2);
    await world.make({ n: 3 });
    await world.cut('two');
    let never = 1;
    vendor.answers = () => (never-- > 0 ? NO_ANSWER : undefined);
    const before = notes.wall.at;
    await world.deploy('two');
    t.ok(notes.wall.at - before >= GRACE_MS);
    t.equal(vendor.operations.length, 3);
  });
  await t.test('it can be asked of some: of the others it is not known', async t => {
    await using world = await openDeployWorld('some');
    const { vendor } = world;
    for (const n of [2, 3]) await world.make({ n });
    await world.cut('one');
    vendor.onAnswer = answered => (vendor.asked.at(-1)!.method === 'POST' ? NO_ANSWER : answered);
    t.match((await world.deploy('one')).stopped, { actionId: 'a2' });
    t.match(await world.receipts('one'), ['deployed', /^failed: outcome unknown: cut off/]);
    t.strictSame(
      vendor.asked.map(({ method }) => method),
      ['POST', 'GET', 'POST'],
    );
  });
  await t.test('what it says of it cannot be read: the next deploy asks again', async t => {
    await using world = await openDeployWorld('lookup');
    const { vendor } = world;
    await world.make({ n: 1 });
    await world.cut('one');
    let lost = 1;
    vendor.onAnswer = answered => {
      if (lost-- > 0) return NO_ANSWER;
      return answered.ok && lost === -1 ? { ...answered, status: 503 } : answered;
    };
    t.match((await world.deploy('one')).stopped, { reason: /cannot be read; it may have been done/ });
    await world.deploy('one');
    t.strictSame(await world.receipts('one'), ['deployed']);
    t.equal(vendor.operations.length, 1);
  });
  await t.test('it can do neither: it failed, the deploy stops, and it is never sent again', async t => {
    await using world = await openDeployWorld('neither');
    const { vendor } = world;
    const id = await world.make({ n: 1 });
    await world.make({ of: id });
    await world.cut('one');
    vendor.onAnswer = () => NO_ANSWER;
    t.match((await world.deploy('one')).stopped, { actionId: 'a1' });
    vendor.onAnswer = null;
    t.match(await world.receipts('one'), [/^failed: outcome unknown: cut off/, 'landed']);
    await world.deploy('one');
    t.match(await world.receipts('one'), [
      /^failed/,
      /^skipped: a1, whose record it names, was not done for certain/,
    ]);
    t.equal(vendor.asked.length, 1);
  });
});

t.test('[3] one deploy of a changeset at a time', async t => {
  await using world = await openDeployWorld();
  await world.make({});
  await world.cut('one');
  const arrived = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  world.vendor.onAnswer = async answered => {
    arrived.resolve();
    await goOn.promise;
    return answered;
  };
  const first = world.deploy('one');
  await arrived.promise;
  t.match(await world.notes.world.deploys.one('one'), { ok: false, why: 'deploying' });
  goOn.resolve();
  await first;
  t.equal(world.vendor.operations.length, 1);
  t.strictSame(world.notes.sql.all('SELECT * FROM deploying'), []);
  verify(world.notes, 'one');
});

t.test('[3] a deploy that a world’s end cut off goes on when it opens again', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'world.db');
  const vendor = noteVendor();
  const first = await openDeployWorld('once', { file, vendor });
  await first.make({ n: 1 });
  await first.make({ n: 2 });
  await first.cut('one');
  const arrived = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  vendor.onAnswer = async answered => {
    arrived.resolve();
    await goOn.promise;
    return answered;
  };
  const deploying = first.deploy('one');
  await arrived.promise;
  const closed = first[Symbol.asyncDispose]();
  goOn.resolve();
  t.match((await deploying).stopped, { actionId: 'a2', reason: 'the world ends' });
  await closed;
  t.equal(vendor.operations.length, 1);
  await using again = await openDeployWorld('once', { file, vendor });
  await again.notes.world.settled();
  t.strictSame(await again.receipts('one'), ['deployed', 'deployed']);
  t.equal(vendor.operations.length, 2);
  t.strictSame(again.notes.sql.all('SELECT * FROM deploying'), []);
});
