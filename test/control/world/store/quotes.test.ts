// What records show of others: kept as the version that it is, and read back to the same text.

import t from 'tap';
import { quoted, unquoted } from '../../../../control/world/store/quotes.ts';
import type { RecordBody } from '../../../../twins/kit/tx.ts';
import { fc } from '../../../kit/property.ts';

const RUNS = 2_000;
const AT = ['data', 'object'];

const held = (type: string, id: string, body: RecordBody): RecordBody => ({ id, object: type, ...body });
const LINE = held('line', 'l1', { $invoice: 'i1', amount: 5, period: { start: 1, end: 2 } });
const INVOICE = held('invoice', 'i1', { $hidden: true, status: 'paid', total: 5, note: null });

const roundTrip = (body: RecordBody, standing: readonly RecordBody[]) => {
  const find = (type: string, id: string) =>
    standing.find(each => each['object'] === type && each['id'] === id);
  const short = quoted(body, AT, (type, id) => {
    const found = find(type, id);
    return found === undefined ? undefined : { pos: 7, body: found };
  });
  const stored = JSON.parse(JSON.stringify(short)) as RecordBody;
  const whole = unquoted(stored, (type, id, pos) => {
    if (pos !== 7) throw new Error(`${pos}`);
    return JSON.stringify(find(type, id));
  });
  return { stored, text: JSON.stringify(whole) };
};

const shownOf = (record: RecordBody): RecordBody =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('$')));
const INVOICE_SHOWN = shownOf(INVOICE);
const LINE_SHOWN = shownOf(LINE);

t.test('[storage] what a record shows is kept as its version, with what is shown otherwise', t => {
  const object = {
    ...INVOICE_SHOWN,
    status: 'open',
    lines: { object: 'list', data: [{ ...LINE_SHOWN, amount: 4 }], url: '/x' },
  };
  const event = { id: 'e1', data: { object, previous: { status: 'draft' } }, type: 'invoice.paid' };
  const { stored, text } = roundTrip(event, [INVOICE, LINE]);
  t.equal(text, JSON.stringify(event));
  t.strictSame(stored, {
    id: 'e1',
    data: { object: null, previous: { status: 'draft' } },
    type: 'invoice.paid',
    $quotes: [
      {
        at: AT,
        type: 'invoice',
        id: 'i1',
        pos: 7,
        but: { status: 'open', lines: { object: 'list', data: [null], url: '/x' } },
      },
      { at: [...AT, 'lines', 'data', 0], type: 'line', id: 'l1', pos: 7, but: { amount: 4 } },
    ],
  });
  t.end();
});

t.test(
  '[storage] what is no record of this call, or has its fields in another order, is kept as it is',
  t => {
    const object = { status: 'paid', ...INVOICE_SHOWN };
    for (const body of [{ data: { object: LINE_SHOWN } }, { data: { object } }, { data: {} }, {}]) {
      const { stored, text } = roundTrip(body, [INVOICE]);
      t.notOk('$quotes' in stored);
      t.equal(text, JSON.stringify(body));
    }
    t.end();
  },
);

t.test('[storage] what a person wrote to look like a quote is no quote', t => {
  const metadata = { $quotes: [{ at: AT, type: 'line', id: 'l1', pos: 1 }] };
  const object = { ...INVOICE_SHOWN, metadata };
  const event = { id: 'e1', data: { object } };
  t.equal(roundTrip(event, [INVOICE]).text, JSON.stringify(event));
  t.equal(roundTrip(event, []).text, JSON.stringify(event));
  t.end();
});

t.test('[storage] whatever is shown is read back to the same text', t => {
  const name = fc.constantFrom('a', 'b', 'c', '$own', 'list', '__proto__');
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(LINE, LINE_SHOWN, { ...LINE_SHOWN, amount: 4 }, undefined),
  );
  const fields = fc.array(fc.tuple(name, value), { maxLength: 5 }).map(each => Object.fromEntries(each));
  const list = fc.array(value, { maxLength: 3 }).map(data => ({ lines: { object: 'list', data } }));
  fc.assert(
    fc.property(fields, fields, list, (stands, changed, lines) => {
      const invoice = held('invoice', 'i1', stands as RecordBody);
      const shown = Object.entries({ ...invoice, ...(changed as RecordBody), ...lines });
      const object = Object.fromEntries(shown.filter(([field]) => !field.startsWith('$')));
      const event = { id: 'e1', data: { object, more: 1 } };
      return roundTrip(event, [invoice, LINE]).text === JSON.stringify(event);
    }),
    { numRuns: RUNS },
  );
  t.end();
});
