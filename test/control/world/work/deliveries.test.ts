import { createHmac } from 'node:crypto';
import t from 'tap';
import type { Alarms } from '../../../../control/ports/alarms.ts';
import type { Entry } from '../../../../control/world/log/entry.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { EPOCH, type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';
import type { Receipt, Webhook } from '../../../kit/receiver.ts';

const OK: Receipt = { ok: true, status: 200, ms: 3 };
const DOWN: Receipt = { ok: false, refused: false, sent: false, why: 'connection refused', ms: 1 };
const hook = (at: NoteWorld, id: string, url = `https://app.test/${id}`) =>
  at.ask('PUT', `/hooks/${id}`, { url, secret: `whsec_${id}` });
const results = async ({ world }: NoteWorld): Promise<Entry[]> =>
  (await world.log('note', 0))!.entries.filter(({ kind }) => kind.startsWith('webhook.'));
const states = ({ sql }: NoteWorld) =>
  sql.all<{ state: string }>('SELECT state FROM delivery ORDER BY id').map(({ state }) => state);
const noteOf = ({ body }: Webhook): string => JSON.parse(body).id;

t.test(
  '[6-3] a webhook goes out after the commit, signed by wall time, with the trace continued',
  async t => {
    await using at = await openNoteWorld();
    await hook(at, 'h', 'https://user:pass@app.test/hook?token=abc');
    await at.world.setClock('2030-01-01T00:00:00Z');
    await at.ask('PUT', '/notes/a', { tag: 'x' });
    await at.world.settled();
    const [sent] = at.sent;
    t.match(sent, {
      url: 'https://user:pass@app.test/hook?token=abc',
      method: 'POST',
      body: '{"id":"a","tag":"x"}',
    });
    const headers = Object.fromEntries(sent!.headers.map(([name, value]) => [name.toLowerCase(), value]));
    const seconds = EPOCH / 1000;
    const mac = createHmac('sha256', 'whsec_h').update(`${seconds}.${sent!.body}`).digest('hex');
    t.equal(headers['stripe-signature'], `t=${seconds},v1=${mac}`, 'wall time, not the world’s 2030');
    t.equal(headers['content-type'], 'application/json');
    const [entry] = await results(at);
    const { traceId, spanId } = entry!.trace!;
    t.equal(headers['traceparent'], `00-${traceId}-${spanId}-01`);
    t.match(entry, {
      position: 3,
      kind: 'webhook.delivered',
      occurredAt: '2030-01-01T00:00:00.000Z',
      recordedAt: '2026-01-31T00:00:00.000Z',
      actor: { type: 'system' },
      changes: [],
      cause: 'note:2',
      trace: { traceId: '0af7651916cd43dd8448eb211c80319c', parentId: 'b7ad6b7169203331' },
      delivery: {
        endpoint: { id: 'h', url: 'https://app.test/hook' },
        event: { type: 'note.put' },
        attempt: 1,
        status: 200,
      },
    });
    const traced = await at.world.timeline({ trace: traceId });
    t.strictSame(
      traced.ok && traced.entries.map(({ position }) => position),
      [3, 2, 1],
      'followed by its trace',
    );
  },
);

t.test('nothing goes out for a call that was rolled back', async t => {
  await using at = await openNoteWorld();
  await hook(at, 'h');
  t.equal((await at.ask('POST', '/throw', {})).status, 500);
  t.equal((await at.ask('GET', '/writes', undefined, { scope: 'read' })).status, 403);
  await at.world.settled();
  t.strictSame([at.sent.length, states(at)], [0, []]);
});

