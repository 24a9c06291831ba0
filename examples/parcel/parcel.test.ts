// The twin as its customers use it. Run it with: node --test parcel.test.ts
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { openTwinWorld } from 'wrld/twin-test';
import handlers from './handlers.json' with { type: 'json' };

const API = 'https://api.parcel.example/v1';
const headers = { authorization: 'Bearer pk_test_x', 'content-type': 'application/json' };

type Parcel = { readonly id: string; readonly to: string; readonly status: string };
type Page = { readonly data: readonly Parcel[]; readonly has_more: boolean };

async function json<T>(answer: Promise<Response>): Promise<T> {
  return (await (await answer).json()) as T;
}

test('a parcel is sent once, listed by pages, and arrives', async () => {
  await using world = await openTwinWorld({
    twins: { parcel: new URL('./parcel.ts', import.meta.url) },
    at: '2026-03-02T08:00:00Z',
  });
  const post = (path: string, body: object, more: Record<string, string> = {}) =>
    world.fetch(`${API}${path}`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  const get = (path: string) => world.fetch(`${API}${path}`, { headers });

  const receiver = await world.receiver();
  const hook = await json<{ id: string; secret: string }>(post('/hooks', { url: receiver.url }));
  const ada = { to: 'Ada, Oslo', grams: 1200 };
  const first = await json<Parcel>(post('/parcels', ada, { 'idempotency-key': 'one' }));
  const again = await json<Parcel>(post('/parcels', ada, { 'idempotency-key': 'one' }));
  assert.equal(again.id, first.id);
  await post('/parcels', { to: 'Bob, Bergen', grams: 10 });

  const heavy = await post('/parcels', { to: 'Eve', grams: 1e9 });
  assert.deepEqual(
    [heavy.status, await heavy.json()],
    [422, { error: { code: 'too_heavy', message: 'grams: up to 30000.', field: 'grams' } }],
  );
  const newest = await json<Page>(get('/parcels?limit=1'));
  assert.deepEqual([newest.data[0]?.to, newest.has_more], ['Bob, Bergen', true]);
  const next = await json<Page>(get(`/parcels?limit=1&after=${newest.data[0]?.id}`));
  assert.deepEqual([next.data[0]?.id, next.has_more], [first.id, false]);

  await world.advance('4h');
  const { body, headers: signed } = await receiver.next();
  const event = new Webhook(hook.secret).verify(body, signed) as { type: string; data: Parcel };
  assert.deepEqual([event.type, event.data.status], ['parcel.collected', 'collected']);
  await world.advance('2d');
  assert.equal((await json<Parcel>(get(`/parcels/${first.id}`))).status, 'delivered');
  assert.equal((await json<Page>(get('/parcels?status=delivered'))).data.length, 2);
  const gone = await world.fetch(`${API}/hooks/${hook.id}`, { method: 'DELETE', headers });
  assert.equal(gone.status, 204);
  const page = await world.fetch(`https://track.parcel.example/${first.id}`);
  assert.match(await page.text(), /<h1>delivered<\/h1><p>To Ada, Oslo/);

  const kinds = (await world.log('parcel')).map(({ kind }) => kind);
  assert.deepEqual(kinds.slice(0, 3), ['hook.created', 'parcel.created', 'parcel.created']);
  assert.deepEqual(world.complaints, []);
});

test('a handler says what the twin would not', async () => {
  await using world = await openTwinWorld({
    twins: { parcel: new URL('./parcel.ts', import.meta.url) },
    handlers: { parcel: handlers },
  });
  const sent = await world.fetch(`${API}/parcels`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ to: 'Ada, Longyearbyen', grams: 5 }),
  });
  assert.equal(sent.status, 503);
  assert.equal((await world.fetch(`${API}/depots`, { headers })).status, 501);
  const { handlers: used, unmatched } = await world.scenario('parcel');
  assert.equal(used[0]?.matched, 1);
  assert.equal(unmatched[0]?.path, '/v1/depots');
});
