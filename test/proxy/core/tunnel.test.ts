// Tunnels as transcripts: what happens in order, and what is to be done after each. No socket, no timer.
import t, { type Test } from 'tap';
import { type Authority, parseAuthority } from '../../../policy/authority.ts';
import { DEFAULT_RUN, type Run } from '../../../policy/run.ts';
import type { Snapshot, SnapshotDocument } from '../../../policy/snapshot.ts';
import {
  TUNNEL_BEGINS,
  type TunnelCommand,
  type TunnelEvent,
  type TunnelState,
  tunnelStep,
} from '../../../proxy/core/tunnel.ts';
import type { TunnelAsk } from '../../../proxy/place.ts';
import { NOTHING, world } from '../../policy/world.ts';
import { hello, records, serverName } from './hello.ts';

const bytesOf = (bytes: string | Buffer): Buffer => Buffer.from(bytes as string);
const accepted = (rest: string | Buffer = ''): TunnelEvent => ({
  event: 'connect-accepted',
  rest: bytesOf(rest),
});
const came = (bytes: string | Buffer): TunnelEvent => ({ event: 'bytes-came', bytes: bytesOf(bytes) });
const SILENCE: TunnelEvent = { event: 'silence-passed' };
const ended = (protocol: string | null, name: string | null): TunnelEvent => ({
  event: 'tls-ended',
  protocol,
  name,
});

const helloTo = (name: string): Buffer => records(hello([serverName(name)]));
const NAMELESS = records(hello([]));
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const SSH = 'SSH-2.0-x\r\n';
const NO_BYTES = Buffer.alloc(0);

/** What matters of a command. */
type Expected = { readonly do: TunnelCommand['do']; readonly [field: string]: unknown };

const WAIT: Expected = { do: 'wait', serverMayBeFirst: false };
const HTTP1_FIRST = ['http/1.1', 'h2'];
const HTTP2_FIRST = ['h2', 'http/1.1'];
const refuse = (rule: string, reason?: RegExp): Expected => ({
  do: 'refuse',
  refusal: { rule, ...(reason !== undefined && { reason }) },
});

/** A build world that lets p.test through unread. */
const PASSING: Partial<SnapshotDocument> = {
  phase: 'build',
  network: { ...NOTHING, egress: ['https://p.test'], passthrough: ['https://p.test'] },
};

type Line = readonly [happens: TunnelEvent, then: Expected];
type Transcript = {
  readonly name: string;
  readonly to: string;
  readonly world?: Partial<SnapshotDocument>;
  readonly run?: Run;
  readonly guest?: boolean;
  readonly contained?: boolean;
  readonly lines: readonly Line[];
  readonly ends?: TunnelState['at'];
};

function askTo(
  to: string,
  { run = DEFAULT_RUN, guest = false, contained = false }: Partial<TunnelAsk>,
): TunnelAsk {
  return { authority: parseAuthority(to, null) as Authority, run, guest, contained };
}

function play(t: Test, snapshot: Snapshot, transcript: Transcript): void {
  const ask = askTo(transcript.to, transcript);
  let state = TUNNEL_BEGINS;
  for (const [event, expected] of transcript.lines) {
    const step = tunnelStep(state, event, ask, snapshot);
    t.match(step.command, expected, `${transcript.name}: ${event.event} → ${expected.do}`);
    t.equal(step.command.do, expected.do);
    state = step.state;
  }
  if (transcript.ends !== undefined) t.equal(state.at, transcript.ends, transcript.name);
}

