// A world with the twins of language models in it, and a fetch that hands every request to the world: an official
// SDK is unmodified but for that fetch. Streams are read as they come, and ended when their reader leaves.
import { openAlarms } from '../../control/node/alarms.ts';
import { digest } from '../../control/node/digest.ts';
import { openEntropy } from '../../control/node/entropy.ts';
import { openSqlite, type SqliteFile } from '../../control/node/sqlite.ts';
import { openWorld } from '../../control/world/open-world.ts';
import type { World } from '../../control/world/world.ts';
import type { WorldOptions } from '../../control/world/world-kernel.ts';
import { anthropicTwin } from '../../twins/anthropic/twin.ts';
import type { Call } from '../../twins/kit/call.ts';
import { mountTwin } from '../../twins/kit/mount.ts';
import { StreamCut } from '../../twins/kit/reply.ts';
import type { MountedTwin, Twin } from '../../twins/kit/twin.ts';
import { openaiTwin } from '../../twins/openai/twin.ts';
import { memoryBlobs } from './memory-blobs.ts';
import { receiver } from './receiver.ts';

/** 2026-01-15T12:00:00Z. */
export const START = '2026-01-15T12:00:00.000Z';

const TWINS: { readonly [vendor: string]: Twin } = { openai: openaiTwin, anthropic: anthropicTwin };

export type LlmWorld = AsyncDisposable & {
  readonly world: World;
  readonly sql: SqliteFile;
  readonly mounted: Required<MountedTwin>;
  /** For the SDK's `fetch`. */
  readonly fetch: typeof fetch;
  /** Streams that are open: made and neither read to their end nor left. */
  readonly open: () => number;
  /** The kinds of the log, oldest first. */
  kinds(): Promise<string[]>;
  advance(by: string): Promise<void>;
  scenario(): Promise<ScenarioSeen>;
  /** One request as it is. */
  ask(method: string, path: string, body?: unknown, more?: Partial<Call>): Promise<Answer>;
};

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of them
type ScenarioSeen = any;
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body
type Answer = { status: number; headers: Headers; body: any };

/** `handlers`: the document of a handlers file, which must be without faults. `vendors`: how its root is asked. */
export async function openLlmWorld(
  vendor: 'openai' | 'anthropic',
  handlers: object | null = null,
  vendors?: WorldOptions['vendors'],
): Promise<LlmWorld> {
  const sql = openSqlite(':memory:');
  const wall = { now: () => Date.parse(START) };
  const faults: unknown[] = [];
  const ignore = (): void => undefined;
  const mounted = mountTwin(TWINS[vendor]!, null);
  if (handlers !== null) {
    const loaded = mounted.load(JSON.stringify({ version: 1, ...handlers }));
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  }
  const world = await openWorld({
    name: 'acme/chat',
    sql,
    durability: sql,
    blobs: memoryBlobs(),
    digest,
    wall,
    alarms: openAlarms(wall),
    entropy: openEntropy(),
    outbound: receiver(() => ({ ok: true, status: 200, ms: 1 })),
    processLog: {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (fields, message) => faults.push({ fields, message }),
    },
    twins: [{ id: vendor, twin: mounted, package: null }],
    ...(vendors === undefined ? {} : { vendors }),
  });
  const set = await world.setClock(START);
  if (!set.ok) throw new Error(set.message);
  let open = 0;

  const through: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const reply = await world.call(vendor, {
      ...callOf(request.method, url.pathname, url.search.slice(1)),
      host: url.hostname,
      headers: Object.fromEntries(request.headers),
      body: new Uint8Array(await request.arrayBuffer()),
    });
    if (reply.delayMs !== undefined) await waited(reply.delayMs, request.signal);
    if (reply.fault === 'timeout') await waited(60_000, request.signal);
    if (reply.fault !== undefined) throw new TypeError('fetch failed');
    const { body } = reply;
    const plain = body === null || typeof body === 'string' || body instanceof Uint8Array;
    return new Response(
      plain ? (body as string | Uint8Array<ArrayBuffer> | null) : readable(body, request.signal),
      {
        status: reply.status,
        headers: reply.headers.map(([name, value]): [string, string] => [name, value]),
      },
    );
  };

  function readable(body: AsyncIterable<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
    const source = body[Symbol.asyncIterator]();
    open += 1;
    let ended = false;
    const end = (): void => {
      if (!ended) open -= 1;
      ended = true;
    };
    const leave = (): void => {
      end();
      void source.return?.();
    };
    return new ReadableStream<Uint8Array>(
      {
        start: controller => {
          signal.addEventListener('abort', () => {
            leave();
            controller.error(signal.reason);
          });
        },
        pull: async controller => {
          try {
            const next = await source.next();
            if (ended) return;
            if (next.done !== true) return controller.enqueue(next.value);
            end();
            controller.close();
          } catch (error) {
            end();
            controller.error(error instanceof StreamCut ? new TypeError('terminated') : error);
          }
        },
        cancel: leave,
      },
      { highWaterMark: 0 },
    );
  }

  return {
    world,
    sql,
    mounted,
    fetch: through,
    open: () => open,
    kinds: async () => (await world.log(vendor, 0))!.entries.map(({ kind }) => kind),
    advance: async by => {
      const moved = await world.advanceClock(by);
      if (!moved.ok) throw new Error(moved.message);
    },
    scenario: async () => {
      const reply = await world.call(vendor, { ...callOf('GET', '/twin/scenario', ''), via: 'url' });
      return JSON.parse(String(reply.body));
    },
    ask: async (method, path, body, more = {}) => {
      const [bare = '', query = ''] = path.split('?');
      const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
      const reply = await world.call(vendor, {
        ...callOf(method, bare, query),
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: new TextEncoder().encode(text),
        ...more,
      });
      const answer = typeof reply.body === 'string' ? reply.body : '';
      return {
        status: reply.status,
        headers: new Headers(reply.headers.map(([name, value]): [string, string] => [name, value])),
        body: answer === '' ? null : JSON.parse(answer),
      };
    },
    [Symbol.asyncDispose]: async () => {
      await world.close();
      sql.close();
      if (faults.length > 0) throw new Error(`the twin failed: ${JSON.stringify(faults)}`);
    },
  };
}

function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

function callOf(method: string, path: string, query: string): Call {
  return {
    method,
    host: 'api.test',
    via: 'host',
    path,
    query,
    headers: {},
    body: new Uint8Array(),
    caller: 'token',
    scope: 'write',
    trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
  };
}
