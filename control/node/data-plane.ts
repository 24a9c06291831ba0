// The proxy of a world as control has it: the channel its policy goes down, the socket its calls to twins come
// up, and the process itself, kept running.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { moduleFile } from '../../process/module-file.ts';
import type { Admitting } from '../http/sites.ts';
import type { Log } from '../ports/log.ts';
import { urlHost } from './addresses.ts';
import { ControlError } from './control-error.ts';
import { Ipc, type IpcOptions } from './ipc.ts';
import { PROXY_ORPHAN_SECONDS, type SupervisorLimits } from './limits.ts';
import type { WorldPaths } from './paths.ts';
import type { ProxyCommand, StartedProxy } from './proxy-process.ts';
import type { Sockets } from './sockets.ts';
import type { ProxyStatus } from './status-file.ts';
import { type ProxyAddress, Supervisor } from './supervisor.ts';
import { listenForTwins, type StreamsForProxy } from './twins-listener.ts';

export const PROXY_MAIN: string = fileURLToPath(moduleFile(import.meta.url, '../../proxy/main'));

export type DataPlaneOptions = {
  readonly paths: WorldPaths;
  readonly sockets: Sockets;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Threads that the proxy serves with. */
  readonly workers: number;
  /** Where guests of the proxy come in (7.2 `guest-*`); null for nowhere. */
  readonly guestPort: number | null;
  /** Another program in the proxy's place, and other limits of its supervision. */
  readonly script?: string;
  readonly limits?: Partial<SupervisorLimits>;
  readonly start?: StartProxy;
  /** Who answers the calls to twins. */
  readonly sites: Admitting;
  readonly streams: StreamsForProxy;
  readonly log: Log;
  readonly onRefused: NonNullable<IpcOptions['onRefused']>;
  /** The process or the policy in force changed. */
  readonly onChange: () => void;
};

/** Brings up a proxy as its command says; one of this process tells of refusals at once. */
export type StartProxy = (
  command: ProxyCommand,
  onRefused: DataPlaneOptions['onRefused'],
) => Promise<StartedProxy>;

export class DataPlane implements AsyncDisposable {
  readonly ipc: Ipc;
  readonly #supervisor: Supervisor;
  readonly #opened: AsyncDisposableStack;

  private constructor(ipc: Ipc, supervisor: Supervisor, opened: AsyncDisposableStack) {
    this.ipc = ipc;
    this.#supervisor = supervisor;
    this.#opened = opened;
  }

  /** Listens for the proxy. It is started by `start`, when there is a policy to give it. */
  static async open(options: DataPlaneOptions): Promise<DataPlane> {
    const { sockets, sites, streams, log, onRefused, onChange } = options;
    await using opened = new AsyncDisposableStack();
    opened.use(await listenForTwins(sockets.twins, { site: sites, log }, streams));
    const ipc = await Ipc.listen({
      path: sockets.ipc,
      epoch: randomBytes(8).toString('hex'),
      log,
      onAnswer: onChange,
      onRefused,
    });
    opened.use(ipc);
    // One that no longer is supervised (it redialled late) ends with the world too.
    opened.defer(() => ipc.drain());
    const supervisor = opened.use(supervise(options, ipc));
    return new DataPlane(ipc, supervisor, opened.move());
  }

  /** Where its clients reach it; null until it has been started once. From then on it listens there for good. */
  get address(): ProxyAddress | null {
    const { state, address } = this.#supervisor;
    return state === 'starting' ? null : address;
  }

  get status(): ProxyStatus {
    const { pid, state, restarts } = this.#supervisor;
    return {
      pid,
      state,
      restarts,
      policy: this.ipc.links.find(link => link.pid === pid)?.acknowledged ?? null,
    };
  }

  /** Resolves when the proxy has the policy that was pushed last. Throws `ControlError`. */
  async start(): Promise<ProxyAddress> {
    const supervisor = this.#supervisor;
    await supervisor.start().catch(error => {
      throw new ControlError('proxy-failed', (error as Error).message);
    });
    const confirmed = await this.ipc.confirmed(supervisor.pid);
    if (typeof confirmed === 'object')
      throw new ControlError('proxy-failed', `the proxy rejected the world’s policy: ${confirmed.rejected}`);
    return supervisor.address;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }
}

/** `credentials`: `<run>:<secret>@`, or nothing. */
export function proxyUrl({ host, port }: ProxyAddress, credentials: string): string {
  return `http://${credentials}${urlHost(host)}:${port}`;
}

function supervise(options: DataPlaneOptions, ipc: Ipc): Supervisor {
  const { paths, sockets, host, port, workers, guestPort, script, start, limits, log, onChange } = options;
  return new Supervisor({
    script: script ?? PROXY_MAIN,
    host,
    port,
    args: ['--ipc', sockets.ipc, '--twins', sockets.twins, '--ca', paths.authority].concat([
      '--runs-socket',
      sockets.runs,
      '--orphan-seconds',
      String(PROXY_ORPHAN_SECONDS),
      '--workers',
      String(workers),
      '--log-file',
      paths.proxyLog,
      ...(guestPort === null ? [] : ['--guest-port', String(guestPort)]),
    ]),
    ipc,
    proxyFile: paths.proxy,
    outputFile: paths.proxyOutput,
    log,
    ...(limits === undefined ? {} : { limits }),
    ...(start && { start: command => start(command, options.onRefused) }),
    onChange,
  });
}
