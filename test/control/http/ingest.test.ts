import Stripe from 'stripe';
import t from 'tap';
import { Secret } from '../../../control/world/access/secret.ts';
import type { Ingests, RealVendor } from '../../../twins/kit/real-vendor.ts';
import type { MountedTwin } from '../../../twins/kit/twin.ts';
import { noteTwin } from '../../kit/note-twin.ts';
import { openTestSite } from '../../kit/site.ts';
import { standInSealer } from '../../kit/stand-in-sealer.ts';

const SECRET = 'whsec_of_nobody';
const INGEST = '/-/acme/notes/twins/note/ingest';

/** Notes as the vendor tells of them. */
const ingests: Ingests = {
  scheme: 'stripe',
  fold: ({ id, kind, at, note, gone }) => {
    if (typeof id !== 'string') return null;
    const { id: noteId, ...body } = (note ?? gone) as { id: string };
    return {
      id,
      kind: (kind as string | undefined) ?? '',
      ...(typeof at === 'number' && { at }),
      put: note === undefined ? [] : [{ type: 'note', id: noteId, body }],
      gone: gone === undefined ? [] : [{ type: 'note', id: noteId }],
    };
  },
};

const withVendor = (real: RealVendor): MountedTwin => {
  const mounted = noteTwin();
  return { ...mounted, twin: { ...mounted.twin, real } };
};

const opened = async () => {
  const vault = standInSealer();
  const authorize = () => [];
  const site = await openTestSite({
    ports: { sealer: vault.sealer },
    twins: { note: withVendor({ authorize, ingests }), mute: withVendor({ authorize }) },
  });
  const { notes } = site;
  await notes.world.roots.put('note', {
    url: 'https://api.note.test',
    deploy: 'never',
    refresh: { every: null, atMost: '1m' },
  });
  const seal = (signingSecret: string | null) =>
    notes.world.real.credentials.put('note', {
      shown: { as: 'key', key: new Secret('k') },
      signingSecret: signingSecret === null ? null : new Secret(signingSecret),
    });
  const seconds = () => Math.floor(notes.wall.at / 1000);
  const send = (
    body: unknown,
    { secret = SECRET, timestamp = seconds(), target = INGEST, changed = '' } = {},
  ) => {
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
    return site.ask({
      method: 'POST',
      target,
      headers: [
        ['content-type', 'application/json'],
        ['stripe-signature', signature],
      ],
      body: payload + changed,
    });
  };
  const entries = async () => (await notes.world.log('note', 0))!.entries;
  return { site, notes, vault, seal, send, entries, seconds };
};

t.test(
  '[6.2] a webhook of the vendor’s becomes one entry, by nobody of this world, under the vendor’s own name',
  async t => {
    const { site, send, seal, entries, notes } = await opened();
    await using _site = site;
    await seal(SECRET);
    const event = { id: 'evt_1', kind: 'note.updated', note: { id: 'n1', tag: 'a' } };
    t.match(await send(event), { status: 200, json: { ingested: true } });
    const [entry, ...more] = await entries();
    t.strictSame(more, []);
    t.match(entry, {
      kind: 'note.updated',
      actor: { type: 'webhook' },
      changes: [{ op: 'put', type: 'note', id: 'n1', after: { tag: 'a' } }],
    });
    t.equal(entry?.request, undefined, 'there is nothing to ask the vendor again');
    t.equal(entry?.caller, undefined);
    t.match(await notes.ask('GET', '/notes/n1'), { status: 200, body: { tag: 'a' } });
    await send({ id: 'evt_2', note: { id: 'n1', tag: 'b' } });
    t.match((await entries())[1], { kind: 'twin.ingested' });
    await send({ id: 'evt_3', kind: 'note.deleted', gone: { id: 'n1' } });
    t.match((await entries())[2], { changes: [{ op: 'delete', type: 'note', id: 'n1' }] });
  },
);

