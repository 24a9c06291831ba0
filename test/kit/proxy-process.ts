// The real proxy process, alone: this end stands in for control on the IPC socket and pushes the snapshots
// that a test or a bench wants, so neither needs a world.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FromControl, FromProxy } from '../../policy/push.ts';
import type { SnapshotDocument } from '../../policy/snapshot.ts';
import { processArguments } from '../../process/module-file.ts';
import { within } from './deadline.ts';

const STOP_MS_MAX = 3_000;
const MAIN = join(import.meta.dirname, '..', '..', 'proxy', 'main.ts');

export type ProxyProcessOptions = {
  /** An empty folder of the caller's: sockets and the proxy's authority go there. */
  readonly folder: string;
  /** Pushed at the hello; null leaves the proxy without one. */
  readonly snapshot: SnapshotDocument | null;
  /** The unix socket that answers for twins; one that nobody answers unless told. */
  readonly twins?: string;
  readonly env?: { readonly [name: string]: string };
  readonly args?: readonly string[];
  /** Where its log goes, as under control: a line for each request is no work for this process then. */
  readonly logFile?: string;
  /** Words before the command, such as `taskset -c 0`. */
  readonly before?: readonly string[];
};

export type ProxyProcess = AsyncDisposable & {
  readonly port: number;
  readonly pid: number;
  /** The folder of its authority. */
  readonly caFolder: string;
  /** Every message it sent, oldest first. */
  readonly messages: readonly FromProxy[];
  /** What it printed on both streams; without `logFile`'s part. */
  readonly said: () => string;
  /** Resolves when the snapshot is in force, rejects with its reason when the proxy rejects it. */
  push(snapshot: SnapshotDocument): Promise<void>;
  send(message: FromControl): void;
  /** The exit code or signal, when it ends. */
  readonly exited: Promise<number | NodeJS.Signals>;
};

export async function startProxyProcess(options: ProxyProcessOptions): Promise<ProxyProcess> {
  const { folder, snapshot, env = {}, args = [], before = [] } = options;
  const socketPath = join(folder, 'control.sock');
  const caFolder = join(folder, 'ca');
  const messages: FromProxy[] = [];
  let arrived = Promise.withResolvers<void>();
  let link: Socket | null = null;
  const control = createServer(socket => {
    link = socket;
    socket.on('error', () => socket.destroy());
    createInterface({ input: socket }).on('line', line => {
      messages.push(JSON.parse(line) as FromProxy);
      arrived.resolve();
      arrived = Promise.withResolvers();
    });
  });
  control.listen(socketPath);
  await once(control, 'listening');

  const twins = options.twins ?? join(folder, 'twins.sock');
  const flags = [
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--ipc',
    socketPath,
    '--twins',
    twins,
    '--ca',
    caFolder,
  ];
  const log = options.logFile === undefined ? [] : ['--log-file', options.logFile];
  const [file, ...rest] = [...before, process.execPath, ...processArguments(MAIN), ...flags, ...log, ...args];
  const child = spawn(file!, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', text => (said += text));
  const exited = exitOf(child);

  const found = async <T>(pick: (message: FromProxy) => T | undefined): Promise<T> => {
    for (;;) {
      for (const message of messages) {
        const got = pick(message);
        if (got !== undefined) return got;
      }
      await Promise.race([
        arrived.promise,
        exited.then(code => Promise.reject(new Error(`the proxy ended (${code}): ${said}`))),
      ]);
    }
  };
  const send = (message: FromControl): void => void link?.write(`${JSON.stringify(message)}\n`);
  const push = async (pushed: SnapshotDocument): Promise<void> => {
    send({ type: 'snapshot', snapshot: pushed });
    const answer = found(message => {
      const isAnswer = message.type === 'ack' || message.type === 'reject';
      return isAnswer && message.epoch === pushed.epoch && message.version === pushed.version
        ? message
        : undefined;
    });
    const got = await within(`an answer to snapshot ${pushed.version}`, answer);
    if (got.type === 'reject') throw new Error(`snapshot ${pushed.version} rejected: ${got.reason}`);
  };
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
    await exited;
    clearTimeout(timer);
    link?.destroy();
    control.close();
  };
  try {
    const hello = await within(
      'hello from the proxy',
      found(message => (message.type === 'hello' ? message : undefined)),
      20_000,
    );
    if (snapshot !== null) await push(snapshot);
    return {
      port: hello.listen.port,
      pid: hello.pid,
      caFolder,
      messages,
      said: () => said,
      push,
      send,
      exited,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? signal ?? 0;
}
