// A world with the smallest twin there is over a real file, so that a bench of the store measures the store.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openBlobs } from '../control/node/blobs.ts';
import { digest } from '../control/node/digest.ts';
import { threadSandbox } from '../control/node/sandbox.ts';
import { openSqlite, type SqliteFile } from '../control/node/sqlite.ts';
import { wallClock } from '../control/node/wall-clock.ts';
import { openWorld } from '../control/world/open-world.ts';
import { writeBase } from '../control/world/store/branch-base.ts';
import { hex } from '../control/world/store/identifier.ts';
import type { World } from '../control/world/world.ts';
import type { Call } from '../twins/kit/call.ts';
import type { Reply } from '../twins/kit/reply.ts';
import type { MountedTwin, Twin } from '../twins/kit/twin.ts';
import type { Tx } from '../twins/kit/tx.ts';
import { BENCH_CALL } from './bench-call.ts';
import { worldPorts } from './world-ports.ts';

export const TWIN = 'bench';
/** Calls that arrive together, as from a busy app. */
export const TOGETHER = 32;
export const PAGE = 50;
/** Of a record, bytes as JSON. */
export const BODY_BYTES = 412;
/** Entries to a record, so that most entries are a new version of one that is there. */
export const VERSIONS = 10;
const FILLER = 'f'.repeat(BODY_BYTES - 70);

export type StoreWorld = AsyncDisposable & {
  readonly world: World;
  readonly sql: SqliteFile;
  ask(method: string, path: string): Promise<Reply>;
  /** Appends until the log has so many entries. */
  fill(entries: number): Promise<void>;
};

/** With a parent, a branch of it as of `at`, made as a host makes one. */
export async function openStoreWorld(
  folder: string,
  parent?: World,
  at: string | null = null,
): Promise<StoreWorld> {
  mkdirSync(folder, { recursive: true });
  const sql = openSqlite(join(folder, 'world.db'));
  const cut = await parent?.past.cut(at, false);
  if (cut?.ok === false) throw new Error(cut.message);
  if (cut !== undefined) writeBase(sql, cut);
  const world = await openWorld({
    name: 'bench/store',
    sql,
    durability: sql,
    ...(parent === undefined ? {} : { parent: parent.past.source }),
    blobs: openBlobs(join(folder, 'blobs')),
    ...worldPorts(wallClock),
    sandbox: threadSandbox,
    twins: [{ id: TWIN, twin: smallestTwin(), package: null }],
  });
  const ask: StoreWorld['ask'] = async (method, path) => {
    const reply = await world.call(TWIN, callOf(method, path));
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${String(reply.body)}`);
    return reply;
  };
  return {
    world,
    sql,
    ask,
    fill: async entries => {
      const records = entries / VERSIONS;
      for (let n = 0; n < entries; n += TOGETHER) {
        const last = Math.min(n + TOGETHER, entries);
        await Promise.all(
          Array.from({ length: last - n }, (_, more) => ask('PUT', `/1/${scattered((n + more) % records)}`)),
        );
      }
    },
    [Symbol.asyncDispose]: async () => {
      await world.close();
      sql.close();
    },
  };
}

/** Ids as vendors give them: neighbours in time are no neighbours in order. */
export const scattered = (n: number): string => `rec_${hex(digest.sha256(String(n))).slice(0, 24)}`;

/** `PUT /<records>/<id>` · `GET /<id>` · `GET /`, the newest page. */
function smallestTwin(): MountedTwin {
  const respond = (call: Call, tx: Tx): Reply => {
    const [, first = '', id = ''] = call.path.split('/');
    if (call.method === 'PUT') {
      for (let n = 0; n < Number(first); n++) {
        tx.put('record', n === 0 ? id : `${id}_${n}`, { id, at: tx.now, filler: FILLER });
      }
      return OK;
    }
    if (first === '') return json(tx.list('record', { limit: PAGE }));
    return json(tx.get('record', first));
  };
  const twin: Twin = {
    manifest: {
      kind: 'wrld-twin',
      vendor: TWIN,
      version: '1.0.0',
      protocol: 'http',
      api: { sdks: [] },
      models: [{ type: 'record', operations: ['put', 'get', 'list'] }],
      coverage: { modelled: 1, generic: 0, catalog: 0 },
      hosts: [{ host: 'bench.test', paths: ['/'] }],
      generative: false,
      matchers: [],
      root: false,
      screens: [],
    },
    records: { record: { indexes: [] } },
    respond,
    error: (status, code, message) => ({ ...json({ code, message }), status }),
  };
  return { twin, respond };
}

const json = (body: unknown): Reply => ({
  status: 200,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify(body ?? null),
});
const OK: Reply = json({});

const callOf = (method: string, path: string): Call => ({ ...BENCH_CALL, method, path });
