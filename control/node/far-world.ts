// A world that is served somewhere else, on this machine: a proxy of its own, with an authority of its own, whose twins
// are the world's there (4.2). It reaches those twins and nothing besides, as a sandbox does: what the world grants is
// that host's to judge, and an SDK of a twin's vendor must never reach the vendor itself.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAuthority } from '../../certs/authority.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import { routesOf, streamsOf } from '../http/twin-routes.ts';
import type { Log } from '../ports/log.ts';
import { ControlError } from './control-error.ts';
import { PROXY_MAIN } from './data-plane.ts';
import { forwardTwins } from './far-twins.ts';
import { Ipc } from './ipc.ts';
import { FAR_PROXY_ORPHAN_SECONDS } from './limits.ts';
import { Supervisor } from './supervisor.ts';

export type FarWorldOptions = {
  /** Private to this user, and empty: what is made in it goes with it. */
  readonly folder: string;
  /** Where the world is served: `https://worlds.example.com`. */
  readonly origin: string;
  /** `<org>/<world>`. */
  readonly name: string;
  readonly token: string;
  /** The world's own authority, PEM: for the TLS that its streams speak. */
  readonly ca: string;
  readonly twins: readonly { readonly id: string; readonly manifest: Manifest }[];
  readonly log: Log;
};

export type FarWorld = AsyncDisposable & {
  readonly proxyUrl: string;
  /** Both authorities: this proxy's, and the world's. */
  readonly caFile: string;
};

const NO_PROXY_THERE =
  'this world is attached to, and the host that serves it runs no proxy, so no grant of its holds here: list the host in NO_PROXY, or serve the world by wrld world up';

/** Throws `ControlError`, with nothing left running. */
export async function openFarWorld(options: FarWorldOptions): Promise<FarWorld> {
  const { folder, origin, name, token, ca, twins, log } = options;
  await using opened = new AsyncDisposableStack();
  const loaded = await loadAuthority(join(folder, 'ca'));
  if (!loaded.ok) throw new ControlError('authority-unusable', loaded.why);
  const caFile = join(folder, 'trust.pem');
  await writeFile(caFile, `${loaded.authority.certificatePem}${ca}`);
  const [ipcSocket, twinsSocket] = [join(folder, 'ipc.sock'), join(folder, 'twins.sock')];
  opened.use(await forwardTwins({ path: twinsSocket, origin, token, log }));
  const ipc = await Ipc.listen({ path: ipcSocket, epoch: randomBytes(8).toString('hex'), log });
  opened.use(ipc);
  opened.defer(() => ipc.drain());
  const files = ['--ca', join(folder, 'ca'), '--log-file', join(folder, 'proxy.log')];
  const args = ['--ipc', ipcSocket, '--twins', twinsSocket, ...files];
  const supervisor = new Supervisor({
    script: PROXY_MAIN,
    host: '127.0.0.1',
    port: 0,
    args: [...args, '--orphan-seconds', String(FAR_PROXY_ORPHAN_SECONDS)],
    ipc,
    proxyFile: join(folder, 'proxy.json'),
    outputFile: join(folder, 'proxy-output.log'),
    log,
  });
  opened.use(supervisor);
  // Before there is a proxy: it gets the policy with its hello.
  await ipc.push({
    world: name,
    docsUrl: origin,
    sandbox: false,
    grantless: NO_PROXY_THERE,
    phase: null,
    network: { egress: [], writes: [], passthrough: [], ownLoopback: true },
    parents: [],
    routes: twins.flatMap(routesOf),
    streams: streamsOf(twins),
    endpoints: [],
    services: [],
    app: null,
    extraHosts: {},
    runs: [],
    anonymousRuns: true,
  });
  await supervisor.start().catch(error => {
    throw new ControlError('proxy-failed', (error as Error).message);
  });
  const confirmed = await ipc.confirmed(supervisor.pid);
  if (typeof confirmed === 'object')
    throw new ControlError('proxy-failed', `the proxy rejected the world’s twins: ${confirmed.rejected}`);
  const { host, port } = supervisor.address;
  const kept = opened.move();
  return {
    proxyUrl: `http://${host}:${port}`,
    caFile,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