t.test('[4.9] moving the clock through several events sends what they cause in order', async t => {
  // The first attempts answer last: order must not depend on how fast the receiver is.
  let waiting = 5;
  const send = async () => {
    for (let turns = waiting--; turns > 0; turns--) await new Promise(setImmediate);
    return OK;
  };
  await using at = await openNoteWorld({ send });
  await hook(at, 'h1');
  await hook(at, 'h2');
  await at.world.setClock('2026-01-31T00:00:00Z');
  for (const [n, key] of ['x', 'y', 'z'].entries()) {
    await at.ask('POST', `/due/${key}`, { at: EPOCH + (n + 1) * 60_000 });
  }
  await at.world.advanceClock('1h');
  await at.world.settled();
  for (const id of ['h1', 'h2']) {
    t.strictSame(at.sent.filter(({ url }) => url.endsWith(id)).map(noteOf), ['x', 'y', 'z'], id);
  }
  t.strictSame(states(at), Array(6).fill('delivered'));
  const entries = (await at.world.log('note', 0))!.entries.map(({ occurredAt }) => occurredAt);
  t.strictSame(entries, [...entries].sort(), 'results are no earlier than what came before them');
});

t.test('a slow endpoint does not hold up another', async t => {
  const release = Promise.withResolvers<Receipt>();
  const second = Promise.withResolvers<void>();
  const send = ({ url }: Webhook) => {
    if (url.endsWith('slow')) return release.promise;
    second.resolve();
    return OK;
  };
  await using at = await openNoteWorld({ send });
  await hook(at, 'slow');
  await hook(at, 'quick');
  await at.ask('PUT', '/notes/a', {});
  await second.promise;
  let settled = false;
  const settling = at.world.settled().then(() => {
    settled = true;
  });
  await new Promise(setImmediate);
  t.notOk(settled, 'one still waits for its first attempt');
  release.resolve(OK);
  await settling;
  t.strictSame(states(at), ['delivered', 'delivered']);
});

t.test('a failed one is tried again by the vendor’s schedule on world time, then given up', async t => {
  const answers: Receipt[] = [DOWN, { ok: true, status: 500, ms: 2 }, { ok: true, status: 302, ms: 2 }];
  const twins = { note: noteTwin({ retries: [60_000, 3_600_000] }) };
  await using at = await openNoteWorld({ twins, send: () => answers.shift() ?? OK });
  await at.world.setClock('2026-01-31T00:00:00Z');
  await hook(at, 'h');
  await at.ask('PUT', '/notes/a', {});
  await at.world.settled();
  t.equal(at.sent.length, 1);
  await at.world.advanceClock('59s');
  await at.world.settled();
  t.equal(at.sent.length, 1, 'not before its time');
  await at.world.advanceClock('1s');
  await at.world.settled();
  t.equal(at.sent.length, 2);
  await at.world.advanceClock('1h');
  await at.world.settled();
  await at.world.advanceClock('30d');
  await at.world.settled();
  t.equal(at.sent.length, 3);
  t.strictSame(
    (await results(at)).map(({ kind, occurredAt, cause, delivery }) => [
      kind,
      occurredAt.slice(11, 19),
      cause,
      delivery!.attempt,
      delivery!.status ?? delivery!.error,
    ]),
    [
      ['webhook.failed', '00:00:00', 'note:2', 1, 'connection refused'],
      ['webhook.failed', '00:01:00', 'note:2', 2, 500],
      ['webhook.failed', '01:01:00', 'note:2', 3, 302],
    ],
  );
  t.equal(
    new Set(at.sent.map(({ headers }) => headers.at(-1)![1])).size,
    3,
    'each attempt is a span of its own',
  );
  const row = at.sql.get<{ state: string; attempts: string }>('SELECT state, attempts FROM delivery')!;
  t.equal(row.state, 'failed');
  t.match(JSON.parse(row.attempts), [
    { error: 'connection refused', ms: 1 },
    { status: 500 },
    { status: 302 },
  ]);
});

