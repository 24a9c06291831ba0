// What is held of a simulated world when its schedule is over, through the world's own answers: the whole log, the
// timeline, the clock, and in a branch the past that it shares (storage.md, invariants 1–5, 7–9, 12).
import { digest } from '../../control/node/digest.ts';
import type { Entry } from '../../control/world/log/entry.ts';
import { BlobStore } from '../../control/world/store/blob-store.ts';
import type { World } from '../../control/world/world.ts';
import { checkStore, wholeLog } from '../kit/log-fold.ts';
import { KEPT_MS } from './log-witness.ts';
import type { Machine, Served } from './machine.ts';
import { Violation } from './violation.ts';

const PAGE = 23;

export const checkWhole = async (served: Served, machine: Machine): Promise<void> => {
  const { name, world, store, sql, parent } = served;
  // The first touch of each twin brings a branch what it has of its parent.
  for (const twin of world.vendors) await machine.until(world.call(twin, LOOK));
  await machine.rest();
  const inherited = (sha256: string) => parent?.world.past.source.blob(sha256);
  const blobs = new BlobStore({ sql, blobs: store.blobs, digest, inherited });
  try {
    await checkStore({ world, sql, blobs, keptMs: KEPT_MS });
  } catch (error) {
    throw new Violation(`${name}: ${error instanceof Error ? error.message : error}`);
  }
  const logs = new Map<string, readonly Entry[]>();
  for (const twin of world.vendors) logs.set(twin, await wholeLog(world, twin));
  await checkTimeline(served, logs);
  if (parent !== null) await checkShared(served, logs, parent.world);
  const [overdue] = store.peek<{ key: string }>(
    'SELECT key FROM due WHERE at <= ?',
    Date.parse((await world.clock()).at),
  );
  if (overdue !== undefined) throw new Violation(`${name}: ${overdue.key} fell due and did not happen`);
};

/** 4: each entry once, newest first, whatever the size of a page. */
const checkTimeline = async ({ name, world }: Served, logs: ReadonlyMap<string, readonly Entry[]>) => {
  const paged: string[] = [];
  for (let before: string | null = null; ; ) {
    const page = await world.timeline({ limit: PAGE, ...(before === null ? {} : { before }) });
    if (!page.ok) throw new Violation(`${name}: ${page.message}`);
    paged.push(...page.entries.map(({ entry }) => entry.id));
    if (page.next === null) break;
    before = page.next;
  }
  const union = [...logs.values()].flat();
  union.sort(
    (x, y) =>
      y.occurredAt.localeCompare(x.occurredAt) || y.twin.localeCompare(x.twin) || y.position - x.position,
  );
  if (paged.join() !== union.map(({ id }) => id).join())
    throw new Violation(`${name}: the timeline is ${paged}, and the logs are ${union.map(({ id }) => id)}`);
};

/** 7, 9: up to its base a branch has the parent's entries, and of its own the parent has none. */
const checkShared = async (
  { name, world, store }: Served,
  logs: ReadonlyMap<string, readonly Entry[]>,
  parent: World,
) => {
  for (const twin of world.vendors) {
    const base = store.peek<{ pos: number }>('SELECT pos FROM base WHERE twin = ?', twin)[0]?.pos ?? 0;
    const own = logs.get(twin)!.slice(0, base);
    const theirs = (await wholeLog(parent, twin)).slice(0, base);
    if (JSON.stringify(own) !== JSON.stringify(theirs))
      throw new Violation(`${name} ${twin}: its past is not its parent's`);
  }
};

const LOOK = {
  method: 'GET',
  host: 'look.test',
  via: 'host',
  path: '/notes/p',
  query: '',
  headers: {},
  body: new Uint8Array(),
  caller: 'token',
  scope: 'read',
  trace: { traceId: 'f'.repeat(32), spanId: 'f'.repeat(16), parentId: null },
} as const;
