// A world of note twins on a real store, with a wall clock and an outbound that a test holds in its hand.
import { dirname, join } from 'node:path';
import { openAlarms } from '../../control/node/alarms.ts';
import { openBlobs } from '../../control/node/blobs.ts';
import { digest } from '../../control/node/digest.ts';
import { openEntropy } from '../../control/node/entropy.ts';
import { threadSandbox } from '../../control/node/sandbox.ts';
import { openSqlite, type SqliteFile } from '../../control/node/sqlite.ts';
import type { Alarms } from '../../control/ports/alarms.ts';
import type { Blobs } from '../../control/ports/blobs.ts';
import type { Entropy } from '../../control/ports/entropy.ts';
import type { Log } from '../../control/ports/log.ts';
import type { Sealer } from '../../control/ports/sealer.ts';
import type { HistorySource } from '../../control/world/log/history-source.ts';
import { openWorld } from '../../control/world/open-world.ts';
import type { AskOrigin } from '../../control/world/origin/asking.ts';
import { BlobStore } from '../../control/world/store/blob-store.ts';
import type { HydrationPace } from '../../control/world/work/hydration.ts';
import type { World } from '../../control/world/world.ts';
import type { WorldOptions } from '../../control/world/world-kernel.ts';
import type { Call } from '../../twins/kit/call.ts';
import type { MountedTwin } from '../../twins/kit/twin.ts';
import { memoryBlobs } from './memory-blobs.ts';
import { noteTwin } from './note-twin.ts';
import { type Receipt, receiver, type Webhook } from './receiver.ts';

/** Saturday, 2026-01-31T00:00:00Z. */
export const EPOCH = Date.UTC(2026, 0, 31);

export type NoteWorldOptions = {
  readonly file?: string;
  readonly twins?: { readonly [vendor: string]: MountedTwin };
  readonly wall?: { at: number };
  readonly send?: (request: Webhook) => Receipt | Promise<Receipt>;
  /** Of the outbound: until then nothing can be judged. */
  readonly ready?: () => Promise<void> | null;
  readonly alarms?: Alarms;
  readonly entropy?: Entropy;
  readonly name?: string;
  /** Of the world that this one is a branch of. */
  readonly parent?: HistorySource;
  readonly hostBlobs?: Blobs;
  readonly hydration?: HydrationPace;
  /** Of the real vendors behind it. */
  readonly ports?: Partial<Pick<WorldOptions, 'sealer' | 'reach' | 'outbound' | 'durability' | 'processor'>>;
  /** How its roots are asked. */
  readonly vendors?: WorldOptions['vendors'];
  /** What keeps the origin's token, and how the origin is asked. */
  readonly sealer?: Sealer;
  readonly askOrigin?: AskOrigin;
  /** Before the world is opened. */
  readonly prepare?: (sql: SqliteFile) => void;
};

export type NoteWorld = AsyncDisposable & {
  readonly world: World;
  readonly sql: SqliteFile;
  readonly blobs: BlobStore;
  /** Move it by assigning. */
  readonly wall: { at: number };
  readonly sent: Webhook[];
  /** Answers that the world let go of. */
  readonly discarded: () => number;
  readonly logged: { readonly level: string; readonly fields: object; readonly message: string }[];
  /** The status and the parsed body of the answer. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    more?: Partial<Call> & { vendor?: string },
  ): Promise<Answer>;
};

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body
type Answer = { status: number; headers: { [name: string]: string }; body: any };

export const openNoteWorld = async (options: NoteWorldOptions = {}): Promise<NoteWorld> => {
  const wall = options.wall ?? { at: EPOCH };
  const sql = openSqlite(options.file ?? ':memory:');
  const near = options.file === undefined ? memoryBlobs() : openBlobs(join(dirname(options.file), 'blobs'));
  const blobs = options.hostBlobs ?? near;
  options.prepare?.(sql);
  const sent: Webhook[] = [];
  let discarded = 0;
  const logged: NoteWorld['logged'] = [];
  const say = (level: string) => (fields: object, message: string) => {
    logged.push({ level, fields, message });
  };
  const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  const outbound = receiver(
    async request => {
      sent.push(request);
      return (await options.send?.(request)) ?? { ok: true, status: 200, ms: 1 };
    },
    () => {
      discarded += 1;
    },
    options.ready,
  );
  const wallClock = { now: () => wall.at };
  const twins = options.twins ?? { note: noteTwin() };
  const world = await openWorld({
    name: options.name ?? 'acme/notes',
    ...(options.parent === undefined ? {} : { parent: options.parent }),
    ...(options.hydration === undefined ? {} : { hydration: options.hydration }),
    ...(options.vendors === undefined ? {} : { vendors: options.vendors }),
    sql,
    durability: sql,
    blobs,
    digest,
    wall: wallClock,
    alarms: options.alarms ?? openAlarms(wallClock),
    entropy: options.entropy ?? openEntropy(),
    outbound,
    processLog: log,
    reach: { ownMachine: true, set: async () => {} },
    ...options.ports,
    sandbox: threadSandbox,
    ...(options.sealer === undefined ? {} : { sealer: options.sealer }),
    ...(options.askOrigin === undefined ? {} : { askOrigin: options.askOrigin }),
    twins: Object.entries(twins).map(([id, twin]) => ({
      id,
      twin,
      package: { name: `@test/${id}`, version: '1.0.0' },
    })),
  });
  return {
    world,
    sql,
    blobs: new BlobStore({ sql, blobs, digest }),
    wall,
    sent,
    discarded: () => discarded,
    logged,
    ask: async (method, path, body, more = {}) => {
      const { vendor = Object.keys(twins)[0]!, ...changed } = more;
      const reply = await world.call(vendor, { ...call(method, path, body), ...changed });
      const text = typeof reply.body === 'string' ? reply.body : '';
      return {
        status: reply.status,
        headers: Object.fromEntries(reply.headers.map(([name, value]) => [name.toLowerCase(), value])),
        body: text === '' ? null : JSON.parse(text),
      };
    },
    [Symbol.asyncDispose]: async () => {
      await world.close();
      sql.close();
    },
  };
};

const call = (method: string, path: string, body: unknown): Call => ({
  method,
  host: 'note.test',
  via: 'host',
  path,
  query: '',
  headers: {},
  body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
  caller: 'token',
  scope: 'write',
  trace: {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentId: '00f067aa0ba902b7',
  },
});
