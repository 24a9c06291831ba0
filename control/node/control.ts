// Starts the whole of one world on this machine: store, endpoints, policy channel, and the proxy process that it
// supervises. What is opened is closed in the reverse order, at the end or when a later step fails.
import { join } from 'node:path';
import { DEFAULT_RUN } from '../../policy/run.ts';
import type { SeenRefusal } from '../http/surroundings.ts';
import { endpointsOf, isLoopback } from './addresses.ts';
import { type Base, openBase } from './base.ts';
import { Branches } from './branches.ts';
import { asControlError } from './control-error.ts';
import { DataPlane, proxyUrl } from './data-plane.ts';
import { openSite } from './hosted-site.ts';
import type { ControlOptions, ServeOptions } from './options.ts';
import { policyOf } from './policy.ts';
import { RunList } from './runs.ts';
import type { ControlStatus, ProxyStatus } from './status-file.ts';
import { StreamListeners } from './stream-listeners.ts';

export type { ControlOptions, ServeOptions } from './options.ts';

/** A world that is up, as its own process has it. */
type Running = AsyncDisposable & {
  /** `http://127.0.0.1:<port>` */
  readonly baseUrl: string;
  /** `<baseUrl>/<org>/<world>` */
  readonly worldUrl: string;
  /** The world's page at its own origin (5.3-2), without a path; null where it has none. */
  readonly ownOrigin: string | null;
  readonly caFile: string;
  readonly token: string;
  readonly readToken: string;
  /** Newest first. */
  refusals(): readonly SeenRefusal[];
  /** Resolves when every edit of the config seen so far is in force or refused. */
  configSettled(): Promise<void>;
  /** Drains the proxy and the listeners, then ends. */
  close(): Promise<void>;
};

export type RunningControl = Running & {
  readonly proxyUrl: string;
  /** 0 while the proxy is being started again. */
  readonly proxyPid: number;
  /** Where contained runs reach the proxy: a Unix socket. */
  readonly runsSocket: string;
  status(): ControlStatus & { readonly proxy: ProxyStatus };
};

export type ServedControl = Running & {
  readonly proxyUrl: null;
  readonly proxyPid: null;
  status(): ControlStatus & { readonly proxy: null };
};

/** Throws `ControlError`, with nothing left running. */
export function startControl(options: ControlOptions): Promise<RunningControl> {
  return told(startBehindProxy(options), options.folder);
}

/** Control alone: the endpoints and the twins by URL. Throws `ControlError`, with nothing left running. */
export function serveControl(options: ServeOptions): Promise<ServedControl> {
  return told(startAlone(options), options.folder);
}

/** What the machine refused at any step, told as what keeps the world from starting. */
function told<Control>(started: Promise<Control>, folder: string): Promise<Control> {
  return started.catch(error => {
    throw asControlError(error, join(folder, '.wrld'));
  });
}

async function startBehindProxy(options: ControlOptions): Promise<RunningControl> {
  const { log, sandbox, forRun = false } = options;
  await using opened = new AsyncDisposableStack();
  const base = await openBase(options, opened, true);
  const { plane, runs, credentials } = await serveBehindProxy(base, options, opened);
  await putInForce(base, { sandbox, ipc: plane.ipc, runs }, opened);
  const address = await plane.start();
  const url = (): string => proxyUrl(address, credentials());
  const runsSocket = base.home.sockets.runs;
  const status = () => ({ ...statusOf(base), proxy: plane.status });
  await base.files.begin(() => ({
    status: status(),
    up: { ...placeOf(base), sandbox, forRun, proxyUrl: url(), proxyPid: plane.status.pid, runsSocket },
  }));
  log.info({ world: base.root.name, baseUrl: base.front.baseUrl, proxy: plane.status }, 'up');
  const { tokens } = base.root;
  return {
    ...running(base, opened.move()),
    get proxyUrl() {
      return url();
    },
    get proxyPid() {
      return plane.status.pid;
    },
    runsSocket,
    get token() {
      return tokens.write.reveal();
    },
    get readToken() {
      return tokens.read.reveal();
    },
    status,
  };
}

async function startAlone(options: ServeOptions): Promise<ServedControl> {
  await using opened = new AsyncDisposableStack();
  const base = await openBase(options, opened, false);
  const { front, live, root, worldHost } = base;
  opened.defer(() => front.close());
  opened.defer(() => root.world.news.close());
  const rotated = (): Promise<void> => live.refresh();
  front.sites.add(
    openSite(root, worldHost, {
      proxyUrl: () => null,
      runs: null,
      branches: null,
      streamAt: () => null,
      grants: () => live.grants,
      rotated,
    }),
  );
  await putInForce(base, { sandbox: false, ipc: null, runs: null }, opened);
  const status = () => ({ ...statusOf(base), proxy: null });
  const alone = { sandbox: false, forRun: false, proxyUrl: null, proxyPid: null, runsSocket: null };
  await base.files.begin(() => ({ status: status(), up: { ...placeOf(base), ...alone } }));
  options.log.info({ world: root.name, baseUrl: front.baseUrl, proxy: null }, 'up');
  const { tokens } = root;
  return {
    ...running(base, opened.move()),
    proxyUrl: null,
    proxyPid: null,
    get token() {
      return tokens.write.reveal();
    },
    get readToken() {
      return tokens.read.reveal();
    },
    status,
  };
}

