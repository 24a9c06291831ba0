// The smallest twin with a WebSocket and a stream: `/echo` says back what it is told and keeps each word as a note;
// its stream is lines of text, which the wire server below takes to the twin one by one.
import { createInterface } from 'node:readline';
import type { StreamServers } from '../../control/node/stream-server.ts';
import type { Call } from '../../twins/kit/call.ts';
import { mountTwin } from '../../twins/kit/mount.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { SocketAct } from '../../twins/kit/socket.ts';
import type { MountedTwin, Twin } from '../../twins/kit/twin.ts';
import type { Tx } from '../../twins/kit/tx.ts';

export type SocketTwin = {
  readonly mounted: MountedTwin;
  /** Sockets that the twin was told are closed. */
  readonly closed: () => number;
};

const json = (status: number, body: object): Reply => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify(body),
});

/** Words of the client: `long` says one thing now and one in a minute, which `stop` stops; `later` answers after 20 ms, `bye` closes with 4000, `throw` fails, `many` says 100 things. */
function say(words: string, tx: Tx): readonly SocketAct[] {
  if (words === 'throw') throw new Error('on purpose');
  if (words === 'bye')
    return [{ send: 'going' }, { close: { code: 4000, reason: 'said bye' } }, { send: 'unheard' }];
  if (words === 'many') return Array.from({ length: 100 }, (_, index) => ({ send: String(index) }));
  if (words === 'long')
    return [
      { send: 'long begins', part: 'long' },
      { send: 'long ends', part: 'long', afterMs: 60_000 },
    ];
  if (words === 'stop')
    return [{ interrupt: 'long', instead: [{ send: 'stopped' }], otherwise: [{ send: 'nothing to stop' }] }];
  if (words === 'quiet') return [];
  tx.put('note', tx.id('note_', 8), { words });
  return words === 'later'
    ? [{ send: 'late', afterMs: 20 }, { send: 'after that' }]
    : [{ send: `echo ${words}` }];
}

export function socketTwin(): SocketTwin {
  let closed = 0;
  const twin: Twin = {
    manifest: {
      kind: 'wrld-twin',
      vendor: 'talk',
      version: '1.0.0',
      protocol: 'mysql',
      api: { sdks: [] },
      models: [],
      coverage: { modelled: 1, generic: 0, catalog: 0 },
      hosts: [{ host: 'talk.test', paths: ['/'] }],
      stream: { id: 'lines', env: ['TALK_HOST', 'TALK_PORT'], hosts: [{ host: 'talk.test', port: 7000 }] },
      upgrades: ['/echo'],
      generative: false,
      matchers: [],
      root: false,
      screens: [],
    },
    records: { note: { indexes: [] } },
    respond: (call, tx) => {
      if (call.via !== 'stream') return json(404, { error: { code: 'nothing', message: 'nothing' } });
      if (call.method === 'KEEP') tx.put('note', tx.id('note_', 8), { words: String(call.read) });
      return json(200, { heard: call.path });
    },
    upgrade: (call: Call, tx) => {
      const offered = [call.headers['sec-websocket-protocol'] ?? ''].flat().join(',');
      if (offered.includes('refused')) return json(403, { error: { code: 'not-you', message: 'not you' } });
      if (call.query === 'write') tx.put('note', 'handshake', { caller: call.caller });
      return {
        protocol: offered.includes('chat') ? 'chat' : null,
        open: () => [{ send: `hello ${call.caller} via ${call.via} at ${call.host}` }],
        message: (data, tx) =>
          typeof data === 'string' ? say(data, tx) : [{ send: new Uint8Array(data.toReversed()) }],
        closed: () => {
          closed += 1;
        },
      };
    },
    error: (status, code, message) => json(status, { error: { code, message } }),
  };
  return { mounted: mountTwin(twin, null), closed: () => closed };
}

/** `bug` throws at once; each further line is kept, and answered with what the twin said. */
export const LINE_SERVERS: StreamServers = {
  mysql: async () => () => (socket, session) => {
    socket.write('hello\n');
    createInterface({ input: socket }).on('line', line => {
      if (line === 'quit') return void socket.end('bye\n');
      const body = new TextEncoder().encode(line);
      session
        .act({ method: 'KEEP', path: `/${line.length}`, body, read: line })
        .then(({ status, body }) => socket.write(`${status} ${body}\n`));
    });
  },
};
