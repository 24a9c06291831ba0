// Starts the whole of one world on this machine: store, endpoints, IPC, and the proxy process it supervises.
import { mkdir, realpath, rm } from 'node:fs/promises';
import { loadAuthority } from '../../certs/authority.ts';
import { DEFAULT_RUN } from '../../policy/run.ts';
import { unreadSnapshot } from '../../policy/snapshot.ts';
import { Sites } from '../http/sites.ts';
import type { SeenRefusal } from '../http/surroundings.ts';
import type { Log } from '../ports/log.ts';
import type { BudgetLimits } from '../world/access/budget.ts';
import { dialled, endpointsOf, isLoopback, ownOriginOf } from './addresses.ts';
import { Branches } from './branches.ts';
import { loadConfig } from './config-file.ts';
import { ControlError } from './control-error.ts';
import { DataPlane } from './data-plane.ts';
import { issuersOfEnvironment } from './environment.ts';
import { privateFolder } from './files.ts';
import { type HostedWorld, openHostedWorld, type WorldHost } from './hosted-world.ts';
import type { SupervisorLimits } from './limits.ts';
import { type Listener, listen } from './listener.ts';
import { LiveConfig } from './live-config.ts';
import { takeLock } from './lock.ts';
import { type WorldPaths, worldPaths } from './paths.ts';
import { policyOf } from './policy.ts';
import { RefusalList } from './refusal-list.ts';
import { RunList } from './runs.ts';
import { type ControlStatus, type ServedStatus, type ServedUp, StatusFiles, type Up } from './status-file.ts';
import { type StreamAddress, Streams } from './streams.ts';
import type { TokenPair } from './token-file.ts';
import { trustedIssuers } from './trusted-issuers.ts';

export type ControlOptions = {
  /** The folder that holds `.wrld/world.json`. */
  readonly folder: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly proxyPort: number;
  /** Threads that the proxy serves with; 1 unless given. */
  readonly workers?: number;
  /** Where guests of the proxy come in (7.2 `guest-*`); none by default. */
  readonly guestPort?: number;
  readonly sandbox: boolean;
  /** Requests that each world answers (8); none by default, since this is the developer's own machine. */
  readonly budget?: BudgetLimits | null;
  /** Platforms whose passes open sessions (5.3-7), beside those of TRUSTED_ISSUERS (trusted-issuers.ts). */
  readonly trust?: readonly string[];
  readonly log: Log;
  /** Another program in the proxy's place, and other limits of its supervision: for tests of the supervision. */
  readonly proxy?: { readonly script?: string; readonly limits?: Partial<SupervisorLimits> };
};

/** The plain serve command: control alone, without a proxy, runs or branches. */
export type ServeOptions = Pick<ControlOptions, 'folder' | 'host' | 'port' | 'budget' | 'trust' | 'log'> & {
  readonly proxy: null;
};

export type RunningControl = AsyncDisposable & {
  /** `http://127.0.0.1:<port>` */
  readonly baseUrl: string;
  /** `<baseUrl>/<org>/<world>` */
  readonly worldUrl: string;
  /** The world's page at its own origin (5.3-2), without a path; null where it has none. */
  readonly ownOrigin: string | null;
  readonly proxyUrl: string;
  readonly caFile: string;
  readonly token: string;
  readonly readToken: string;
  /** 0 while the proxy is being started again. */
  readonly proxyPid: number;
  status(): ControlStatus;
  /** Newest first. */
  refusals(): readonly SeenRefusal[];
  /** Resolves when every edit of the config seen so far is in force or refused. */
  configSettled(): Promise<void>;
  /** Drains the proxy and the listeners, then ends. */
  close(): Promise<void>;
};

export type ServedControl = Omit<RunningControl, 'proxyUrl' | 'proxyPid' | 'status'> & {
  readonly proxyUrl: null;
  readonly proxyPid: null;
  status(): ServedStatus;
};