t.test('[6.2] an event comes in once, however often and by whichever signature it is sent', async t => {
  const { site, send, seal, entries, notes } = await opened();
  await using _site = site;
  await seal(SECRET);
  const event = { id: 'evt_1', kind: 'note.updated', note: { id: 'n1', tag: 'a' } };
  const first = await Promise.all(Array.from({ length: 5 }, () => send(event)));
  t.strictSame(
    first.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  t.equal(first.filter(({ json }) => json.ingested).length, 1);
  await notes.ask('PUT', '/notes/n1', { tag: 'ours' });
  notes.wall.at += 3_600_000;
  t.match(
    await send(event),
    { status: 200, json: { ingested: false } },
    'the vendor sends it again, signed anew',
  );
  t.equal((await entries()).length, 2);
  t.match(await notes.ask('GET', '/notes/n1'), { body: { tag: 'ours' } });
});

t.test('[6.2] what happened before something that is known comes too late', async t => {
  const { site, send, seal, entries, notes } = await opened();
  await using _site = site;
  await seal(SECRET);
  const told = (id: string, at: number, tag: string) => send({ id, at, note: { id: 'n1', tag } });
  t.match(await told('evt_2', 20, 'new'), { json: { ingested: true } });
  t.match(await told('evt_1', 10, 'old'), { status: 200, json: { ingested: false } });
  t.match(await notes.ask('GET', '/notes/n1'), { body: { tag: 'new' } });
  t.match(await told('evt_3', 20, 'same second'), { json: { ingested: true } });
  t.equal((await entries()).length, 2);
});

t.test(
  '[6.2] a wrong secret, a changed body and no signature are one answer; nothing comes of them',
  async t => {
    const { site, send, seal, entries, seconds } = await opened();
    await using _site = site;
    await seal(SECRET);
    const event = { id: 'evt_1', note: { id: 'n1' } };
    const answers = [
      await send(event, { secret: 'another' }),
      await send(event, { changed: ' ' }),
      await send(event, { secret: 'another', timestamp: 1 }),
      await send(event, { timestamp: seconds() - 4000, changed: ' ' }),
      await site.ask({ method: 'POST', target: INGEST, body: JSON.stringify(event) }),
      await site.ask({ method: 'POST', target: INGEST, headers: [['x-wrld-token', site.token]], body: '{}' }),
    ];
    for (const { status, text } of answers) t.strictSame([status, text], [401, answers[0]!.text]);
    t.match(await send(event, { timestamp: seconds() - 301 }), {
      status: 400,
      json: { error: { code: 'too-old' } },
    });
    t.match(await send('no JSON'), { status: 400, json: { error: { code: 'bad-body' } } });
    t.match(await send('[]'), { status: 400 });
    t.match(await send({ id: 'x'.repeat(513), note: { id: 'n' } }), { status: 400 });
    t.strictSame(await entries(), []);
  },
);

t.test('[6.2] without a signing secret that opens, nothing says whose a webhook is', async t => {
  const { site, send, seal, notes, vault } = await opened();
  await using _site = site;
  const event = { id: 'evt_1', note: { id: 'n1' } };
  t.match(await send(event), { status: 409, json: { error: { code: 'no-secret' } } });
  await seal(null);
  t.match(await send(event), { status: 409 });
  await seal(SECRET);
  vault.setAway(true);
  t.match(await send(event), { status: 503, headers: { 'retry-after': /\d/ } }, 'the vendor sends it again');
  vault.setAway(false);
  await notes.world.roots.put('note', {
    url: 'https://api.elsewhere.test',
    deploy: 'never',
    refresh: { every: null, atMost: '1m' },
  });
  t.match(await send(event), { status: 409, json: { error: { message: /another origin/ } } });
  t.match(await send(event, { target: '/-/acme/notes/twins/mute/ingest' }), { status: 404 });
  t.match(await send(event, { target: '/-/acme/notes/twins/none/ingest' }), { status: 404 });
});
