import t from 'tap';
import { DELIVERY_BODY_ROWS_MAX } from '../../../../control/world/limits.ts';
import { noteTwin } from '../../../kit/note-twin.ts';
import { type NoteWorld, openNoteWorld } from '../../../kit/note-world.ts';
import type { Receipt } from '../../../kit/receiver.ts';

const hook = (at: NoteWorld, id: string, more: object = {}) =>
  at.ask('PUT', `/hooks/${id}`, {
    url: `https://u:p@app.test/${id}?token=abc`,
    secret: `whsec_${id}`,
    ...more,
  });
const DOWN: Receipt = { ok: false, refused: false, sent: false, why: 'connection refused', ms: 1 };

t.test(
  '[4.4] a webhook is told with its attempts, what was sent, and whether its signature holds',
  async t => {
    const answers: Receipt[] = [DOWN];
    const twins = { note: noteTwin({ retries: [60_000] }) };
    await using at = await openNoteWorld({
      twins,
      send: () => answers.shift() ?? { ok: true, status: 200, ms: 2 },
    });
    await at.world.setClock('2026-02-01T00:00:00Z');
    await hook(at, 'h');
    await at.ask('PUT', '/notes/a', { tag: 'x' });
    await at.world.settled();
    const { webhooks } = at.world;
    t.match(await webhooks.page({}), {
      webhooks: [
        {
          id: 'note:delivery:1',
          event: { type: 'note.put' },
          text: null,
          endpoint: { id: 'h', url: 'https://app.test/h' },
          state: 'waiting',
          attempts: 1,
          last: { at: '2026-02-01T00:00:00.000Z', error: 'connection refused' },
          nextAt: '2026-02-01T00:01:00.000Z',
          cause: 'note:2',
          bodyKept: true,
        },
      ],
      next: null,
    });
    await at.world.advanceClock('1m');
    await at.world.settled();
    const whole = (await webhooks.one('note', 1, true))!;
    t.match(whole, { state: 'delivered', nextAt: null, body: '{"id":"a","tag":"x"}' });
    t.strictSame(
      whole.tries.map(({ status, error, signature }) => [status ?? error, signature]),
      [
        ['connection refused', 'holds'],
        [200, 'holds'],
      ],
    );
    t.match(whole.tries[1]!.signed, [{ name: 'Stripe-Signature', value: /^t=\d+,v1=[0-9a-f]{64}$/ }]);
    const guest = (await webhooks.one('note', 1, false))!;
    t.match(guest.tries[1], { signature: 'holds', signed: [{ name: 'Stripe-Signature', value: null }] });
    t.notMatch(JSON.stringify(whole), /whsec_|token=abc|u:p/, 'no secret leaves');
    await hook(at, 'h', { secret: 'whsec_another' });
    t.equal(
      (await webhooks.one('note', 1, true))!.tries[0]!.signature,
      'differs',
      'by the secret as it is now',
    );
    await at.ask('DELETE', '/hooks/h');
    t.equal((await webhooks.one('note', 1, true))!.tries[0]!.signature, 'gone');
    t.equal(await webhooks.one('note', 9, true), null);
    t.equal(await webhooks.one('none', 1, true), null);
  },
);