/** Throws `ControlError`, with nothing left running. */
export function startControl(options: ControlOptions): Promise<RunningControl>;
export function startControl(options: ServeOptions): Promise<ServedControl>;
export async function startControl(
  options: ControlOptions | ServeOptions,
): Promise<RunningControl | ServedControl> {
  const { log, host, port } = options;
  const proxied = options.proxy === null ? null : (options as ControlOptions);
  const paths = worldPaths(await realpath(options.folder));
  const config = await loadConfig(paths.config);
  if (!config.ok) throw new ControlError(config.fault.code, config.fault.text);
  const { loaded } = config;
  const { name } = loaded.config;

  // What is opened here is closed in the reverse order, at the end or when a later step fails.
  await using opened = new AsyncDisposableStack();
  await makeFolders(paths);
  await lockWorld(paths, opened);
  // Beside the world only where its path is too long for a socket; nothing else would ever remove it.
  if (paths.sockets !== paths.run) opened.defer(() => rm(paths.sockets, { recursive: true, force: true }));
  const authority = await loadAuthority(paths.authority);
  if (!authority.ok) throw new ControlError('authority-unusable', authority.why);
  const caFile = authority.authority.certificateFile;

  const refusals = new RefusalList();
  // Each is made after something that asks for it later.
  const late: Late = { listener: null, live: null, plane: null };
  const boundPort = (): number => late.listener?.port ?? port;
  const baseUrl = (): string => `http://${dialled(host)}:${boundPort()}`;
  const worldHost: WorldHost = {
    folder: paths.folder,
    twins: loaded.config.twins,
    log,
    snapshot: () => late.live?.snapshot ?? unreadSnapshot(''),
    baseUrl,
    ownOrigin: world => ownOriginOf(world, host, boundPort()),
    ca: authority.authority.certificatePem,
    refusals: () => refusals.newestFirst,
    trusted: await trustedIssuers([...issuersOfEnvironment(), ...(options.trust ?? [])], paths.folder),
    budget: options.budget ?? null,
  };
  const runsOf = (tokens: TokenPair): RunList =>
    new RunList({ name: DEFAULT_RUN.name, secret: () => tokens.write.reveal() }, async () =>
      late.live?.refresh(),
    );
  let runs: RunList | null = null;
  let credentials = (): string => '';
  const proxyUrl = (): string | null => late.plane?.url(credentials()) ?? null;
  const branches =
    proxied === null
      ? null
      : new Branches({
          host: worldHost,
          folder: paths.branches,
          sites: () => sites,
          runsOf: branch => runs?.of(branch) ?? null,
        });
  const listening = new Map<string, StreamAddress>();
  const root = await openHostedWorld({
    host: worldHost,
    name,
    files: paths,
    own: served => {
      const { tokens } = served;
      // Beyond loopback a client must say which run it is (407 otherwise); the world's token proves the default one.
      if (!isLoopback(host)) credentials = () => `${DEFAULT_RUN.name}:${tokens.write.reveal()}@`;
      if (proxied !== null) runs = runsOf(tokens);
      const rotated = async (): Promise<void> => {
        await late.live?.refresh();
        changed();
      };
      const streamAt = (vendor: string): StreamAddress | null => listening.get(vendor) ?? null;
      return { proxyUrl, runs, branches: branches?.hostOf(served) ?? null, rotated, streamAt };
    },
  });
  opened.use(root);
  const { world, tokens, twins } = root;
  const sites = new Sites(root.site);
  if (branches !== null) {
    opened.use(branches);
    await branches.open(root);
  }
  const streams = await Streams.open({
    authority: authority.authority,
    log,
    protocols: twins.map(({ twin }) => twin.twin.manifest.protocol),
  });
  sites.onGone(gone => streams.cut(gone));
  // A developer's own programs are pointed at these; of a world that is served, an attacher opens its own (4.2).
  if (proxied !== null) await listenForStreams({ streams, sites, root, listening, opened });
  const listener = await listen({ site: sites, from: 'client', log, host, port, streams }).catch(
    cannotListen(host, port),
  );
  late.listener = listener;
  opened.use(listener);
  sites.readdress();
  // First, or the listener would wait for streams that do not end by themselves.
  opened.defer(() => {
    world.news.close();
    branches?.hush();
  });

  const changed = (): void => void files.write();
  const plane =
    proxied === null
      ? null
      : await DataPlane.open({
          paths,
          host,
          port: proxied.proxyPort,
          workers: proxied.workers ?? 1,
          guestPort: proxied.guestPort ?? null,
          ...proxied.proxy,
          sites,
          streams: { streams, find: (world, vendor, id) => sites.stream(world, vendor, id) },
          log,
          onRefused: refused => {
            refusals.add(refused);
            world.news.tell({ kind: 'refusal' });
          },
          onChange: changed,
        });
  late.plane = plane;
  if (plane !== null) opened.use(plane);
  const live = new LiveConfig({
    loaded,
    policyOf: edited =>
      policyOf({
        loaded: edited,
        world: name,
        twins: twins.map(({ id, twin }) => ({ id, manifest: twin.twin.manifest })),
        docsUrl: baseUrl(),
        sandbox: proxied?.sandbox ?? false,
        endpoints: endpointsOf(host, listener.port),
        runs: runs?.grants ?? [],
        anonymousRuns: isLoopback(host),
      }),
    ipc: plane?.ipc ?? null,
    log,
    onChange: changed,
  });
  late.live = live;
  const worldUrl = `${baseUrl()}/${name}`;
  const status = (): ControlStatus | ServedStatus => ({
    pid: process.pid,
    config: live.state,
    proxy: plane?.status ?? null,
  });
  const up = (): Up | ServedUp => ({
    baseUrl: baseUrl(),
    worldUrl,
    caFile,
    pid: process.pid,
    ...(plane === null
      ? { proxyUrl: null, proxyPid: null }
      : { proxyUrl: plane.url(credentials()), proxyPid: plane.status.pid }),
  });
  const files: StatusFiles = new StatusFiles(paths, log, () => ({ status: status(), up: up() }));
  opened.use(live);
  opened.defer(() => files.remove());
  // Pushed before there is a proxy: it gets the policy with its hello.
  await live.start();
  await plane?.start();
  await files.write();
  log.info({ world: name, baseUrl: baseUrl(), proxy: proxyUrl() === null ? null : plane?.status }, 'up');

  const kept = opened.move();
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= kept.disposeAsync());
  return {
    baseUrl: baseUrl(),
    worldUrl,
    ownOrigin: worldHost.ownOrigin(name),
    get proxyUrl() {
      return proxyUrl();
    },
    caFile,
    get token() {
      return tokens.write.reveal();
    },
    get readToken() {
      return tokens.read.reveal();
    },
    get proxyPid() {
      return plane?.status.pid ?? null;
    },
    status,
    refusals: () => refusals.newestFirst,
    configSettled: () => live.settled(),
    close,
    [Symbol.asyncDispose]: close,
  } as RunningControl | ServedControl;
}

