import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import t from 'tap';
import { type ResponseSink, UpstreamConnection } from '../../../proxy/upstream/connection.ts';
import type { UpstreamFailure } from '../../../proxy/upstream/failure.ts';

const nothing = (): void => {};

/** An exchange that keeps what it was told last. */
function sinkOf(told: { head: number; failure: UpstreamFailure | null }): ResponseSink {
  return {
    method: 'GET',
    // More of the request would follow, so that its head waits for the end of the turn.
    requestDone: false,
    bodyData: nothing,
    bodyEnd: nothing,
    responseInterim: nothing,
    responseHead: head => {
      told.head = head.status;
    },
    responseSwitched: nothing,
    responseDone: nothing,
    responseFailed: failure => {
      told.failure = failure;
    },
    responseFlush: nothing,
    requestDrained: nothing,
  };
}

t.test('bytes that were there before the request was written are not its answer', async t => {
  const server = createServer(peer => {
    peer.on('error', nothing).resume();
    peer.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  await once(socket, 'readable');
  const connection = new UpstreamConnection(socket, { give: nothing, gone: nothing });
  const told = { head: 0, failure: null as UpstreamFailure | null };
  const closed = once(socket, 'close');
  connection.begin(sinkOf(told), 'GET / HTTP/1.1\r\nHost: p.test\r\n\r\n');
  socket.resume();
  await closed;
  t.equal(told.head, 0);
  t.equal(told.failure?.stage, 'closed');
  t.equal(connection.answered, false, 'so that a read may be tried again');
  server.close();
});
