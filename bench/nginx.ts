// nginx as one process in a folder of its own: the upstream, and the reverse proxy that is our yardstick.
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../test/kit/free-port.ts';
import { Child } from './child.ts';
import type { Machine, Seat } from './machine.ts';

const START_MS_MAX = 5_000;

export type NginxOptions = {
  readonly seat: Seat;
  /** Made by this call. */
  readonly folder: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** Directives of the http block, and of its one server. */
  readonly http: string;
  readonly server: string;
};

export type Nginx = AsyncDisposable & { readonly port: number; readonly pid: number };

export async function startNginx(machine: Machine, options: NginxOptions): Promise<Nginx> {
  const { folder } = options;
  mkdirSync(folder);
  const port = await freePort();
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(kind => `${kind}_temp_path ${join(folder, kind)};`)
    .join(' ');
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; master_process off; worker_processes 1; pid ${join(folder, 'pid')}; error_log stderr crit;
events { worker_connections 8192; }
http {
  access_log off; sendfile on; tcp_nodelay on; ${temp}
  keepalive_requests 1000000000; keepalive_timeout 1h;
  ssl_certificate ${options.certFile}; ssl_certificate_key ${options.keyFile}; ssl_protocols TLSv1.2 TLSv1.3;
  ${options.http}
  server { listen 127.0.0.1:${port} ssl backlog=4096; ${options.server} }
}
`,
  );
  const command = [machine.nginx!.file, '-p', folder, '-c', file, '-e', 'stderr'];
  const child = new Child({ machine, seat: options.seat, command, channel: false });
  try {
    await untilListening(port, child);
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
  return { port, pid: child.pid, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

/** nginx says nothing when it listens, so it is asked. */
async function untilListening(port: number, child: Child): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < START_MS_MAX) {
    const open = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  throw new Error(`nginx did not listen within ${START_MS_MAX} ms: ${child.said}`);
}
