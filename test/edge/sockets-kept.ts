// Which WebSockets an object may be put away with, and what it keeps of them: on workerd, with the platform's own sockets.

import type { Site } from '../../control/http/site.ts';
import type { OpenSocket } from '../../control/world/work/open-socket.ts';
import { HibernatingSockets } from '../../edge/hibernating-sockets.ts';
import type { Case } from '../contract/suite.ts';

const nothing = (): void => {};

type Given = { readonly header?: string; readonly state: string | null };

function sockets(ctx: DurableObjectState, { header = '', state }: Given) {
  const roused: number[] = [];
  const held = new HibernatingSockets({
    ctx,
    kv: ctx.storage.kv,
    site: async () => null,
    log: () => ({ debug: nothing, info: nothing, warn: nothing, error: nothing }),
    rouse: at => roused.push(at),
  });
  const call = { method: 'GET', host: '', via: 'url', path: '/', query: '', headers: {} } as const;
  const trace = { traceId: '0'.repeat(32), spanId: '1'.repeat(16), parentId: null };
  const socket: OpenSocket = {
    protocol: null,
    open: async () => [],
    message: async () => [],
    closed: async () => {},
    kept: () =>
      state === null
        ? null
        : { call: { ...call, caller: 'token', scope: 'write', trace }, state: { text: state } },
  };
  const arrived = { method: 'GET', target: '/', rawHeaders: ['x-long', header], from: 'client' } as const;
  return { shaken: held.accept(arrived, socket, () => true), held, roused };
}

/** As a world that still lets in whoever asks. */
const letsIn = { upgrade: () => ({ at: 'socket', stands: () => true }) } as unknown as Site;

const rows = (ctx: DurableObjectState): number => [...ctx.storage.kv.list({ prefix: 'socket/' })].length;

export const SOCKET_CASES: readonly Case<DurableObjectState>[] = [
  {
    name: 'a socket of a twin that cannot go on with it is not put away',
    run: (ctx, is) => is.equal(sockets(ctx, { state: null }).shaken, null),
  },
  {
    name: 'a socket whose handshake is too long to be attached is not put away',
    run: (ctx, is) => {
      is.equal(sockets(ctx, { header: 'x'.repeat(13_000), state: '' }).shaken, null);
      is.equal(ctx.getWebSockets().length, 0);
    },
  },
  {
    name: 'what is small is attached, what is larger stands in a row, and what is larger than that in none',
    run: (ctx, is) => {
      is.ok(sockets(ctx, { header: 'ü'.repeat(4_000), state: 'ü'.repeat(2_000) }).shaken);
      is.equal(rows(ctx), 0);
      is.ok(sockets(ctx, { state: 'ü'.repeat(8_200) }).shaken);
      is.equal(rows(ctx), 1);
      is.ok(sockets(ctx, { state: 'ü'.repeat(600_000) }).shaken);
      is.equal(rows(ctx), 1);
    },
  },
  {
    name: 'a socket that nobody used for an hour is ended, and the object is roused to look',
    run: (ctx, is) => {
      const { held, roused } = sockets(ctx, { state: '' });
      const [ws] = ctx.getWebSockets();
      held.look(letsIn);
      is.equal(ws!.readyState, WebSocket.OPEN);
      is.same(roused.length, 2);
      is.equal(roused[0], roused[1]);
      const attached = JSON.parse(new TextDecoder().decode(ws!.deserializeAttachment()));
      const before = { ...attached, usedAt: attached.usedAt - 60 * 60 * 1000 };
      ws!.serializeAttachment(new TextEncoder().encode(JSON.stringify(before)));
      held.look(letsIn);
      is.equal(ws!.readyState, WebSocket.CLOSING);
      is.equal(roused.length, 2, 'nothing is left to look for');
    },
  },
  {
    name: 'rows of sockets that ended with the runtime are dropped, those of others stay',
    run: (ctx, is) => {
      const { held } = sockets(ctx, { state: 'x'.repeat(20_000) });
      ctx.storage.kv.put('socket/of-another-life', new Uint8Array(3));
      held.dropRows();
      is.equal(rows(ctx), 1);
      is.equal(ctx.storage.kv.get('socket/of-another-life'), undefined);
    },
  },
];
