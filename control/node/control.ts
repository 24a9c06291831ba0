// Starts the whole of one world on this machine: store, endpoints, IPC, and the proxy process it supervises.
import { randomBytes } from 'node:crypto';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAuthority } from '../../certs/authority.ts';
import { DEFAULT_RUN } from '../../policy/run.ts';
import { unreadSnapshot } from '../../policy/snapshot.ts';
import type { Asker } from '../http/access.ts';
import { Site } from '../http/site.ts';
import type { SeenRefusal, Surroundings } from '../http/surroundings.ts';
import type { Log } from '../ports/log.ts';
import { openWorld } from '../world/open-world.ts';
import { StoreError } from '../world/schema.ts';
import { openTokens, TOKEN_PREFIX, type Tokens } from '../world/token.ts';
import { dialled, endpointsOf, isLoopback } from './addresses.ts';
import { loadConfig } from './config-file.ts';
import { ControlError } from './control-error.ts';
import { digest } from './digest.ts';
import { openEntropy } from './entropy.ts';
import { privateFolder } from './files.ts';
import { Ipc } from './ipc.ts';
import { type Listener, listen } from './listener.ts';
import { LiveConfig } from './live-config.ts';
import { takeLock } from './lock.ts';
import { openOutbound } from './outbound.ts';
import { type WorldPaths, worldPaths } from './paths.ts';
import { policyOf } from './policy.ts';
import { RefusalList } from './refusal-list.ts';
import { RunList } from './runs.ts';
import { openSqlite, type SqliteFile } from './sqlite.ts';
import { type ControlStatus, StatusFiles } from './status-file.ts';
import { STREAM_SERVERS } from './streams.ts';
import { Supervisor, type SupervisorLimits } from './supervisor.ts';
import { tokensFor } from './token-file.ts';
import { openTwins } from './twins.ts';
import { listenForTwins } from './twins-listener.ts';
import { wallClock } from './wall-clock.ts';

const PROXY_MAIN = join(import.meta.dirname, '..', '..', 'proxy', 'main.ts');

/** A local world opens to what it minted itself, and to nothing that it adopted. */
const MINTED = [TOKEN_PREFIX.write, TOKEN_PREFIX.read];

/** How long a proxy serves on without control: long enough for a restart, too short to be forgotten. */
const PROXY_ORPHAN_SECONDS = 300;

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
  readonly log: Log;
  /** Another program in the proxy's place, and other limits of its supervision: for tests of the supervision. */
  readonly proxy?: { readonly script?: string; readonly limits?: Partial<SupervisorLimits> };
};

