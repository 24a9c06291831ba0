// Answers of one connection in the order of its requests, whatever of them waits for the end of a turn.
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import t from 'tap';
import { AnswerWriter } from '../../../proxy/http1/answer.ts';
import type { RequestHead } from '../../../proxy/http1/request.ts';
import type { ResponseHead } from '../../../proxy/http1/response.ts';

/** More than the writes of which one at least waits, however little goes on. */
const ROUNDS = 32;
const REQUEST = { minor: 1, keepAlive: true } as RequestHead;
const head = (kind: 'length' | 'chunked', forwarded: string): ResponseHead =>
  ({ status: 200, reason: 'OK', forwarded, framing: { kind } }) as ResponseHead;

t.test('a pipelined answer that ends at once stands behind the one before it', async t => {
  let said = '';
  const socket = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      said += chunk.toString('latin1');
      done();
    },
  });
  const writer = new AnswerWriter(socket as Socket);
  let wanted = '';
  for (let n = 0; n < ROUNDS; n++) {
    writer.start(REQUEST);
    writer.head(head('length', 'Content-Length: 3\r\n'), true);
    writer.data(Buffer.from('abc'));
    writer.start(REQUEST);
    writer.head(head('chunked', ''), true);
    writer.end('');
    wanted += 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc';
    wanted += 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
  }
  await new Promise(setImmediate);
  t.equal(said, wanted);
});