t.test(
  '[4.4] sent again is an attempt like any other: the same event, marked before it is made, and told',
  async t => {
    const release = Promise.withResolvers<Receipt>();
    const asked = Promise.withResolvers<void>();
    let hold = false;
    const answers: Receipt[] = [];
    const twins = { note: noteTwin({ retries: [60_000] }) };
    await using at = await openNoteWorld({
      twins,
      send: () => {
        if (hold) asked.resolve();
        return hold ? release.promise : (answers.shift() ?? { ok: true, status: 204, ms: 1 });
      },
    });
    await at.world.setClock('2026-02-01T00:00:00Z');
    await hook(at, 'h');
    answers.push(DOWN);
    await at.ask('PUT', '/notes/a', {});
    await at.world.settled();
    const { webhooks } = at.world;
    t.match(await webhooks.again('note', 7), { ok: false, why: 'no-such-webhook' });

    hold = true;
    const begun = await webhooks.again('note', 1);
    t.match(begun, { ok: true, webhook: { state: 'sending', attempts: 1, nextAt: null } });
    await asked.promise;
    t.equal(at.sql.get<{ n: number }>('SELECT count(*) AS n FROM delivery_under_way')!.n, 1, 'it is marked');
    t.match(await webhooks.again('note', 1), { ok: false, why: 'on-its-way' });
    release.resolve({ ok: true, status: 200, ms: 1 });
    await at.world.settled();
    hold = false;
    await at.world.advanceClock('1h');
    await at.world.settled();
    t.equal(at.sent.length, 2, 'the retry that waited is not made besides');
    t.equal(at.sent[0]!.body, at.sent[1]!.body);

    answers.push(DOWN);
    t.match(await webhooks.again('note', 1), { ok: true }, 'one that arrived, too');
    await at.world.settled();
    t.match((await webhooks.page({ failed: true })).webhooks, [{ state: 'failed', attempts: 3 }]);
    t.match(await webhooks.again('note', 1), { ok: true });
    await at.world.settled();
    const entries = (await at.world.log('note', 0))!.entries.filter(({ delivery }) => delivery !== undefined);
    t.strictSame(
      entries.map(({ kind, cause, delivery }) => [kind, cause, delivery!.id, delivery!.attempt]),
      [
        ['webhook.failed', 'note:2', 'note:delivery:1', 1],
        ['webhook.delivered', 'note:2', 'note:delivery:1', 2],
        ['webhook.failed', 'note:2', 'note:delivery:1', 3],
        ['webhook.delivered', 'note:2', 'note:delivery:1', 4],
      ],
    );
    t.strictSame(await webhooks.page({ failed: true }), { webhooks: [], next: null });
  },
);

t.test('pages go by keyset, and the newest bodies alone are kept', async t => {
  await using at = await openNoteWorld();
  await hook(at, 'h');
  for (const id of ['a', 'b', 'c']) await at.ask('PUT', `/notes/${id}`, {});
  await at.world.settled();
  const { webhooks } = at.world;
  const first = await webhooks.page({ limit: 2 });
  t.strictSame(
    first.webhooks.map(({ id }) => id),
    ['note:delivery:3', 'note:delivery:2'],
  );
  const second = await webhooks.page({ limit: 2, before: Number(first.next) });
  t.strictSame(
    second.webhooks.map(({ id }) => id),
    ['note:delivery:1'],
  );
  t.equal(second.next, null);
  // As if so many had been sent since.
  at.sql.run('UPDATE sqlite_sequence SET seq = ? WHERE name = ?', DELIVERY_BODY_ROWS_MAX + 1, 'delivery');
  await at.ask('PUT', '/notes/d', {});
  await at.world.settled();
  t.match((await webhooks.page({})).webhooks, [
    { id: `note:delivery:${DELIVERY_BODY_ROWS_MAX + 2}`, bodyKept: true },
    { bodyKept: true },
    { id: 'note:delivery:2', bodyKept: false },
  ]);
  t.match(await webhooks.one('note', 2, true), { body: null, tries: [{ signature: 'unknown' }] });
  t.match(await webhooks.again('note', 2), { ok: false, why: 'body-not-kept' });
});

t.test(
  'how the answer of a receiver that did not take it begins is kept, without what opens something',
  async t => {
    const bytes = new TextEncoder().encode(`<h1>no key sk_test_${'a'.repeat(24)}</h1>${'x'.repeat(2_000)}`);
    const body = (async function* () {
      yield bytes;
    })();
    let given = 0;
    await using at = await openNoteWorld({
      ports: {
        outbound: {
          ready: () => null,
          send: async () => ({
            ok: true,
            status: 500,
            ms: 1,
            headers: [],
            body,
            discard: () => void given++,
          }),
        },
      },
    });
    await hook(at, 'h');
    await at.ask('PUT', '/notes/a', {});
    await at.world.settled();
    const { tries } = (await at.world.webhooks.one('note', 1, true))!;
    t.match(tries[0]!.answer, /^<h1>no key /);
    t.notMatch(tries[0]!.answer, /aaaa/);
    t.ok(tries[0]!.answer!.length <= 520);
    t.equal(given, 1);
    t.notMatch(
      JSON.stringify((await at.world.log('note', 0))!.entries),
      /no key/,
      'the log has its status alone',
    );
  },
);