const TRANSCRIPTS: readonly Transcript[] = [
  {
    name: 'a contained run’s own connection on this machine’s loopback waits for nobody',
    to: '127.0.0.1:3306',
    contained: true,
    lines: [[accepted(), { do: 'relay', bytes: NO_BYTES }]],
    ends: 'relaying',
  },
  {
    name: 'one that ownLoopback denies is read, so that its refusal can be',
    to: '127.0.0.1:3000',
    contained: true,
    world: { network: { ...NOTHING, ownLoopback: false } },
    lines: [
      [accepted(), { do: 'wait' }],
      [came('GET / HTTP/1.1\r\n'), { do: 'speak-http1' }],
    ],
  },
  {
    name: 'a contained run’s connection to anybody else is read',
    to: '192.0.2.7:443',
    contained: true,
    lines: [
      [accepted(), WAIT],
      [came(NAMELESS), { do: 'end-tls' }],
    ],
  },
  {
    name: 'TLS to an origin is ended here, HTTP/1.1 first',
    to: 'p.test:443',
    lines: [
      [accepted(), WAIT],
      [came(helloTo('p.test')), { do: 'end-tls', bytes: helloTo('p.test'), protocols: HTTP1_FIRST }],
      [
        ended('http/1.1', 'p.test'),
        {
          do: 'speak-http1',
          place: { at: 'tunnel', scheme: 'https', strayName: null, authority: { host: 'p.test' } },
          bytes: Buffer.alloc(0),
        },
      ],
    ],
    ends: 'over',
  },
  {
    name: 'TLS to a twin is ended here, HTTP/2 first',
    to: 'whole.test:443',
    lines: [
      [accepted(helloTo('whole.test')), { do: 'end-tls', protocols: HTTP2_FIRST }],
      [ended('h2', 'whole.test.'), { do: 'speak-http2', place: { scheme: 'https', strayName: null } }],
    ],
  },
  {
    name: 'a hello byte by byte is waited for until it says that it is TLS',
    to: 'p.test:443',
    lines: [
      [accepted(Buffer.from([0x16])), WAIT],
      [came(Buffer.from([3])), { do: 'end-tls', bytes: Buffer.from([0x16, 3]) }],
    ],
    ends: 'ending-tls',
  },
  {
    name: 'a server name other than the CONNECT’s goes along, for its requests to be refused',
    to: 'p.test:443',
    lines: [
      [accepted(helloTo('evil.test')), { do: 'end-tls' }],
      [ended(null, 'evil.test'), { do: 'speak-http1', place: { strayName: 'evil.test' } }],
    ],
  },
  {
    name: 'no server name, or an address in its place, is no other name',
    to: '203.0.113.5:443',
    lines: [
      [accepted(NAMELESS), { do: 'end-tls' }],
      [ended(null, '203.0.113.9'), { do: 'speak-http1', place: { strayName: null } }],
    ],
  },
  {
    name: 'HTTP in the clear is read, with what was sniffed of it',
    to: 'p.test:80',
    lines: [
      [accepted('GE'), WAIT],
      [
        came('T / HTTP/1.1\r\n'),
        {
          do: 'speak-http1',
          place: { scheme: 'http', strayName: null },
          bytes: Buffer.from('GET / HTTP/1.1\r\n'),
        },
      ],
      [came('more'), WAIT],
    ],
    ends: 'over',
  },
  {
    name: '[7.2 inspected-transport] other bytes to an origin that is granted',
    to: 'o.test:443',
    lines: [[accepted(SSH), refuse('inspected-transport')]],
    ends: 'over',
  },
  {
    name: '[7.2 inspected-transport] HTTP/2 without TLS to an origin that is granted',
    to: 'o.test:443',
    lines: [[accepted(PREFACE), refuse('inspected-transport')]],
  },
  {
    name: '[7.2 raw-socket-twinned] other bytes to a twin',
    to: 'tw.test:443',
    lines: [[accepted(SSH), refuse('raw-socket-twinned')]],
  },
  {
    name: '[7.2 not-granted] other bytes to anybody else',
    to: 'q.test:443',
    lines: [[accepted(SSH), refuse('not-granted')]],
  },
  {
    name: '[2.4 streams] a TCP twin is reached at once, whoever speaks first',
    to: 'mail.test:25',
    lines: [
      [
        accepted('EHLO'),
        {
          do: 'relay-to-twin',
          stream: { world: 'acme/shop', vendor: 'mail', stream: 'smtp', run: 'default' },
          bytes: Buffer.from('EHLO'),
        },
      ],
    ],
    ends: 'relaying',
  },
  {
    name: '[2.4 streams] of the world that the run is in',
    to: 'mail.test:25',
    run: { name: 'r', declaration: {}, world: 'acme/branch' },
    lines: [[accepted(), { do: 'relay-to-twin', stream: { world: 'acme/branch', run: 'r' } }]],
  },
  {
    name: 'a service of the world may speak first',
    to: 'db:5432',
    lines: [
      [accepted(), { do: 'wait', serverMayBeFirst: true }],
      [SILENCE, { do: 'relay', permit: { host: 'db', port: 5432 }, bytes: Buffer.alloc(0) }],
    ],
    ends: 'relaying',
  },
  {
    name: 'a service whose client speaks first gets what it said',
    to: 'db:5432',
    lines: [
      [accepted(), { do: 'wait', serverMayBeFirst: true }],
      [came(SSH), { do: 'relay', bytes: Buffer.from(SSH) }],
    ],
  },
  {
    name: '[7.2 own-loopback-ungranted] the run’s own listener keeps its TLS to itself',
    to: '127.0.0.1:9443',
    lines: [
      [accepted(), { do: 'wait', serverMayBeFirst: true }],
      [came(NAMELESS), { do: 'relay', permit: { host: '127.0.0.1' }, bytes: NAMELESS }],
    ],
  },
  {
    name: '[7.2 own-loopback-ungranted] and without the grant its TLS is ended, to be refused inside',
    to: '127.0.0.1:9443',
    world: { network: { ...NOTHING, ownLoopback: false } },
    lines: [
      [accepted(), { do: 'wait', serverMayBeFirst: true }],
      [SILENCE, WAIT],
      [came(NAMELESS), { do: 'end-tls' }],
    ],
  },
  {
    name: 'what is granted may not speak first: silence changes nothing',
    to: 'o.test:443',
    lines: [
      [accepted(), WAIT],
      [SILENCE, WAIT],
    ],
    ends: 'sniffing',
  },
  {
    name: 'passthrough: a hello that names whom the tunnel is to passes unread, with what came behind it',
    to: 'p.test:443',
    world: PASSING,
    lines: [
      [accepted(helloTo('P.Test').subarray(0, 20)), WAIT],
      [
        came(Buffer.concat([helloTo('P.Test').subarray(20), Buffer.from('early')])),
        {
          do: 'relay',
          permit: { host: 'p.test', port: 443 },
          bytes: Buffer.concat([helloTo('P.Test'), Buffer.from('early')]),
        },
      ],
      [came('ignored'), WAIT],
    ],
    ends: 'relaying',
  },
  {
    name: '[bad-input Transport] passthrough, another name',
    to: 'p.test:443',
    world: PASSING,
    lines: [
      [accepted(helloTo('q.test')), refuse('invalid', /TLS names q\.test and the tunnel is to p\.test/)],
    ],
  },
  {
    name: '[bad-input Transport] passthrough, no name',
    to: 'p.test:443',
    world: PASSING,
    lines: [[accepted(NAMELESS), refuse('invalid', /TLS names no host that can be seen/)]],
  },
  {
    name: '[bad-input Transport] passthrough, a hello that cannot be read',
    to: 'p.test:443',
    world: PASSING,
    lines: [[accepted(Buffer.from([22, 3, 1, 0, 5, 1, 2, 3, 4, 5])), refuse('invalid', /TLS hello is/)]],
  },
  {
    name: '[bad-input Transport] passthrough, bytes that are no TLS',
    to: 'p.test:443',
    world: PASSING,
    lines: [[accepted(SSH), refuse('inspected-transport', /neither HTTP nor TLS/)]],
  },
  {
    name: '[2.1] a bare host of a declaration stands for the port of either scheme',
    to: 'declared.test:80',
    run: { name: 'app', declaration: { egress: ['declared.test'] } },
    lines: [[accepted(SSH), refuse('not-granted')]],
  },
  {
    name: '[7.2 undeclared] and for no other',
    to: 'declared.test:81',
    run: { name: 'app', declaration: { egress: ['declared.test'] } },
    lines: [[accepted(SSH), refuse('undeclared')]],
  },
  {
    name: '[bad-input DNS] a name that leads to this machine',
    to: 'p.test:443',
    world: PASSING,
    lines: [
      [accepted(helloTo('p.test')), { do: 'relay' }],
      [
        { event: 'led-inside', address: '127.0.0.1' },
        {
          do: 'refuse',
          refusal: { rule: 'not-granted', grantField: 'runtime.extraHosts', reason: /leads to 127/ },
        },
      ],
    ],
    ends: 'over',
  },
  {
    name: '[7.2 guest-inspected] a guest’s TLS is ended where nothing lets it pass',
    to: 'o.test:443',
    guest: true,
    lines: [
      [accepted(), WAIT],
      [came(helloTo('o.test')), { do: 'end-tls' }],
    ],
  },
];

