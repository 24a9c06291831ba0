import t from 'tap';
import { anthropicTwin } from '../../../../twins/anthropic/twin.ts';
import type { Observed } from '../../../../twins/kit/real-vendor.ts';
import type { Reader, RecordBody } from '../../../../twins/kit/tx.ts';
import { openaiTwin } from '../../../../twins/openai/twin.ts';
import { ingestsWith } from '../../../../twins/stripe/real/ingests.ts';
import { stripeTwin } from '../../../../twins/stripe/twin.ts';

const adopt = (object: RecordBody): readonly Observed[] =>
  object['object'] === 'unknown'
    ? []
    : [{ type: String(object['object']), id: String(object['id']), body: object }];
const { fold } = ingestsWith(() => adopt);
const HELD = {} as Reader;
const folded = (body: RecordBody) => fold(body, HELD, { headers: {}, body: new Uint8Array(0) });
const event = (type: string, object: RecordBody) => ({
  id: 'evt_1',
  object: 'event',
  created: 1_780_000_000,
  type,
  data: { object },
});
const CUSTOMER = { id: 'cus_1', object: 'customer', name: 'Ann' };

t.test('[6.2] an event of Stripe’s brings its object as it was, under its own name and time', async t => {
  t.strictSame(folded(event('customer.updated', CUSTOMER)), {
    id: 'evt_1',
    kind: 'customer.updated',
    at: 1_780_000_000,
    put: [{ type: 'customer', id: 'cus_1', body: CUSTOMER }],
    gone: [],
  });
});

t.test('[6.2] what is deleted is gone, but for a subscription, which has ended', async t => {
  t.match(folded(event('customer.deleted', CUSTOMER)), {
    put: [],
    gone: [{ type: 'customer', id: 'cus_1' }],
  });
  const ended = { id: 'sub_1', object: 'subscription', status: 'canceled' };
  t.match(folded(event('customer.subscription.deleted', ended)), { put: [{ id: 'sub_1' }], gone: [] });
});

t.test('[6.2] what is no event, or of nothing that is kept, comes to nothing', async t => {
  for (const body of [
    {},
    { ...event('x.y', CUSTOMER), object: 'v2.core.event' },
    { ...event('x.y', CUSTOMER), id: 7 },
    { ...event('x.y', CUSTOMER), type: null },
    { ...event('x.y', CUSTOMER), data: null },
    { ...event('x.y', CUSTOMER), data: { object: [] } },
    event('x.y', { id: 'x', object: 'unknown' }),
  ])
    t.equal(folded(body as RecordBody), null, JSON.stringify(body));
  t.equal(
    ingestsWith(() => undefined).fold(event('a.b', CUSTOMER), HELD, { headers: {}, body: new Uint8Array(0) }),
    null,
  );
});

t.test('[4.6] each vendor is shown its credential as it takes it', async t => {
  t.strictSame(stripeTwin.real?.authorize('sk_live_1'), [['Authorization', 'Bearer sk_live_1']]);
  t.throws(() => stripeTwin.real?.authorize('pk_live_1'), { message: /^(?!.*pk_live)/ });
  t.strictSame(openaiTwin.real?.authorize('sk-1'), [['Authorization', 'Bearer sk-1']]);
  t.strictSame(anthropicTwin.real?.authorize('sk-ant-1'), [['x-api-key', 'sk-ant-1']]);
});