t.test('one that the world’s policy refuses is tried again, for a grant may come', async t => {
  const answers: Receipt[] = [
    { ok: false, refused: true, sent: false, why: 'not-granted: https://app.test', ms: 0 },
  ];
  await using at = await openNoteWorld({
    twins: { note: noteTwin({ retries: [1000] }) },
    send: () => answers.shift() ?? OK,
  });
  await at.world.setClock('2026-01-31T00:00:00Z');
  await hook(at, 'h');
  await at.ask('PUT', '/notes/a', {});
  await at.world.settled();
  t.strictSame(states(at), ['pending']);
  t.match((await results(at))[0]!.delivery, { error: 'not-granted: https://app.test' });
  await at.world.advanceClock('1s');
  await at.world.settled();
  t.strictSame(states(at), ['delivered']);
});

t.test('[6-3] before there is a policy nothing is signed, sent or told', async t => {
  const file = `${t.testdir()}/world.db`;
  {
    await using at = await openNoteWorld({ file, ready: () => new Promise(() => {}) });
    await hook(at, 'h');
    await at.ask('PUT', '/notes/a', {});
    await at.ask('PUT', '/notes/b', {});
    await new Promise(setImmediate);
  }
  const policy = Promise.withResolvers<void>();
  let inForce = false;
  const ready = () => (inForce ? null : policy.promise);
  await using at = await openNoteWorld({ file, ready });
  await at.ask('PUT', '/notes/c', {});
  await new Promise(setImmediate);
  t.strictSame([at.sent, await results(at)], [[], []]);
  at.wall.at += 3_600_000;
  inForce = true;
  policy.resolve();
  await at.world.settled();
  t.strictSame(at.sent.map(noteOf), ['a', 'b', 'c']);
  t.strictSame(states(at), Array(3).fill('delivered'));
  t.match(
    at.sent.map(({ headers }) => Object.fromEntries(headers)['Stripe-Signature']),
    Array(3).fill(new RegExp(`^t=${at.wall.at / 1000},`)),
    'signed when it went, not when the world came up',
  );
});

t.test('[6-3] an attempt that the end of the world cut off is told by the log, and made again', async t => {
  const file = `${t.testdir()}/world.db`;
  const under = Promise.withResolvers<void>();
  const never = new Promise<Receipt>(() => undefined);
  let span = '';
  {
    const send = () => {
      under.resolve();
      return never;
    };
    await using at = await openNoteWorld({ file, send });
    await hook(at, 'h');
    await at.ask('PUT', '/notes/a', {});
    await under.promise;
    span = at.sent[0]!.headers.at(-1)![1].split('-')[2]!;
    t.strictSame(await results(at), []);
  }
  await using at = await openNoteWorld({ file });
  await at.world.settled();
  t.match(await results(at), [
    { kind: 'webhook.failed', trace: { spanId: span }, delivery: { attempt: 1, error: /may have arrived/ } },
    { kind: 'webhook.delivered', delivery: { attempt: 2, status: 200 } },
  ]);
  t.strictSame(states(at), ['delivered']);
  t.equal(at.sql.get('SELECT 1 FROM delivery_under_way'), undefined);
});

t.test('one that the store could not note is taken up again by itself', async t => {
  const twins = { note: noteTwin({ retries: [1000] }) };
  let fails = true;
  let prepared: NoteWorld['sql'] | null = null;
  const prepare = (sql: NoteWorld['sql']) => {
    prepared = sql;
  };
  let wake = (): void => {};
  const alarms: Alarms = {
    set: at => void (at === null ? null : setImmediate(() => wake())),
    onWake: whoever => {
      wake = whoever;
    },
  };
  const send = () => {
    if (fails) {
      // As a full disk does: what is written next fails, and there is room again later.
      fails = false;
      prepared!.run(`CREATE TRIGGER full BEFORE UPDATE ON delivery BEGIN SELECT raise(FAIL, 'full'); END`);
      setImmediate(() => prepared!.run('DROP TRIGGER full'));
    }
    return OK;
  };
  await using at = await openNoteWorld({ twins, prepare, send, alarms });
  await hook(at, 'h');
  await at.ask('PUT', '/notes/a', {});
  await at.world.settled();
  while (states(at)[0] !== 'delivered') await new Promise(setImmediate);
  t.match(at.logged, [{ level: 'error', message: /tried again/ }]);
  t.strictSame(
    (await results(at)).map(({ kind }) => kind),
    ['webhook.failed', 'webhook.delivered'],
  );
});

