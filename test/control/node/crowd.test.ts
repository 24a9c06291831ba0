import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { Crowd, connectionsMax, connectionsTurnedAway } from '../../../control/node/crowd.ts';
import { openWire } from '../../kit/wire.ts';

t.test(
  'connections beyond what there is room for are told so, counted, and logged once in a while',
  async t => {
    const logged: string[] = [];
    const before = connectionsTurnedAway();
    const say = (_fields: object, message: string): void => void logged.push(message);
    const log = { debug: say, info: say, warn: say, error: say };
    const server = createServer((request, response) => {
      if (!crowd.turnsAway(request, response)) response.end('served');
    });
    const crowd = new Crowd(server, log, 2);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const asked = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const held = [await openWire(port), await openWire(port)];
    for (const peer of held) {
      await peer.send(asked);
      t.equal((await peer.readResponse()).status, 200);
    }
    for (let nth = 0; nth < 2; nth++) {
      const late = await openWire(port);
      await late.send(asked);
      t.match(
        (await late.readToEnd()).toString(),
        /^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*as many connections open/,
      );
    }
    t.equal(connectionsTurnedAway() - before, 2);
    t.strictSame(logged, ['connections refused: too many at once (ulimit -n)']);
    await held[0]!.send(asked);
    t.equal((await held[0]!.readResponse()).status, 200, 'those that were first are served on');
    for (const peer of held) peer.socket.destroy();
  },
);

t.test('two listeners leave half of the descriptors to the stores', t => {
  t.equal(connectionsMax(1_024), 232);
  t.equal(connectionsMax(100), 8);
  t.equal(connectionsMax(Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);
  t.end();
});