type BehindProxy = {
  /** Listens for its proxy, which is not started yet. */
  readonly plane: DataPlane;
  readonly runs: RunList;
  /** `<run>:<secret>@` of the proxy's URL, or nothing. */
  readonly credentials: () => string;
};

/** The world, its branches and its streams answer when this resolves. */
async function serveBehindProxy(
  base: Base,
  options: ControlOptions,
  opened: AsyncDisposableStack,
): Promise<BehindProxy> {
  const { home, front, live, refusals, files, worldHost, root } = base;
  const { host, log } = options;
  const { sites, streams } = front;
  const { world, tokens } = root;
  const runs = new RunList({ name: DEFAULT_RUN.name, secret: () => tokens.write.reveal() }, () =>
    live.refresh(),
  );
  // Beyond loopback a client must say which run it is (407 otherwise); the world's token proves the default one.
  const credentials = (): string => (isLoopback(host) ? '' : `${DEFAULT_RUN.name}:${tokens.write.reveal()}@`);
  const branches = opened.use(
    new Branches({
      sites,
      log,
      ownOrigin: worldHost.ownOrigin,
      runs,
      grants: () => live.grants,
      isBusy: name => streams.isOpenTo(name),
      ...(options.branches === undefined ? {} : { limits: options.branches }),
    }),
  );
  const listeners = opened.use(new StreamListeners(streams));
  opened.defer(() => front.close());
  // First, or the listener would wait for streams of news, which do not end by themselves.
  opened.defer(() => {
    world.news.close();
    branches.hush();
  });
  const plane = await DataPlane.open({
    paths: home.paths,
    sockets: home.sockets,
    host,
    port: options.proxyPort,
    workers: options.workers ?? 1,
    guestPort: options.guestPort ?? null,
    ...options.proxy,
    sites,
    streams: {
      streams,
      find: async (name, vendor, id) => {
        await sites.opened(name);
        return sites.stream(name, vendor, id);
      },
    },
    log,
    onRefused: refused => {
      refusals.add(refused);
      world.news.tell({ kind: 'refusal' });
    },
    onChange: () => void files.write(),
  });
  opened.use(plane);
  const site = openSite(root, worldHost, {
    proxyUrl: () => (plane.address === null ? null : proxyUrl(plane.address, credentials())),
    runs,
    branches: branches.hostOf(root),
    rotated: () => live.refresh(),
    grants: () => live.grants,
    streamAt: vendor => listeners.at(vendor),
  });
  await branches.open({ hosted: root, host: worldHost, folder: home.paths.branches });
  await listeners.open(site, root.twins);
  sites.add(site);
  return { plane, runs, credentials };
}

type Enforced = {
  readonly sandbox: boolean;
  /** Null where there is no proxy. */
  readonly ipc: DataPlane['ipc'] | null;
  readonly runs: RunList | null;
};

/** The policy of the world, from now on that of its config as it stands. A proxy gets it with its hello. */
async function putInForce(
  { home, front, live, files, root, vendors, worldHost }: Base,
  { sandbox, ipc, runs }: Enforced,
  opened: AsyncDisposableStack,
): Promise<void> {
  opened.use(live);
  opened.defer(() => files.remove());
  const { host, port, baseUrl } = front;
  const twins = root.twins.map(({ id, twin }) => ({ id, manifest: twin.twin.manifest }));
  await live.start({
    policyOf: loaded =>
      policyOf({
        loaded,
        world: home.loaded.config.name,
        twins,
        docsUrl: baseUrl,
        sandbox,
        endpoints: endpointsOf(host, port),
        runs: runs?.grants ?? [],
        anonymousRuns: isLoopback(host),
        vendors: vendors.all,
      }),
    ipc,
    onChange: () => void files.write(),
    onHandlers: async configs => {
      await Promise.all([...worldHost.handled].map(handle => handle(configs)));
    },
  });
}

function placeOf({ home, front, root }: Base) {
  return {
    baseUrl: front.baseUrl,
    worldUrl: `${front.baseUrl}/${root.name}`,
    caFile: home.authority.certificateFile,
    pid: process.pid,
  };
}

function statusOf({ live }: Base): Omit<ControlStatus, 'proxy'> {
  return { pid: process.pid, config: live.state };
}

function running(base: Base, opened: AsyncDisposableStack): Omit<Running, 'token' | 'readToken'> {
  const { live, refusals, root, worldHost } = base;
  const { baseUrl, worldUrl, caFile } = placeOf(base);
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= opened.disposeAsync());
  return {
    baseUrl,
    worldUrl,
    ownOrigin: worldHost.ownOrigin(root.name),
    caFile,
    refusals: () => refusals.newestFirst,
    configSettled: () => live.settled(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