t.test('[design: a CONNECT is accepted and then sniffed] what happens, and what is done', t => {
  for (const transcript of TRANSCRIPTS) play(t, world(transcript.world), transcript);
  t.end();
});

t.test('judged by the snapshot of when the hello is whole', t => {
  const ask = askTo('p.test:443', {});
  const bytes = helloTo('p.test');
  const begun = tunnelStep(TUNNEL_BEGINS, accepted(bytes.subarray(0, 9)), ask, world(PASSING));
  t.equal(begun.state.at, 'reading-hello');
  const then = tunnelStep(begun.state, came(bytes.subarray(9)), ask, world({ network: NOTHING }));
  t.match(then.command, refuse('not-granted'));
  t.end();
});

t.test('what a state does not wait for changes nothing', t => {
  const ask = askTo('o.test:443', {});
  const events = [accepted(), came('GET / '), SILENCE, ended('h2', null)];
  const inside: TunnelEvent = { event: 'led-inside', address: '127.0.0.1' };
  const rows: readonly (readonly [TunnelState, readonly TunnelEvent[]])[] = [
    [{ at: 'over' }, [...events, inside]],
    [{ at: 'relaying' }, events],
    [{ at: 'ending-tls' }, [accepted(), came('GET / '), SILENCE, inside]],
    [TUNNEL_BEGINS, [ended('h2', null), inside]],
  ];
  for (const [state, others] of rows)
    for (const event of others)
      t.strictSame(
        tunnelStep(state, event, ask, world()),
        { state, command: WAIT },
        `${state.at}: ${event.event}`,
      );
  t.end();
});
