// Actions of a changeset: what a client asked, asked again, with references for the ids that earlier actions made.

import t from 'tap';
import { Actions, filled } from '../../../../control/world/changesets/actions.ts';
import type { Change, Entry } from '../../../../control/world/log/entry.ts';
import { fc } from '../../../kit/property.ts';

let position = 0;
const entry = (request: Entry['request'], changes: readonly Change[], more: Partial<Entry> = {}): Entry => ({
  id: `stripe:${++position}`,
  twin: 'stripe',
  position,
  kind: 'x',
  occurredAt: '2026-01-01T00:00:00.000Z',
  recordedAt: '2026-01-01T00:00:00.000Z',
  actor: { type: 'client' },
  changes,
  ...(request && { request }),
  ...more,
});
const made = (type: string, id: string): Change => ({ op: 'put', type, id, after: {} });

t.test('[2.6] ids that earlier actions made are references, in path, query and body', async t => {
  const actions = new Actions();
  const customer = actions.of(
    entry({ method: 'POST', path: '/v1/customers', body: 'email=a%40b.c' }, [made('customer', 'cus_1A')]),
  );
  t.match(customer, {
    actionId: 'a1',
    kind: 'create',
    target: { type: 'customer', id: 'cus_1A' },
    dependsOn: [],
  });
  const $ref = { type: 'customer', id: 'cus_1A' };
  const card = actions.of(
    entry(
      {
        method: 'POST',
        path: '/v1/customers/cus_1A/sources',
        query: 'expand[]=customer',
        body: 'metadata[of]=cus_1A&x=cus_1AB',
      },
      [made('card', 'card_2')],
    ),
  );
  t.match(card, {
    actionId: 'a2',
    request: {
      path: ['/v1/customers/', { $ref }, '/sources'],
      query: ['expand[]=customer'],
      body: ['metadata[of]=', { $ref }, '&x=cus_1AB'],
    },
    dependsOn: ['a1'],
  });
  t.equal(
    filled(card!.request.path, () => 'cus_real'),
    '/v1/customers/cus_real/sources',
  );
  t.end();
});

t.test('what nobody asked for makes no action; what changes or ends a record says so', async t => {
  const actions = new Actions();
  t.equal(actions.of(entry(undefined, [made('invoice', 'in_1')], { actor: { type: 'system' } })), null);
  const request = { method: 'POST', path: '/v1/customers/cus_9' };
  const changed = { op: 'put', type: 'customer', id: 'cus_9', before: {}, after: {} } as const;
  t.match(actions.of(entry(request, [changed, made('event', 'evt_1')])), { kind: 'update', dependsOn: [] });
  t.match(actions.of(entry(request, [{ op: 'delete', type: 'customer', id: 'cus_9', before: {} }])), {
    kind: 'delete',
  });
});

t.test('a text with any ids in it is the same text when each is its own', async t => {
  const ids = ['cus_1', 'in_22', 'sub_x-y'];
  const word = fc.oneof(
    fc.constantFrom(...ids, '&', '=', '{"a":"', '"}', '%20', '/', ' '),
    fc.string({ maxLength: 4 }),
  );
  await fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), words => {
      const actions = new Actions();
      for (const id of ids) actions.of(entry({ method: 'POST', path: '/' }, [made('any', id)]));
      const body = words.join('');
      const action = actions.of(entry({ method: 'POST', path: '/', body }, []))!;
      t.equal(
        filled(action.request.body!, ({ id }) => id),
        body,
      );
      for (const part of action.request.body!)
        if (typeof part === 'string')
          for (const token of part.match(/[A-Za-z0-9_-]+/g) ?? []) t.notOk(ids.includes(token));
    }),
  );
});

t.test(
  '[2.6] a request that ends something is about what its path names last, whatever is written before it',
  async t => {
    const event = made('event', 'evt_1');
    const card: Change = { op: 'put', type: 'card', id: 'card_2', before: {}, after: { deleted: true } };
    const customer: Change = { op: 'put', type: 'customer', id: 'cus_1', before: {}, after: {} };
    const changes = [event, customer, card];
    const request = { method: 'DELETE', path: '/v1/customers/cus_1/sources/card_2' };
    t.match(new Actions().of(entry(request, changes)), {
      kind: 'delete',
      target: { type: 'card', id: 'card_2' },
    });
    const other = { ...request, method: 'POST' };
    t.match(new Actions().of(entry(other, changes)), {
      kind: 'create',
      target: { type: 'event', id: 'evt_1' },
    });
  },
);

t.test(
  '[3] the files that a form sends are nobody’s to change: an id in them stays, and names nothing',
  t => {
    const actions = new Actions();
    actions.of(entry({ method: 'POST', path: '/v1/files', body: 'x' }, [made('file', 'file-1A')]));
    const body = '--b\r\ncontent-disposition: form-data; name="file"\r\n\r\nsee file-1A\r\n--b--\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const part = actions.of(
      entry({ method: 'POST', path: '/v1/files/file-1A/parts', headers, body }, [made('part', 'part_2')]),
    );
    t.match(part!.request, { path: ['/v1/files/', { $ref: { id: 'file-1A' } }, '/parts'], body: [body] });
    t.equal(part!.request.body!.length, 1);
    t.strictSame(part!.dependsOn, ['a1']);
    t.end();
  },
);
