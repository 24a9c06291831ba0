// The counter of the load client: a miscount here would be a false number in every table.
import t from 'tap';
import { Responses } from '../../../bench/client/responses.ts';

const SIZED = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';

t.test('counts each response once, wherever the stream is cut', async test => {
  for (const one of [SIZED, CHUNKED]) {
    const stream = Buffer.from(one + one + SIZED + one);
    for (let size = 1; size <= stream.length; size++) {
      const responses = new Responses();
      let count = 0;
      for (let at = 0; at < stream.length; at += size)
        count += responses.feed(stream.subarray(at, at + size));
      test.equal(count, 4, `pieces of ${size} bytes`);
    }
  }
});

t.test('a response as long as the one before it, in one piece, is one response', async test => {
  const responses = new Responses();
  const counts = [SIZED, SIZED, SIZED].map(one => responses.feed(Buffer.from(one)));
  test.same(counts, [1, 1, 1]);
});

t.test('an answer other than 200 is an error and no count', async test => {
  const refusal = 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n';
  test.throws(() => new Responses().feed(Buffer.from(refusal)), /502 Bad Gateway/);
  const sameLength = SIZED.replace('200 OK', '502 No');
  const responses = new Responses();
  responses.feed(Buffer.from(SIZED));
  test.throws(
    () => responses.feed(Buffer.from(sameLength)),
    /502|answered/,
    'not even one of the usual length',
  );
});
