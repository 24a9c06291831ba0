// A contained run as whoever starts it has it: namespaces with a relay in them, which is told in time what to run there,
// and what has to be done for it outside. It ends with the run, and ends everything that is left of it.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { moduleFile } from '../process/module-file.ts';
import { leadOut } from './direct.ts';
import { BACKLOG, SAID_CHARS_MAX, START_MS_MAX } from './limits.ts';
import type { FromRelay, GateAsk, RelayMake, RunStart, ToRelay } from './messages.ts';
import { systemResolvers } from './mounts.ts';
import { firstAsk, LINK_SCRIPT } from './network.ts';
import { type Possible, possible, whatForbids } from './possible.ts';
import { readSettings } from './settings.ts';
import type { Listening } from './socket-table.ts';
import { endSurvivors, networkOf } from './survivors.ts';

const RELAY_START = fileURLToPath(new URL('./relay-start.js', import.meta.url));
const LISTEN = fileURLToPath(new URL('./listen.pl', import.meta.url));
/** The program's namespace, at a descriptor, and another in which that goes on. */
const OUTSIDE_IT = 'exec 8< /proc/self/ns/net && exec unshare --net -- "$@"';
const INNER_DESCRIPTOR = '8';
const RELAY = moduleFile(import.meta.url, './relay').href;

export type ContainmentOptions = {
  readonly env: { readonly [name: string]: string | undefined };
  /** Where the run is started: what programs bring along is looked for there too. */
  readonly folder: string;
  /** Where Node keeps what it compiled; its own place unless given. */
  readonly cacheFolder?: string | undefined;
  /** What a person at the terminal should know, a line each. */
  readonly tell: (line: string) => void;
};

export type Opened =
  | { readonly ok: true; readonly containment: Containment }
  /** Why this machine cannot, and what to change. */
  | { readonly ok: false; readonly why: string };

export type ContainedProgram = Omit<RunStart, 'type' | 'user'>;

export type ContainedEnd =
  | { readonly ok: true; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly ok: false; readonly why: string };

/** Makes the namespaces. What is to run in them is told when its world is up. */
export async function openContainment(options: ContainmentOptions): Promise<Opened> {
  const can = possible(options.env);
  if (!can.ok) return can;
  const containment = new Containment(options, can, firstAsk(systemResolvers()));
  const failed = await containment.ready;
  if (failed === null) return { ok: true, containment };
  await containment[Symbol.asyncDispose]();
  return { ok: false, why: await whatForbids(failed) };
}

export class Containment implements AsyncDisposable {
  /** Null, or what was said of why there are no namespaces. */
  readonly ready: Promise<string | null>;
  readonly #options: ContainmentOptions;
  readonly #privileged: boolean;
  readonly #relay: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #ended = Promise.withResolvers<ContainedEnd>();
  /** Those of the run's inside whose connections are led from here. */
  readonly #direct: Server[] = [];
  #network: string | null = null;
  #said = '';

  constructor(options: ContainmentOptions, can: Extract<Possible, { readonly ok: true }>, ask: GateAsk) {
    this.#options = options;
    this.#privileged = can.privileged;
    const relay = spawn(
      'unshare',
      [
        ...(can.privileged ? [] : ['--user', '--map-root-user']),
        ...['--net', '--mount', '--propagation', 'slave', '--'],
        ...(can.perl ? listeningFirst(ask) : []),
        ...[process.execPath, RELAY_START],
      ],
      { stdio: ['inherit', 'inherit', 'pipe', 'ipc', 2], env: { PATH: can.path } },
    );
    this.#relay = relay;
    const make: RelayMake = {
      ask,
      settings: readSettings(),
      bundles: { folders: [options.folder], env: options.env },
      relay: RELAY,
      cacheFolder: options.cacheFolder,
    };
    // Of a process that could not be started, which is told below.
    relay.send(make, () => {});
    relay.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(0, SAID_CHARS_MAX);
    });
    const ready = Promise.withResolvers<string | null>();
    this.ready = ready.promise;
    const late = setTimeout(() => ready.resolve('the namespaces took too long'), START_MS_MAX);
    relay.on('message', (message: FromRelay, handle) => {
      if (message.type !== 'ready') return this.#told(message, handle);
      this.#network = networkOf(relay.pid!);
      ready.resolve(null);
    });
    this.#exited = new Promise(resolve => {
      relay.once('error', error => {
        ready.resolve(error.message);
        resolve();
      });
      relay.once('exit', async (code, signal) => {
        // 'close' is not told of a child that was disconnected from; and what it said may come after its end.
        await finished(relay.stderr!).catch(() => {});
        ready.resolve(this.#said || 'the namespaces could not be made');
        const how = this.#said.trim() || signal || `exit code ${code}`;
        this.#ended.resolve({ ok: false, why: `what carries this run's connections ended: ${how}` });
        resolve();
      });
    });
    void this.ready.then(() => clearTimeout(late));
  }

  /** Resolves when the program has ended and nothing of it is left. */
  async run(program: ContainedProgram): Promise<ContainedEnd> {
    const user = this.#privileged ? null : { uid: process.getuid!(), gid: process.getgid!() };
    this.#tell({ type: 'start', ...program, user });
    const ended = await this.#ended.promise;
    await this[Symbol.asyncDispose]();
    return ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#tell({ type: 'signal', signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#direct.splice(0)) server.close();
    if (this.#relay.connected) this.#relay.disconnect();
    await this.#exited;
    // The relay has seen to it, unless it was killed.
    if (this.#network !== null && this.#relay.exitCode !== 0) await endSurvivors(this.#network, []);
  }

  #tell(message: ToRelay, handle?: Server): void {
    // Its end is told elsewhere.
    if (this.#relay.connected) this.#relay.send(message, handle, {}, () => handle?.close());
  }

  #told(message: Exclude<FromRelay, { type: 'ready' }>, handle: unknown): void {
    switch (message.type) {
      case 'started':
        return;
      case 'tell':
        return this.#options.tell(message.line);
      case 'open':
        return this.#open({ address: message.address, port: message.port });
      case 'direct':
        return this.#lead(handle as Server, message);
      case 'ended':
        return this.#ended.resolve({ ok: true, code: message.code, signal: message.signal });
      case 'not-started':
        return this.#ended.resolve({ ok: false, why: message.why });
    }
  }

  /** What the program listens on inside, on this machine: the listener itself is the relay's. */
  #open(place: Listening): void {
    const { address, port } = place;
    const server = createServer({ pauseOnConnect: true });
    server.on('connection', socket => {
      if (this.#relay.connected) this.#relay.send({ type: 'accepted', ...place } satisfies ToRelay, socket);
      else socket.destroy();
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'is taken on this machine'
          : `cannot be opened on this machine (${error.code})`;
      this.#options.tell(
        `port ${port}, where the command listens, ${why}: it is reached there from inside the run alone`,
      );
      this.#tell({ type: 'not-opened', ...place });
    });
    server.listen({ host: address, port, ipv6Only: true }, () =>
      this.#tell({ type: 'opened', ...place }, server),
    );
  }

  #lead(server: Server, place: Listening): void {
    this.#direct.push(server);
    leadOut(server, place);
  }
}

/** Before the words of the relay: the one that opens its listeners. */
function listeningFirst({ tcp, udp }: GateAsk): readonly string[] {
  const asked = [String(BACKLOG), tcp.join(), udp.join()];
  return ['sh', '-c', OUTSIDE_IT, 'sh', 'perl', LISTEN, INNER_DESCRIPTOR, LINK_SCRIPT, ...asked];
}
