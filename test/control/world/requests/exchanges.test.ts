// The newest exchanges of a world, in memory: how many, how much, and what of a stream.
import t from 'tap';
import {
  EXCHANGE_BODY_BYTES_MAX,
  EXCHANGES_BYTES_MAX,
  KEPT_REQUESTS_MAX,
} from '../../../../control/world/limits.ts';
import { Exchanges } from '../../../../control/world/requests/exchanges.ts';
import type { Call } from '../../../../twins/kit/call.ts';
import type { Reply } from '../../../../twins/kit/reply.ts';

const callOf = (span: string, more: Partial<Call> = {}): Call => ({
  method: 'GET',
  host: 'api.test',
  via: 'host',
  path: '/x',
  query: '',
  headers: {},
  body: new Uint8Array(),
  caller: null,
  scope: 'write',
  trace: { traceId: 'a'.repeat(32), spanId: span, parentId: null },
  ...more,
});
const replyOf = (body: Reply['body']): Reply => ({ status: 200, headers: [], body });

t.test('[4.9] the newest exchanges are kept, as many and as much as there is room for', t => {
  const exchanges = new Exchanges();
  for (let n = 0; n <= KEPT_REQUESTS_MAX; n++) exchanges.keep(callOf(`s${n}`), replyOf('x'));
  t.equal(exchanges.of('s0'), undefined, 'one more than are kept');
  t.match(exchanges.of('s1'), { status: 200, answered: { bytes: 1, pieces: ['x'] } });
  const large = 'x'.repeat(EXCHANGE_BODY_BYTES_MAX);
  const room = EXCHANGES_BYTES_MAX / EXCHANGE_BODY_BYTES_MAX;
  for (let n = 0; n < room; n++) exchanges.keep(callOf(`l${n}`), replyOf(large));
  t.equal(exchanges.of('s1'), undefined, 'small ones make room');
  t.ok(exchanges.of('l0'));
  exchanges.keep(callOf('l'), replyOf(large));
  t.equal(exchanges.of('l0'), undefined, 'and so do large ones');
  exchanges.keep(callOf('more', { body: new Uint8Array(EXCHANGE_BODY_BYTES_MAX + 1) }), replyOf(`${large}x`));
  t.match(exchanges.of('more'), {
    asked: { bytes: EXCHANGE_BODY_BYTES_MAX + 1, pieces: null },
    answered: { bytes: EXCHANGE_BODY_BYTES_MAX + 1, pieces: null },
  });
  t.ok(exchanges.of('l1'), 'a body that is too long takes no room');
  exchanges.keep(callOf('wire', { via: 'stream' }), replyOf('x'));
  t.equal(exchanges.of('wire'), undefined);
  exchanges.clear();
  t.equal(exchanges.of('l'), undefined);
  t.end();
});

t.test('[4.9] of a stream, what was sent of it is kept, and it is the same stream', async t => {
  const exchanges = new Exchanges();
  let ended = false;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (const text of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']) yield new TextEncoder().encode(text);
    } finally {
      ended = true;
    }
  }
  const reply = exchanges.keep(callOf('s'), replyOf(pieces()));
  const read: string[] = [];
  for await (const piece of reply.body as AsyncIterable<Uint8Array>) {
    read.push(new TextDecoder().decode(piece));
    piece.fill(0);
    if (read.length === 2) break;
  }
  t.strictSame(read, ['data: 1\n\n', 'data: 2\n\n']);
  t.equal(ended, true, 'whoever leaves it ends it');
  const { answered } = exchanges.of('s')!;
  t.equal(answered.bytes, 18);
  t.strictSame(
    answered.pieces!.map(piece => new TextDecoder().decode(piece as Uint8Array)),
    read,
    'its bytes are its own',
  );
});

t.test('[4.9] a stream that grows too long is counted and not kept', async t => {
  const exchanges = new Exchanges();
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let n = 0; n < 3; n++) yield new Uint8Array(EXCHANGE_BODY_BYTES_MAX / 2);
  }
  const reply = exchanges.keep(callOf('s'), replyOf(pieces()));
  for await (const _ of reply.body as AsyncIterable<Uint8Array>);
  t.match(exchanges.of('s')!.answered, { bytes: 1.5 * EXCHANGE_BODY_BYTES_MAX, pieces: null });
});