export type RunningControl = AsyncDisposable & {
  /** `http://127.0.0.1:<port>` */
  readonly baseUrl: string;
  /** `<baseUrl>/<org>/<world>` */
  readonly worldUrl: string;
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

/** Throws `ControlError`, with nothing left running. */
export async function startControl(options: ControlOptions): Promise<RunningControl> {
  const { log } = options;
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
  const sql = openStore(paths, opened);
  const tokens = openTokens({ sql, entropy: openEntropy(), digest });
  const pair = await tokensFor(tokens, paths.tokens);
  const authority = await loadAuthority(paths.authority);
  if (!authority.ok) throw new ControlError('authority-unusable', authority.why);
  const twins = await openTwins(paths.folder, loaded.config.twins, log);
  if (!twins.ok) throw new ControlError('twin-unusable', twins.why);

  let live: LiveConfig | null = null;
  const world = await openWorld({
    name,
    sql,
    wall: wallClock,
    entropy: openEntropy(),
    outbound: openOutbound(() => live?.snapshot ?? unreadSnapshot('')),
    log,
    twins: twins.twins,
  });
  opened.defer(() => world.close());

  const refusals = new RefusalList();
  let listener: Listener | null = null;
  let supervisor: Supervisor | null = null;
  const baseUrl = (): string => `http://${dialled(options.host)}:${listener?.port ?? options.port}`;
  const proxyUrl = (): string => {
    const { host, port } = supervisor?.address ?? { host: options.host, port: options.proxyPort };
    // Beyond loopback a client must say which run it is (407 otherwise); the world's token proves the default one.
    const run = isLoopback(options.host) ? '' : `${DEFAULT_RUN.name}:${pair.write.reveal()}@`;
    return `http://${run}${dialled(host)}:${port}`;
  };
  const runs = new RunList({ name: DEFAULT_RUN.name, secret: pair.write.reveal() }, async () =>
    live?.refresh(),
  );
  const around: Surroundings = {
    get baseUrl() {
      return baseUrl();
    },
    get docsUrl() {
      return baseUrl();
    },
    ca: authority.authority.certificatePem,
    proxyUrl,
    runs,
    refusals: () => refusals.newestFirst,
    whose: credential => asker(tokens, credential),
    vendorError: (vendor, status, code, message) =>
      twins.twins.find(twin => twin.id === vendor)?.twin.twin.error(status, code, message) ?? null,
    entropy: openEntropy(),
    log,
  };
  const site = new Site(world, around);

  const { host, port } = options;
  listener = await listen({ site, from: 'client', log, host, port }).catch(cannotListen(host, port));
  opened.use(listener);
  const streams = { world: name, manifest: (twin: string) => world.manifest(twin), servers: STREAM_SERVERS };
  opened.use(await listenForTwins(paths.twinsSocket, { site, log }, streams));
  const ipc = await Ipc.listen({
    path: paths.ipcSocket,
    epoch: randomBytes(8).toString('hex'),
    log,
    onHello: link => supervisor?.heard(link),
    onAnswer: () => void files.write(),
    onRefused: refused => refusals.add(refused),
  });
  opened.use(ipc);
  // One that no longer is supervised (it redialled late) ends with the world too.
  opened.defer(() => ipc.drain());

  const twinRoutes = twins.twins.map(({ id, twin }) => ({ id, manifest: twin.twin.manifest }));
  live = new LiveConfig({
    loaded,
    policyOf: edited =>
      policyOf({
        loaded: edited,
        world: name,
        twins: twinRoutes,
        docsUrl: baseUrl(),
        sandbox: options.sandbox,
        endpoints: endpointsOf(host, listener.port),
        runs: runs.grants,
        anonymousRuns: isLoopback(host),
      }),
    ipc,
    log,
    onChange: () => void files.write(),
  });
  supervisor = new Supervisor({
    script: options.proxy?.script ?? PROXY_MAIN,
    host,
    port: options.proxyPort,
    args: ['--ipc', paths.ipcSocket, '--twins', paths.twinsSocket, '--ca', paths.authority].concat([
      '--orphan-seconds',
      String(PROXY_ORPHAN_SECONDS),
      '--workers',
      String(options.workers ?? 1),
      ...(options.guestPort === undefined ? [] : ['--guest-port', String(options.guestPort)]),
    ]),
    ipc,
    proxyFile: paths.proxy,
    logFile: paths.proxyLog,
    log,
    ...(options.proxy?.limits ? { limits: options.proxy.limits } : {}),
    onChange: () => void files.write(),
  });
  const running = { live, supervisor };
  const caFile = authority.authority.certificateFile;
  const worldUrl = `${baseUrl()}/${name}`;
  const status = (): ControlStatus => ({
    pid: process.pid,
    config: running.live.state,
    proxy: {
      pid: running.supervisor.pid,
      state: running.supervisor.state,
      restarts: running.supervisor.restarts,
      policy: ipc.links.find(link => link.pid === running.supervisor.pid)?.acknowledged ?? null,
    },
  });
  const files: StatusFiles = new StatusFiles(paths, log, () => ({
    status: status(),
    up: {
      baseUrl: baseUrl(),
      worldUrl,
      proxyUrl: proxyUrl(),
      caFile,
      pid: process.pid,
      proxyPid: running.supervisor.pid,
    },
  }));

  opened.use(supervisor);
  opened.use(live);
  opened.defer(() => files.remove());
  // Pushed before there is a proxy: it gets the policy with its hello.
  await live.start();
  await supervisor.start().catch(error => {
    throw new ControlError('proxy-failed', (error as Error).message);
  });
  const confirmed = await ipc.confirmed(supervisor.pid);
  if (typeof confirmed === 'object')
    throw new ControlError('proxy-failed', `the proxy rejected the world’s policy: ${confirmed.rejected}`);
  await files.write();
  log.info({ world: name, baseUrl: baseUrl(), proxy: supervisor.address, proxyPid: supervisor.pid }, 'up');

  const kept = opened.move();
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= kept.disposeAsync());
  return {
    baseUrl: baseUrl(),
    worldUrl,
    proxyUrl: proxyUrl(),
    caFile,
    token: pair.write.reveal(),
    readToken: pair.read.reveal(),
    get proxyPid() {
      return running.supervisor.pid;
    },
    status,
    refusals: () => refusals.newestFirst,
    configSettled: () => running.live.settled(),
    close,
    [Symbol.asyncDispose]: close,
  };
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

function openStore(paths: WorldPaths, opened: AsyncDisposableStack): SqliteFile {
  try {
    const sql = openSqlite(paths.database);
    opened.defer(() => sql.close());
    return sql;
  } catch (error) {
    if (error instanceof StoreError) throw new ControlError('store-unusable', error.message);
    throw error;
  }
}

/** Most credentials on the way to a twin are the vendor's own keys: those are told apart without a digest. */
function asker(tokens: Tokens, credential: string): Asker | null {
  if (!MINTED.some(prefix => credential.startsWith(prefix))) return null;
  const scope = tokens.scopeOf(credential);
  if (scope === null) return null;
  return { by: 'token', scope, caller: scope === 'write' ? 'token' : 'token:read' };
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
