// Whether a request was done whose answer was lost (3): what each answer to the question says of it.
import t from 'tap';
import { cancelled, GONE, objectIn, reading } from '../../../twins/kit/lookups.ts';
import type { VendorAnswer, VendorRequest } from '../../../twins/kit/real-vendor.ts';

const answer = (status: number, body: unknown): VendorAnswer => ({
  status,
  headers: [],
  body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
});
const OF = { reference: 'wrld-1', since: 0 };
const REQUEST: VendorRequest = {
  method: 'POST',
  path: '/v1/batches/b_1/cancel?beta=true',
  headers: [
    ['Content-Type', 'application/json'],
    ['version', '1'],
  ],
  body: '{}',
};

t.test('[storage.md, Deploy] what was to end is gone by the vendor’s own word alone', t => {
  const rows: readonly (readonly [status: number, body: unknown, found: object | null | 'throws'])[] = [
    [404, { error: { message: 'none' } }, {}],
    [410, { error: {} }, {}],
    [404, '<html>', 'throws'],
    [404, { message: 'no route' }, 'throws'],
    [200, { id: 'f_1' }, null],
    [200, '<html>', 'throws'],
    [401, { error: {} }, 'throws'],
    [500, { error: {} }, 'throws'],
    [302, '', 'throws'],
  ];
  for (const [status, body, found] of rows) {
    const look = () => GONE.found(answer(status, body), OF);
    if (found === 'throws') t.throws(look, `${status} ${JSON.stringify(body)}`);
    else t.strictSame(look(), found, `${status} ${JSON.stringify(body)}`);
  }
  t.end();
});

t.test('[storage.md, Deploy] what was to be cancelled says so, at the address before the word', t => {
  const lookup = cancelled(
    object => object['status'] === 'cancelled',
    object => ({ id: String(object['id']) }),
  );
  t.strictSame(lookup.ask(REQUEST, 'wrld-1'), {
    method: 'GET',
    path: '/v1/batches/b_1?beta=true',
    headers: [['version', '1']],
    body: null,
  });
  t.strictSame(lookup.found(answer(200, { id: 'b_1', status: 'cancelled' }), OF), { id: 'b_1' });
  t.equal(lookup.found(answer(200, { id: 'b_1', status: 'completed' }), OF), null);
  t.throws(() => lookup.found(answer(404, { error: {} }), OF), 'what is gone was not cancelled for certain');
  t.strictSame(reading(REQUEST, '/x').headers, [['version', '1']]);
  t.throws(() => objectIn(answer(200, '[]')));
  t.end();
});
