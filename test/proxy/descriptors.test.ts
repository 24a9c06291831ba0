import t from 'tap';
import { descriptorsMax } from '../../process/descriptors.ts';
import { roomOf } from '../../proxy/descriptors.ts';
import { CLIENT_CONNECTIONS_MAX, UPSTREAMS_KEPT } from '../../proxy/limits.ts';

t.test('a client and its upstream fit into what the system grants, with room to spare', t => {
  for (const [descriptors, workers] of [
    [128, 1],
    [1_024, 1],
    [1_024, 4],
    [4_096, 2],
  ] as const) {
    const { clients, upstreams, together } = roomOf(descriptors, workers);
    t.ok(clients >= 4, `${descriptors}`);
    t.ok(2 * clients + 64 <= descriptors, `${descriptors}: ${clients}`);
    t.ok(upstreams >= clients, `${descriptors}: ${upstreams} beside ${clients}`);
    t.ok(together + 64 <= descriptors, `${descriptors}: ${together}`);
  }
  t.match(roomOf(20, 1), { clients: 4, upstreams: 4, together: 8 }, 'a few are tried in any case');
  t.end();
});

t.test('[performance] where there are many, clients that only wait take what upstreams do not need', t => {
  for (const descriptors of [20_000, 65_536]) {
    const { clients, upstreams, together } = roomOf(descriptors, 1);
    t.ok(clients > 10_000, `${descriptors}: ${clients}`);
    t.ok(together - clients >= UPSTREAMS_KEPT, `${descriptors}: ${together - clients} upstreams beside them`);
    t.ok(upstreams > UPSTREAMS_KEPT);
    t.ok(together + 64 <= descriptors);
  }
  t.ok(roomOf(Number.POSITIVE_INFINITY, 1).clients > CLIENT_CONNECTIONS_MAX);
  t.end();
});

t.test('the system says how many', t => {
  t.ok(descriptorsMax() > 100);
  t.end();
});