type Late = { listener: Listener | null; live: LiveConfig | null; plane: DataPlane | null };

type StreamsOpened = {
  readonly streams: Streams;
  readonly sites: Sites;
  readonly root: HostedWorld;
  readonly listening: Map<string, StreamAddress>;
  readonly opened: AsyncDisposableStack;
};

async function listenForStreams({ streams, sites, root, listening, opened }: StreamsOpened): Promise<void> {
  for (const { id, twin } of root.twins) {
    const stream = sites.stream(root.name, id, twin.twin.manifest.stream?.id ?? '');
    if (stream === null || !streams.speaks(stream.protocol)) continue;
    const listener = opened.use(await streams.listen(stream));
    listening.set(id, listener.at);
  }
}

async function makeFolders(paths: WorldPaths): Promise<void> {
  await mkdir(paths.store, { recursive: true, mode: 0o700 });
  await privateFolder(paths.run);
  if (paths.sockets !== paths.run) await privateFolder(paths.sockets);
}

async function lockWorld(paths: WorldPaths, opened: AsyncDisposableStack): Promise<void> {
  const lock = await takeLock(paths.lock, paths.holder);
  if (!lock.ok) {
    const who = lock.pid === null ? 'another process' : `process ${lock.pid}`;
    throw new ControlError(
      'already-running',
      `this world is up already, in ${who}; stop that one first`,
      lock.pid,
    );
  }
  opened.defer(lock.release);
}

function cannotListen(host: string, port: number): (error: NodeJS.ErrnoException) => never {
  return error => {
    const why =
      error.code === 'EADDRINUSE'
        ? 'something listens there already'
        : error.code === 'EACCES'
          ? 'this user may not listen there'
          : (error.code ?? error.message);
    throw new ControlError('cannot-listen', `${host}:${port}: ${why}`);
  };
}
