// Starts what is measured, each in a process of its own on the proxy's core, fresh in every round.
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CERTIFICATE_FILE } from '../certs/authority.ts';
import { freePort } from '../test/kit/free-port.ts';
import { startProxyProcess } from '../test/kit/proxy-process.ts';
import { Child } from './child.ts';
import { HOST, type Route } from './client/dial.ts';
import { type Machine, seated } from './machine.ts';
import { startNginx } from './nginx.ts';
import type { TargetName } from './options.ts';
import { benchSnapshot, manyGrants } from './snapshot.ts';
import type { Upstream } from './upstream.ts';

export type Target = AsyncDisposable & {
  readonly route: Route;
  /** The process that is the proxy; null for `direct`. */
  readonly pid: number | null;
  /** Replaces the policy by one of that many more grants; resolves when it is in force. Ours alone has it. */
  readonly push?: (grants: number) => Promise<void>;
};

export type Stage = {
  readonly machine: Machine;
  readonly upstream: Upstream;
  /** An empty folder for this target in this round. */
  readonly folder: string;
  /** Hosts that will be asked for a first time. */
  readonly firstHosts: readonly string[];
};

/** Null where the target cannot be had on this machine. */
export async function startTarget(name: TargetName, stage: Stage): Promise<Target | null> {
  mkdirSync(stage.folder, { recursive: true });
  switch (name) {
    case 'direct': {
      const { port, ca } = stage.upstream;
      return {
        pid: null,
        route: { port, tunnel: false, ca, originPort: port },
        [Symbol.asyncDispose]: async () => {},
      };
    }
    case 'nginx':
      return stage.machine.nginx === null ? null : startNginxReference(stage);
    case 'wrld':
      return startWrld(stage);
    case 'tunnel':
      return startScript(stage, 'tunnel.ts', []);
    case 'http-mitm-proxy':
      return startScript(stage, 'http-mitm-proxy.ts', [stage.folder]);
    case 'mockttp':
      return startScript(stage, 'mockttp.ts', [String(await freePort())]);
  }
}

async function startScript(
  { machine, upstream }: Stage,
  script: string,
  args: readonly string[],
): Promise<Target> {
  const command = [process.execPath, join(import.meta.dirname, 'peers', script), ...args];
  const env = { NODE_EXTRA_CA_CERTS: upstream.caFile };
  const child = new Child({ machine, seat: 'proxy', command, env, channel: true });
  try {
    const { port, ca } = await child.message<{ port: number; ca?: string }>('its port');
    return {
      pid: child.pid,
      route: { port, tunnel: true, ca: ca ?? upstream.ca, originPort: upstream.port },
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}

/** TLS ended and begun again by C code, without CONNECT and without policy: the yardstick of the targets. */
async function startNginxReference({ machine, upstream, folder }: Stage): Promise<Target> {
  const nginx = await startNginx(machine, {
    seat: 'proxy',
    folder: join(folder, 'nginx'),
    certFile: upstream.certFile,
    keyFile: upstream.keyFile,
    http: `upstream origin { server 127.0.0.1:${upstream.port}; keepalive 512; keepalive_requests 1000000000; }`,
    server: `location / {
      proxy_pass https://origin; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;
      proxy_ssl_server_name on; proxy_ssl_name $host; proxy_ssl_verify on; proxy_ssl_trusted_certificate ${upstream.caFile};
      proxy_max_temp_file_size 0;
    }`,
  });
  return {
    pid: nginx.pid,
    route: { port: nginx.port, tunnel: false, ca: upstream.ca, originPort: upstream.port },
    [Symbol.asyncDispose]: nginx[Symbol.asyncDispose],
  };
}

async function startWrld({ machine, upstream, folder, firstHosts }: Stage): Promise<Target> {
  const pinned = [HOST, ...firstHosts];
  const own = pinned.map(host => `https://${host}:${upstream.port}`);
  const proxy = await startProxyProcess({
    folder,
    snapshot: benchSnapshot({ version: 1, egress: own, pinned }),
    // As control starts it: its compiled code is kept, from one round to the next.
    env: { SSL_CERT_FILE: upstream.caFile, NODE_COMPILE_CACHE: join(dirname(folder), 'compile-cache') },
    before: seated(machine, 'proxy', []),
    // Access lines are written as they are in earnest: to a file, by the proxy itself.
    logFile: join(folder, 'proxy.log'),
  });
  return {
    pid: proxy.pid,
    route: {
      port: proxy.port,
      tunnel: true,
      ca: readFileSync(join(proxy.caFolder, CERTIFICATE_FILE), 'utf8'),
      originPort: upstream.port,
    },
    push: grants =>
      proxy.push(benchSnapshot({ version: 2, egress: [...own, ...manyGrants(grants)], pinned })),
    [Symbol.asyncDispose]: proxy[Symbol.asyncDispose],
  };
}
