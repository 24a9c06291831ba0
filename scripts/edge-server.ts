// The worker of edge/ under workerd on this machine, as the deployment has it: two kinds of objects, a bucket, and no way to
// any address that is not public.
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Log, LogLevel, Miniflare, type WorkerOptions } from 'miniflare';
import type { EdgeBundle } from './edge-bundle.ts';

export type EdgeServerOptions = {
  readonly bundle: EdgeBundle;
  readonly port: number;
  /** In which what is stored outlives the server; nowhere without it. */
  readonly folder?: string;
  /** Whether what the worker says on its console is shown. */
  readonly logs?: boolean;
  /** Variables and secrets. */
  readonly bindings: { readonly [name: string]: string };
  /** Of a test: who answers what the worker asks by `fetch`. */
  readonly outside?: ((request: Request) => Promise<Response>) | undefined;
  /** Of a test: what stands before the bucket, made of one that it has itself. */
  readonly bucket?: (WorkerOptions & { readonly name: string }) | undefined;
};

export type EdgeServer = AsyncDisposable & { readonly baseUrl: string; readonly miniflare: Miniflare };

export async function serveEdge(options: EdgeServerOptions): Promise<EdgeServer> {
  const { port, folder, bucket } = options;
  const worker = workerOf(options);
  const baseUrl = urlAt(port);
  const miniflare = new Miniflare({
    log: new Log(LogLevel.NONE),
    handleRuntimeStdio: (out: Readable, err: Readable) => {
      // Read, or the runtime would stand still when nobody takes what it says.
      for (const stream of [out, err])
        if (options.logs === true) stream.pipe(process.stderr, { end: false });
        else stream.resume();
    },
    host: '127.0.0.1',
    port,
    cf: false,
    ...(bucket === undefined ? worker : { workers: [worker, bucket] }),
    ...(folder !== undefined && {
      durableObjectsPersist: join(folder, 'objects'),
      r2Persist: join(folder, 'blobs'),
    }),
  });
  try {
    await miniflare.ready;
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
  return { baseUrl, miniflare, [Symbol.asyncDispose]: () => miniflare.dispose() };
}

const urlAt = (port: number): string => `http://127.0.0.1:${port}`;

function workerOf({ bundle, port, bindings, outside, bucket }: EdgeServerOptions): WorkerOptions {
  return {
    modulesRoot: '/',
    modules: [
      { type: 'ESModule', path: '/worker.js', contents: bundle.script },
      ...[...bundle.wasm].map(([file, contents]) => ({
        type: 'CompiledWasm' as const,
        path: `/${file}`,
        contents,
      })),
    ],
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: ['nodejs_compat'],
    durableObjects: {
      WORLDS: { className: 'WorldObject', useSQLite: true },
      INVENTORY: { className: 'InventoryObject', useSQLite: true },
    },
    ...(bucket === undefined
      ? { r2Buckets: ['BLOBS'] }
      : { wrappedBindings: { BLOBS: { scriptName: bucket.name } } }),
    bindings: { BASE_URL: urlAt(port), ...bindings },
    outboundService:
      outside === undefined
        ? { network: { allow: ['public'], tlsOptions: { trustBrowserCas: true } } }
        : (request: unknown) => outside(request as Request) as never,
  };
}

/** As in edge/wrangler.jsonc. */
const COMPATIBILITY_DATE = '2026-07-01';
