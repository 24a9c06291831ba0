// What the vendor calls the records that a request made (3): the one that it tells of, those named in the same places, and
// those inside of its answer.
import t from 'tap';
import { Actions } from '../../../../control/world/changesets/actions.ts';
import { idPairs } from '../../../../control/world/changesets/renaming.ts';
import type { Change, Entry } from '../../../../control/world/log/entry.ts';
import type { Done, RealVendor } from '../../../../twins/kit/real-vendor.ts';

const made = (type: string, id: string, after: object = {}): Change => ({
  op: 'put',
  type,
  id,
  after: { id, ...after },
});

const entryOf = (changes: readonly Change[], body = 'x=1'): Entry => ({
  id: 'stripe:1',
  twin: 'stripe',
  position: 1,
  kind: 'x',
  occurredAt: '2026-01-01T00:00:00.000Z',
  recordedAt: '2026-01-01T00:00:00.000Z',
  actor: { type: 'client' },
  changes,
  request: { method: 'POST', path: '/v1/subscriptions', body },
});

const pairs = (entry: Entry, done: Done, real?: Pick<RealVendor, 'adopt'>, aliases?: Map<string, string>) =>
  Object.fromEntries(
    idPairs(new Actions().of(entry)!, entry, done, {
      real: real === undefined ? undefined : { authorize: () => [], ...real },
      aliases,
    }),
  );

const REAL = {
  id: 'sub_real',
  object: 'subscription',
  latest_invoice: 'in_real',
  customer: 'cus_real',
  items: { data: [{ id: 'si_one' }, { id: 'si_two' }] },
};

t.test('[3] the record itself, and what stands where it stands in the answer', t => {
  const entry = entryOf([
    made('invoice', 'in_here'),
    made('subscription', 'sub_here', { latest_invoice: 'in_here', customer: 'cus_here', status: 'active' }),
  ]);
  t.strictSame(
    pairs(entry, { id: 'sub_real', object: REAL }),
    { sub_here: 'sub_real', in_here: 'in_real' },
    'the customer was made by another request',
  );
  t.strictSame(
    pairs(entry, { id: 'sub_real' }),
    { sub_here: 'sub_real' },
    'without the object, the kind that its path ends with is meant',
  );
  t.strictSame(pairs(entry, {}), {});
  t.end();
});

t.test('[3] records inside of the answer are told apart by what they say', t => {
  const entry = entryOf([
    made('subscription', 'sub_here'),
    made('item', 'si_a', { price: 'price_here', quantity: 1 }),
    made('item', 'si_b', { price: 'price_2', quantity: 1 }),
  ]);
  const item = (id: string, price: string) => ({ type: 'item', id, body: { id, price, quantity: 1 } });
  const adopt = () => [
    item('si_two', 'price_2'),
    item('si_one', 'price_real'),
    { ...item('x', ''), type: 'other' },
  ];
  const aliases = new Map([['price_here', 'price_real']]);
  t.strictSame(pairs(entry, { id: 'sub_real', object: { object: 'subscription' } }, { adopt }, aliases), {
    sub_here: 'sub_real',
    si_a: 'si_one',
    si_b: 'si_two',
  });
  const same = () => [item('si_one', 'p'), item('si_two', 'p')];
  t.strictSame(
    pairs(entry, { id: 'sub_real', object: { object: 'subscription' } }, { adopt: same }),
    { sub_here: 'sub_real' },
    'where nothing tells them apart, nobody guesses',
  );
  t.end();
});

t.test('[3] an id that the client chose, and one that is a number, are no random tokens', t => {
  const chosen = entryOf([made('product', 'gold', {})], 'id=gold&name=gold');
  t.strictSame(pairs(chosen, { id: 'prod_real', object: { object: 'product' } }), {});
  t.strictSame(pairs(entryOf([made('issue', '12')]), { id: '77' }), {});
  t.strictSame(pairs(entryOf([made('issue', 'iss_1')]), { id: '77' }), {});
  t.end();
});

t.test('[3] an object that the twin keeps under another name, and those that an answer lists', t => {
  const entry = entryOf([
    made('store_file', 'vs_here file-here'),
    made('store_file_batch', 'vsfb_here'),
    made('item', 'msg_b'),
    made('item', 'msg_a'),
  ]);
  const object = { id: 'vsfb_real', object: 'store.files_batch' };
  const adopt = () => [{ type: 'store_file_batch', id: 'vsfb_real', body: object }];
  t.strictSame(pairs(entry, { id: 'vsfb_real', object }, { adopt }), { vsfb_here: 'vsfb_real' });
  const listed = ['msg_1', 'msg_2'].map(id => ({ type: 'item', id }));
  t.strictSame(pairs(entry, { listed }), { msg_b: 'msg_1', msg_a: 'msg_2' });
  t.strictSame(pairs(entry, { listed: listed.slice(1) }), {}, 'of another count nobody knows which is which');
  t.end();
});
