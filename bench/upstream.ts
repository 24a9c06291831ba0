// The origin behind every proxy: nginx where there is one, else a small Node TLS server that answers canned
// bytes. A kilobyte of JSON at /1k, ten megabytes at /10m, one certificate for bench.test and *.bench.test.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestAuthority } from '../test/kit/test-ca.ts';
import { Child } from './child.ts';
import type { Machine } from './machine.ts';
import { startNginx } from './nginx.ts';

export const SMALL_BYTES = 1_024;
export const LARGE_BYTES = 10_000_000;

export type Upstream = AsyncDisposable & {
  readonly port: number;
  /** PEM of the authority behind its certificate, and the file it is in. */
  readonly ca: string;
  readonly caFile: string;
  /** Its own certificate and key, PEM files, for the nginx reference in front of it. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly kind: string;
};

export type UpstreamFiles = Pick<Upstream, 'caFile' | 'certFile' | 'keyFile' | 'ca'> & {
  readonly folder: string;
};

export async function startUpstream(machine: Machine, folder: string): Promise<Upstream> {
  const authority = await createTestAuthority('bench upstream authority');
  const leaf = await authority.leaf(['bench.test', '*.bench.test']);
  const files: UpstreamFiles = {
    folder,
    ca: authority.pem,
    caFile: join(folder, 'upstream-ca.pem'),
    certFile: join(folder, 'upstream.pem'),
    keyFile: join(folder, 'upstream.key'),
  };
  writeFileSync(files.caFile, authority.pem);
  writeFileSync(files.certFile, leaf.cert);
  writeFileSync(files.keyFile, leaf.key, { mode: 0o600 });
  return machine.nginx === null ? startNode(machine, files) : startNginxUpstream(machine, files);
}

async function startNode(machine: Machine, files: UpstreamFiles): Promise<Upstream> {
  const script = join(import.meta.dirname, 'upstream-process.ts');
  const command = [process.execPath, script, files.certFile, files.keyFile];
  const child = new Child({ machine, seat: 'upstream', command, channel: true });
  try {
    const { port } = await child.message<{ port: number }>('the upstream');
    return {
      ...files,
      port,
      kind: 'Node TLS server, canned bytes',
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw error;
  }
}

async function startNginxUpstream(machine: Machine, files: UpstreamFiles): Promise<Upstream> {
  const site = join(files.folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, '1k'), smallBody());
  writeFileSync(join(site, '10m'), Buffer.alloc(LARGE_BYTES, 'x'));
  const nginx = await startNginx(machine, {
    seat: 'upstream',
    folder: join(files.folder, 'nginx-upstream'),
    certFile: files.certFile,
    keyFile: files.keyFile,
    http: `open_file_cache max=8 inactive=1h; root ${site}; types { }`,
    server: 'default_type application/json;',
  });
  return {
    ...files,
    port: nginx.port,
    kind: `nginx ${machine.nginx?.version}`,
    [Symbol.asyncDispose]: nginx[Symbol.asyncDispose],
  };
}

export function smallBody(): string {
  const frame = JSON.stringify({ object: 'bench', padding: '' });
  return JSON.stringify({ object: 'bench', padding: 'x'.repeat(SMALL_BYTES - frame.length) });
}