t.test('one whose endpoint is gone when its turn comes fails without being sent', async t => {
  const twins = { note: noteTwin({ retries: [1000] }) };
  await using at = await openNoteWorld({ twins, send: () => DOWN });
  await at.world.setClock('2026-01-31T00:00:00Z');
  await hook(at, 'h');
  await at.ask('PUT', '/notes/a', {});
  await at.world.settled();
  await at.ask('DELETE', '/hooks/h');
  await at.world.advanceClock('1s');
  await at.world.settled();
  t.equal(at.sent.length, 1);
  t.strictSame(states(at), ['failed']);
  t.match((await results(at)).at(-1), {
    kind: 'webhook.failed',
    delivery: { attempt: 2, error: 'the endpoint is gone' },
  });
});

t.test('a twin that cannot sign fails the delivery, and no secret is logged', async t => {
  const base = noteTwin();
  const twin = {
    ...base.twin,
    signature: () => {
      throw new Error('whsec_h is no key');
    },
  };
  await using at = await openNoteWorld({ twins: { note: { ...base, twin } } });
  await hook(at, 'h');
  await at.ask('PUT', '/notes/a', {});
  await at.world.settled();
  t.strictSame([at.sent.length, states(at)], [0, ['failed']]);
  t.match(at.logged, [{ level: 'error', fields: { twin: 'note' } }]);
  t.notMatch(JSON.stringify(at.logged), /whsec/);
});

t.test('what was not sent when the world ended is sent by the next run; what waits, waits', async t => {
  const file = `${t.testdir()}/world.db`;
  const twins = { note: noteTwin({ retries: [3_600_000] }) };
  {
    const never = new Promise<Receipt>(() => undefined);
    const send = ({ url }: Webhook) => (url.endsWith('retry') ? DOWN : never);
    await using at = await openNoteWorld({ file, twins, send });
    await at.world.setClock('2026-01-31T00:00:00Z');
    await hook(at, 'never');
    await at.ask('PUT', '/notes/a', {});
    await at.ask('PUT', '/notes/b', {});
    await at.ask('DELETE', '/hooks/never');
    await hook(at, 'never');
    await hook(at, 'retry');
    await at.ask('PUT', '/notes/c', {});
    while ((await results(at)).length === 0) await new Promise(setImmediate);
  }
  await using at = await openNoteWorld({ file, twins });
  await at.world.settled();
  t.strictSame(at.sent.filter(({ url }) => url.endsWith('never')).map(noteOf), ['a', 'b', 'c']);
  t.equal(at.sent.length, 3, 'the one that failed has its retry to wait for');
  await at.world.advanceClock('1h');
  await at.world.settled();
  t.match(at.sent.at(-1), { url: 'https://app.test/retry', body: '{"id":"c"}' });
  t.strictSame(states(at), Array(4).fill('delivered'));
});

t.test('a result that comes while the clock is on its way is stamped with how far it has come', async t => {
  await using at = await openNoteWorld();
  await hook(at, 'h');
  await at.world.setClock('2026-01-31T00:00:00Z');
  await at.ask('POST', '/due/d', { at: EPOCH + 1000, payload: { times: 200, every: 1000 } });
  await at.world.advanceClock('1h');
  await at.world.settled();
  const entries = (await at.world.log('note', 0))!.entries;
  const due = entries.filter(({ kind }) => kind.startsWith('note.'));
  t.equal(due.length, 200);
  for (const { occurredAt, changes } of due) {
    const { at: own } = changes[0]!.after as { at: number };
    if (Date.parse(occurredAt) !== own) t.fail(`${occurredAt} is not its own instant`);
  }
  const kinds = entries.map(({ kind }) => kind);
  t.ok(kinds.indexOf('webhook.delivered') < kinds.lastIndexOf('note.updated'), 'some came on the way');
});
