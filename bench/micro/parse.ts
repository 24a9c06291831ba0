// What reading costs: heads of requests and responses as clients and vendors send them, bodies, names and paths.
import { parseAuthority } from '../../policy/authority.ts';
import { resolvePath } from '../../policy/path.ts';
import { BodyReader, CHUNKED } from '../../proxy/http1/body.ts';
import { readRequestHead } from '../../proxy/http1/request.ts';
import { readResponseHead } from '../../proxy/http1/response.ts';
import type { Table } from '../report.ts';
import { nanosecondsEach } from './timing.ts';

const TIMES = 1_000;

const REQUEST = [
  'POST /v1/customers?expand[]=data HTTP/1.1',
  'Accept: application/json',
  'Content-Type: application/x-www-form-urlencoded',
  'User-Agent: Stripe/v1 NodeBindings/23.1.0',
  'X-Stripe-Client-User-Agent: {"bindings_version":"23.1.0","lang":"node","publisher":"stripe","uname":"Linux"}',
  'Stripe-Version: 2026-10-28.endive',
  'Idempotency-Key: stripe-node-retry-6b6b3a7c-5c7e-4f4d-9d6b-0f6a3c6f7a11',
  'Authorization: Bearer sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  'Content-Length: 29',
  'Host: api.stripe.com',
  'Connection: keep-alive',
  '',
  '',
].join('\r\n');

const RESPONSE = [
  'HTTP/1.1 200 OK',
  'Server: nginx',
  'Date: Sat, 21 Nov 2026 12:00:00 GMT',
  'Content-Type: application/json',
  'Content-Length: 1008',
  'Connection: keep-alive',
  'Access-Control-Allow-Credentials: true',
  'Cache-Control: no-cache, no-store',
  'Request-Id: req_4eC39HqLyjWDar',
  'Strict-Transport-Security: max-age=63072000; includeSubDomains; preload',
  '',
  '',
].join('\r\n');

const CHUNKS = Buffer.from(`${`400\r\n${'x'.repeat(1024)}\r\n`.repeat(8)}0\r\n\r\n`);
const IGNORED = { bodyData: (): void => {}, bodyEnd: (): void => {} };

export function measureParse(): Table {
  const body = new BodyReader();
  const things: readonly (readonly [name: string, work: () => unknown])[] = [
    ['a request head, 11 fields', () => readRequestHead(REQUEST)],
    ['a response head, 9 fields', () => readResponseHead(RESPONSE, 'GET')],
    [
      'a chunked body, 8 KB',
      () => {
        body.start(CHUNKED);
        return body.read(CHUNKS, 0, IGNORED);
      },
    ],
    ['a name, as CONNECT gives it', () => parseAuthority('api.stripe.com:443', null)],
    ['a path, nothing to resolve', () => resolvePath('/v1/customers/cus_4eC39HqLyjWDar?expand[]=data')],
    ['a path with dot segments', () => resolvePath('/v1/a/../customers/./cus_4eC39HqLyjWDar')],
  ];
  return {
    title: 'Reading, one thing each',
    head: ['', 'ns'],
    rows: things.map(([name, work]) => [
      name,
      nanosecondsEach(TIMES, () => {
        for (let i = 0; i < TIMES; i++) work();
      }).toFixed(0),
    ]),
  };
}
