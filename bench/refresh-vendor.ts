// A process in the place of Stripe for the bench of a refresh: so many customers, in lists as Stripe answers them, and no
// events. It prints its port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const records = Number(process.argv[2]);
const FIRST = 1_700_000_000;

const idOf = (n: number): string => `cus_${String(n).padStart(14, '0')}`;
const numberOf = (id: string): number => Number(id.slice('cus_'.length));

const customer = (n: number): object => ({
  id: idOf(n),
  object: 'customer',
  address: {
    city: 'Bern',
    country: 'CH',
    line1: `Street ${n}`,
    line2: null,
    postal_code: '3000',
    state: null,
  },
  balance: 0,
  created: FIRST + n,
  currency: 'usd',
  default_source: null,
  delinquent: false,
  description: `Customer number ${n} of the bench`,
  discount: null,
  email: `customer-${n}@example.com`,
  invoice_prefix: String(n).padStart(8, '0'),
  invoice_settings: {
    custom_fields: null,
    default_payment_method: null,
    footer: null,
    rendering_options: null,
  },
  livemode: false,
  metadata: { number: String(n), plan: n % 2 === 0 ? 'gold' : 'silver' },
  name: `Customer ${n}`,
  next_invoice_sequence: 1,
  phone: null,
  preferred_locales: [],
  shipping: null,
  tax_exempt: 'none',
  test_clock: null,
});

/** Newest first, as Stripe lists; numbers grow with the time of creation. */
function page(query: URLSearchParams): object {
  const limit = Number(query.get('limit') ?? 10);
  const gte = Math.max(0, Number(query.get('created[gte]') ?? FIRST) - FIRST);
  const lte = Math.min(records - 1, Number(query.get('created[lte]') ?? Number.MAX_SAFE_INTEGER) - FIRST);
  const before = query.get('ending_before');
  const after = query.get('starting_after');
  const low = before === null ? gte : numberOf(before) + 1;
  const high = after === null ? lte : Math.min(lte, numberOf(after) - 1);
  const top = before === null ? high : Math.min(high, low + limit - 1);
  const data = [];
  for (let n = top; n >= low && data.length < limit; n--) data.push(customer(n));
  const more = before === null ? top - data.length >= low : top < high;
  return { object: 'list', data, has_more: more, url: '/v1/customers' };
}

const server = createServer((request, response) => {
  const url = new URL(request.url!, 'http://vendor');
  const isCustomers = url.pathname === '/v1/customers';
  const body = isCustomers
    ? page(url.searchParams)
    : { object: 'list', data: [], has_more: false, url: url.pathname };
  response.writeHead(200, { 'content-type': 'application/json' });
  // As Stripe writes it.
  response.end(JSON.stringify(body, null, 2));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
