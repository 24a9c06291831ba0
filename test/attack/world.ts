// The world that attacks are made on: a granted origin over TLS and one in the clear, a twin, and the stand-in
// for control. Each is Node's own HTTP server, so that what the proxy passed on is read by another parser than
// the proxy's: a smuggled request would show as one more.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAuthority } from '../../policy/authority.ts';
import { decide } from '../../policy/decide.ts';
import type { Decision } from '../../policy/decision.ts';
import { DEFAULT_RUN } from '../../policy/run.ts';
import { compileSnapshot, type Snapshot, type SnapshotDocument } from '../../policy/snapshot.ts';
import { startHttpOrigin } from '../kit/origin.ts';
import { document, startProxy, type TestProxy, type TestProxyOptions } from '../kit/proxy.ts';
import { createTestAuthority } from '../kit/test-ca.ts';

/** A request as it arrived at a stand-in, by that one's own parser. */
export type Seen = {
  readonly at: 'secure' | 'clear' | 'control';
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  body: string;
};

export type AttackedWorld = AsyncDisposable & {
  readonly proxy: TestProxy;
  readonly snapshot: Snapshot;
  /** `p.test:<port>`: `/v1/` is granted for reading, `/v1/w/` for writing, over TLS. */
  readonly secure: string;
  /** `c.test:<port>`: the same in the clear. */
  readonly clear: string;
  readonly seen: Seen[];
};

const upstreams = await createTestAuthority();

/**
 * Says who answers and repeats the request's tag, so that an answer tells which request it belongs to. It waits for
 * the whole request, unless that has an `X-Early`.
 */
const tagged: (who: Seen['at']) => RequestListener = who => (request, response) => {
  const tag = request.headers['x-tag'];
  if (typeof tag === 'string' && /^[\w-]+$/.test(tag)) response.setHeader('X-Tag', tag);
  const answer = (): void => void response.end(`${who} ${request.method === 'HEAD' ? '' : tag}`);
  if (request.headers['x-early'] === undefined) request.on('end', answer);
  else answer();
};

export async function startWorld(
  options: {
    readonly listener?: (who: Seen['at']) => RequestListener;
    readonly proxy?: Omit<TestProxyOptions, 'world' | 'controlSocket' | 'upstreamCa'>;
    readonly world?: Partial<SnapshotDocument>;
  } = {},
): Promise<AttackedWorld> {
  const seen: Seen[] = [];
  const listener = options.listener ?? tagged;
  const at =
    (who: Seen['at']) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const { method = '', url: target = '', headers, rawHeaders } = request;
      const arrived: Seen = { at: who, method, target, headers, rawHeaders, body: '' };
      seen.push(arrived);
      request.setEncoding('latin1').on('data', text => (arrived.body += text));
      request.on('error', () => {});
      response.on('error', () => {});
      listener(who)(request, response);
    };
  const secure = await startHttpOrigin({
    tls: { authority: upstreams, hosts: ['p.test'] },
    handler: at('secure'),
  });
  const clear = await startHttpOrigin({ handler: at('clear') });
  const folder = mkdtempSync(join(tmpdir(), 'wrld-attack-'));
  const controlSocket = join(folder, 'twins.sock');
  const control = createServer(at('control'));
  control.listen(controlSocket);
  await once(control, 'listening');

  const secureHost = `p.test:${secure.port}`;
  const clearHost = `c.test:${clear.port}`;
  const origins = [`https://${secureHost}`, `http://${clearHost}`];
  const world: Partial<SnapshotDocument> = {
    network: {
      egress: origins.map(origin => `${origin}/v1/`),
      writes: origins.map(origin => `${origin}/v1/w/`),
      passthrough: [],
      ownLoopback: true,
    },
    extraHosts: { 'p.test': '127.0.0.1', 'c.test': '127.0.0.1' },
    routes: [
      { host: 'tw.test', path: '/v1/', vendor: 'tw' },
      { host: 'two.test', path: '/', vendor: 'one' },
      { host: 'two.test', path: '/two/', vendor: 'two' },
    ],
    ...options.world,
  };
  const compiled = compileSnapshot(document(world));
  if (!compiled.ok) throw new Error(compiled.why);
  const proxy = await startProxy({ world, controlSocket, upstreamCa: upstreams.pem, ...options.proxy });
  return {
    proxy,
    snapshot: compiled.snapshot,
    secure: secureHost,
    clear: clearHost,
    seen,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await Promise.all([secure.stop(), clear.stop()]);
      control.closeAllConnections();
      await new Promise(resolve => control.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Null where policy permits exactly what arrived, worked out anew from what the stand-in read; otherwise what is
 * wrong with it.
 */
export function unpermitted(seen: Seen, snapshot: Snapshot): string | null {
  const control = seen.at === 'control';
  const host = String(control ? seen.headers['x-wrld-host'] : seen.headers.host);
  const scheme = (control ? seen.headers['x-wrld-scheme'] : seen.at === 'secure' ? 'https' : 'http') as
    | 'http'
    | 'https';
  const [, vendor = '', target = seen.target] = control
    ? (/^\/acme\/shop\/([^/]+)(\/.*)$/.exec(seen.target) ?? [])
    : [];
  const decision: Decision = decide(
    {
      method: seen.method,
      scheme,
      authority: parseAuthority(host, scheme === 'https' ? 443 : 80),
      path: target,
      transport: 'http1',
      run: DEFAULT_RUN,
      guest: false,
    },
    snapshot,
  );
  const permitted = control
    ? decision.to === 'twin' && decision.vendor === vendor && decision.path === target
    : decision.to === 'egress' && decision.path === target;
  return permitted
    ? null
    : `${seen.at} got ${seen.method} ${host} ${seen.target}: ${JSON.stringify(decision)}`;
}
