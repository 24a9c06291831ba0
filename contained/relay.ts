// The relay of a contained run: a process in the program's own namespaces, and its parent. It answers for every address
// and every name there is, leads what is meant for somebody to the proxy, and ends with the program, or with whoever
// started the run.
import { Server, Socket } from 'node:net';
import { type Bundles, type BundlesOptions, findBundles, SYSTEM_BUNDLES } from './bundles.ts';
import { openDirect } from './direct.ts';
import { answerDatagrams, answerOverTcp } from './dns-sockets.ts';
import { Egress } from './egress.ts';
import { keepHalfOpen } from './joint.ts';
import type { FromRelay, GateAsk, RelayMake, RunStart, RunTrust, ToRelay } from './messages.ts';
import { listenInside, Mirror } from './mirror.ts';
import { type Mount, mountFiles, ownMounts } from './mounts.ts';
import { NameTable } from './name-table.ts';
import { Outer } from './outer.ts';
import { Program } from './program.ts';
import { keepSettings } from './settings.ts';
import { endSurvivors, networkOf } from './survivors.ts';

const DNS_PORT = 53;

export class Relay {
  readonly #outer: Outer;
  /** What is answered for already, whatever the run. */
  readonly #ask: GateAsk;
  readonly #names = new NameTable();
  readonly #own: readonly Mount[];
  /** Bundles that programs bring along. */
  readonly #found = Promise.withResolvers<Bundles>();
  #egress: Egress | null = null;
  #mirror: Mirror | null = null;
  #program: Program | null = null;
  /** Signals for the program that came before it. */
  readonly #early: NodeJS.Signals[] = [];
  #ending = false;

  /** `given`: as `Outer` has it. */
  constructor(given: string | null, { ask, settings, bundles }: RelayMake) {
    this.#ask = ask;
    process.on('message', (message: ToRelay, handle) => this.#told(message, handle));
    // Whoever started the run has ended, however: the run has too.
    process.on('disconnect', () => void this.#end());
    // A terminal's Ctrl-C reaches the program by itself, and it is the program's to end.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const)
      process.on(signal, () => {});
    this.#outer = new Outer(given, ask, {
      tcp: (server, port) => this.#answerFor(server, port),
      udp: socket => answerDatagrams(socket, this.#names),
    });
    keepSettings(settings);
    this.#own = ownMounts();
    // It has said why on standard error.
    void this.#outer.linked.then(linked => (linked ? this.#linked(bundles) : process.exit(1)));
  }

  #told(message: ToRelay, handle: unknown): void {
    switch (message.type) {
      case 'start':
        return void this.#start(message).catch((error: Error) =>
          say({ type: 'not-started', why: error.message }),
        );
      case 'signal':
        if (this.#program === null) this.#early.push(message.signal);
        else this.#program.signal(message.signal);
        return;
      case 'opened':
        if (handle instanceof Server) this.#mirror?.opened(message, handle);
        return;
      case 'not-opened':
        return;
      case 'accepted':
        if (handle instanceof Socket) this.#mirror?.accepted(message, handle);
    }
  }

  #linked(bundles: BundlesOptions): void {
    if (this.#ending) return;
    say({ type: 'ready' });
    // Until it is told more, there is time for it.
    setImmediate(() => this.#found.resolve(findBundles(bundles)));
  }

  async #start(start: RunStart): Promise<void> {
    const { proxySocket, credentials, proxyPort, directPorts, user } = start;
    const tell = (line: string): void => say({ type: 'tell', line });
    const egress = new Egress({ proxySocket, credentials, names: this.#names, tell: once(tell) });
    this.#egress = egress;
    const mirror = new Mirror({
      outside: process.ppid,
      apart: new Set([proxyPort, ...directPorts]),
      open: place => say({ type: 'open', ...place }),
      lead: (client, target) => egress.lead(client, target),
    });
    this.#mirror = mirror;
    await Promise.all([
      this.#outer.open(start.ports.filter(port => !this.#ask.tcp.includes(port))),
      this.#found.promise.then(found =>
        mountFiles([...this.#own, ...start.mounts, ...trustMounts(found, start.trust)]),
      ),
      listenInside({ address: '127.0.0.1', port: proxyPort }, client => egress.leadToProxy(client)),
      ...directPorts.map(port => {
        const place = { address: '127.0.0.1', port };
        return openDirect(place, (server, there) =>
          process.send!({ type: 'direct', ...place } satisfies FromRelay, server, {}, there),
        );
      }),
      mirror.start(),
    ]);
    this.#program = new Program(start.command, { env: start.env, user });
    for (const signal of this.#early) this.#program.signal(signal);
    say({ type: 'started' });
    const ended = await this.#program.ended;
    say(ended.ok ? { type: 'ended', ...ended } : { type: 'not-started', why: ended.why });
    await this.#end();
  }

  #answerFor(server: Server, port: number): void {
    keepHalfOpen(server);
    server.on('error', () => {});
    server.on('connection', socket => {
      socket.setNoDelay(true);
      if (port === DNS_PORT) answerOverTcp(socket, this.#names);
      else this.#egress!.accept(socket);
    });
  }

  async #end(): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    this.#mirror?.close();
    this.#outer.close();
    const network = networkOf('self');
    if (network !== null) await endSurvivors(network, [process.pid]);
    try {
      process.exit(0);
    } catch {
      // What NODE_OPTIONS had loaded into it threw; whoever started the run waits for its end.
      process.kill(process.pid, 'SIGKILL');
    }
  }
}

/** Over the system's bundles, and over those that programs bring along. */
function trustMounts({ pem, java }: Bundles, trust: RunTrust): readonly Mount[] {
  const ofJava = trust.java;
  return [
    ...[...SYSTEM_BUNDLES, ...pem].map(each => ({ file: trust.bundle, over: each })),
    ...(ofJava === null ? [] : java.map(each => ({ file: ofJava, over: each }))),
  ];
}

function say(message: FromRelay): void {
  // Nobody is there to be told when the run has been given up.
  if (process.connected) process.send!(message, () => {});
}

/** The same line again says nothing new. */
function once(tell: (line: string) => void): (line: string) => void {
  const told = new Set<string>();
  return line => {
    if (!told.has(line)) tell(line);
    told.add(line);
  };
}
