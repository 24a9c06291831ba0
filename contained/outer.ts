// The outer namespace of a contained run, as its relay has it: the listeners there, which answer for every address. Where
// there is perl they are opened before the relay is started (listen.pl), which has them from its first moment; else, and for
// what is asked for later, a process of a moment in that namespace opens them and hands them over (gate.js).
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { createServer, type Server, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { BACKLOG } from './limits.ts';
import type { FromGate, GateAsk } from './messages.ts';
import { LINK_SCRIPT, LINKED } from './network.ts';

const GATE = [process.execPath, fileURLToPath(new URL('./gate.js', import.meta.url)), String(process.pid)];
/** The link made beside what goes on as the rest of the words. */
const OUTER_SCRIPT = `(${LINK_SCRIPT}) & shift; exec "$@" > /dev/null`;
/** Where a child finds the namespace that it is to be in. */
const CHILDS_NAMESPACE = 4;

export type Answers = {
  readonly tcp: (server: Server, port: number) => void;
  readonly udp: (socket: DatagramSocket) => void;
};

export class Outer {
  /** Whether the link to it is there; standard error has said why not. */
  readonly linked: Promise<boolean>;
  readonly #answers: Answers;
  /** Of the namespace, which this process was born with. */
  #descriptor = -1;
  #gate: ChildProcess | null = null;

  /** `given`: the last word of listen.pl, which has opened what is asked for; null where there is none, and no namespace. */
  constructor(given: string | null, { tcp, udp }: GateAsk, answers: Answers) {
    this.#answers = answers;
    if (given !== null) {
      this.linked = isLinked(this.#take(given));
      return;
    }
    const from = openOuter();
    // Its output closes then, and there is no link.
    from.on('error', error => process.stderr.write(`${error.message}\n`));
    this.#use(from);
    ask(from, { tcp, udp: [], last: false });
    this.linked = isLinked(from.stdout!).then(is => {
      // An address that is not there yet cannot be listened on.
      if (is) ask(from, { tcp: [], udp, last: false });
      return is;
    });
  }

  /** Resolves when these answer too. Nothing more is asked for after that. */
  async open(ports: readonly number[]): Promise<void> {
    if (this.#gate === null) {
      if (ports.length === 0) return;
      this.#use(this.#startGate());
    }
    const gate = this.#gate!;
    const done = new Promise<void>(resolve => gate.once('disconnect', () => resolve()));
    ask(gate, { tcp: ports, udp: [], last: true });
    await done;
  }

  close(): void {
    this.#gate?.kill('SIGKILL');
  }

  /** What is said of the link comes from the answer. */
  #take(given: string): Readable {
    let linked = -1;
    for (const each of given.split(' ')) {
      const [name = '', number] = each.split('=');
      const [kind, port] = name.split(':');
      const fd = Number(number);
      if (kind === 'linked') linked = fd;
      else if (kind === 'outer') this.#descriptor = fd;
      else if (kind === 'tcp') this.#answers.tcp(listening(fd), Number(port));
      else if (kind === 'udp4' || kind === 'udp6') this.#answers.udp(bound(kind, fd));
    }
    const said = new Socket({ fd: linked, readable: true, writable: false });
    // Which ends it, without a word.
    said.on('error', () => {});
    return said;
  }

  #startGate(): ChildProcess {
    const words = [`--net=/proc/self/fd/${CHILDS_NAMESPACE}`, '--', ...GATE];
    const gate: ChildProcess = spawn('nsenter', words, {
      stdio: ['ignore', 'ignore', 2, 'ipc', this.#descriptor],
    });
    gate.on('error', () => gate.emit('disconnect'));
    return gate;
  }

  #use(gate: ChildProcess): void {
    this.#gate = gate;
    gate.on('message', (message: FromGate, handle) => {
      if (message.type === 'tcp') this.#answers.tcp(handle as Server, message.port);
      else if (message.type === 'udp') this.#answers.udp(handle as DatagramSocket);
      else gate.disconnect();
    });
  }
}

/** Resolves when the link to an outer namespace has been made, or not. `said` is the output of what makes it. */
export function isLinked(said: Readable): Promise<boolean> {
  let text = '';
  said.setEncoding('latin1').on('data', (more: string) => (text += more));
  return new Promise(resolve => said.once('close', () => resolve(text.startsWith(LINKED))));
}

/** A gate in an outer namespace of its own, to which a link from this process's is made meanwhile: see `isLinked`. */
export function openOuter(): ChildProcess {
  const words = ['--net', '--', 'sh', '-c', OUTER_SCRIPT, 'sh', `/proc/${process.pid}/ns/net`];
  return spawn('unshare', [...words, ...GATE], { stdio: ['ignore', 'pipe', 2, 'ipc'] });
}

function ask(gate: ChildProcess, asked: GateAsk): void {
  // One that has ended has said why, and what waits for it hears of its end.
  gate.send(asked, () => {});
}

function listening(fd: number): Server {
  const server = createServer();
  server.on('error', () => {});
  return server.listen({ fd, backlog: BACKLOG });
}

function bound(kind: 'udp4' | 'udp6', fd: number): DatagramSocket {
  const socket = createSocket(kind);
  socket.on('error', () => {});
  return socket.bind({ fd });
}
