import t from 'tap';
import { descriptorsMax } from '../../process/descriptors.ts';
import { connectionsFor, upstreamsFor } from '../../proxy/descriptors.ts';
import { CLIENT_CONNECTIONS_MAX } from '../../proxy/limits.ts';

t.test('a client and its upstream fit into what the system grants, with room to spare', t => {
  for (const [descriptors, workers] of [
    [128, 1],
    [1_024, 1],
    [1_024, 4],
    [65_536, 8],
  ] as const) {
    const clients = connectionsFor(descriptors, workers);
    t.ok(clients >= 4, `${descriptors}`);
    t.ok(2 * clients + 64 <= descriptors, `${descriptors}: ${clients}`);
    const upstreams = upstreamsFor(descriptors, workers);
    t.ok(upstreams >= clients, `${descriptors}: ${upstreams} beside ${clients}`);
    t.ok(upstreams + clients + 64 <= descriptors, `${descriptors}: ${upstreams} and ${clients}`);
  }
  t.equal(connectionsFor(20, 1), 4, 'a few are tried in any case');
  t.equal(upstreamsFor(20, 1), 4);
  t.ok(connectionsFor(Number.POSITIVE_INFINITY, 1) > CLIENT_CONNECTIONS_MAX);
  t.end();
});

t.test('the system says how many', t => {
  t.ok(descriptorsMax() > 100);
  t.end();
});
