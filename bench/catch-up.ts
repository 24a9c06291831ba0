// Subscriptions advanced by months: what an event that falls due costs, in time and in store, and what whoever asks
// meanwhile waits. In this process, over a real file.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openBlobs } from '../control/node/blobs.ts';
import { openLog } from '../control/node/log.ts';
import { openSqlite, type SqliteFile } from '../control/node/sqlite.ts';
import { StoreKeeper } from '../control/node/store-keeper.ts';
import { openWorld } from '../control/world/open-world.ts';
import { migrate } from '../control/world/store/schema.ts';
import { turn } from '../control/world/store/turn.ts';
import type { World } from '../control/world/world.ts';
import type { Call } from '../twins/kit/call.ts';
import { mountTwin } from '../twins/kit/mount.ts';
import { stripeTwin } from '../twins/stripe/twin.ts';
import { BENCH_CALL } from './bench-call.ts';
import type { BenchOptions } from './options.ts';
import type { Table } from './report.ts';
import { worldPorts } from './world-ports.ts';

const SUBSCRIPTIONS = { quick: 100, full: 1_000 } as const;
const BY = '366d';
const START = '2026-01-15T12:00:00Z';

export async function measureCatchUp(options: BenchOptions, folder: string): Promise<Table> {
  const subscriptions = options.rounds === 1 ? SUBSCRIPTIONS.quick : SUBSCRIPTIONS.full;
  const home = join(folder, 'catch-up');
  const database = join(home, 'world.db');
  mkdirSync(home, { recursive: true });
  const sql = openSqlite(database);
  migrate(sql);
  // Which closes it.
  const keeper = new StoreKeeper({
    ...{ sql, log: openLog('error') },
    files: { database, marks: join(home, 'marks') },
  });
  const world = await openWorld({
    name: 'bench/catch-up',
    sql,
    durability: sql,
    blobs: openBlobs(join(home, 'blobs')),
    ...worldPorts({ now: () => Date.parse(START) }),
    twins: [{ id: 'stripe', twin: mountTwin(stripeTwin, null), package: null }],
  });
  try {
    await world.setClock(START);
    const customer = await subscribe(world, subscriptions);
    const before = sizeOf(sql);
    const cpu = process.cpuUsage();
    const from = performance.now();
    const advancing = world.advanceClock(BY);
    const waits = await askUntil(advancing, () =>
      ask(world, { method: 'GET', path: `/v1/customers/${customer}` }),
    );
    const seconds = (performance.now() - from) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    const after = sizeOf(sql);
    const entries = after.entries - before.entries;
    const us = (user + system) / entries;
    const kb = (after.bytes - before.bytes) / 1_024 / entries;
    return {
      title: `${whole(subscriptions)} subscriptions, each paid every month, advanced by ${BY}`,
      head: ['entries', 'seconds', 'CPU µs an entry', 'KB of store an entry', 'p99 ms of who asks meanwhile'],
      rows: [
        [whole(entries), seconds.toFixed(1), whole(us), kb.toFixed(1), percentile(waits, 0.99).toFixed(1)],
      ],
      foot: [
        'Each month of a subscription is three entries: the invoice is told of, made, and paid a moment later, with a dozen events of Stripe’s. Whoever asks the twin meanwhile is told at once to come back.',
      ],
      figures: {
        ...(options.rounds === 1 ? {} : { catchUpSeconds: seconds }),
        ...{ catchUpUs: us, catchUpKb: kb, catchUpP99: percentile(waits, 0.99) },
      },
    };
  } finally {
    await world.close();
    await keeper[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Returns one of the customers. */
async function subscribe(world: World, count: number): Promise<string> {
  const post = async (path: string, form: string): Promise<string> => {
    const text = await ask(world, { method: 'POST', path, body: new TextEncoder().encode(form) });
    return (JSON.parse(text) as { id: string }).id;
  };
  const price = await post(
    '/v1/prices',
    'currency=usd&unit_amount=1000&recurring[interval]=month&product_data[name]=Gold',
  );
  let customer = '';
  for (let n = 0; n < count; n++) {
    customer = await post('/v1/customers', `name=Jane&email=jane${n}%40example.com`);
    const method = await post('/v1/payment_methods/pm_card_visa/attach', `customer=${customer}`);
    const items = `items[0][price]=${price}&default_payment_method=${method}`;
    await post('/v1/subscriptions', `customer=${customer}&${items}`);
  }
  return customer;
}

/** Milliseconds of each answer, of one who asks again as soon as there was one, with what it waits for a turn. */
async function askUntil(done: Promise<unknown>, work: () => Promise<unknown>): Promise<readonly number[]> {
  let over = false;
  const ending = done.finally(() => {
    over = true;
  });
  const waits: number[] = [];
  while (!over) {
    const from = performance.now();
    await turn();
    await work();
    waits.push(performance.now() - from);
  }
  await ending;
  return waits;
}

async function ask(world: World, call: Partial<Call>): Promise<string> {
  const reply = await world.call('stripe', { ...CALL, ...call });
  return typeof reply.body === 'string' ? reply.body : '';
}

const CALL: Call = {
  ...BENCH_CALL,
  host: 'api.stripe.com',
  headers: { authorization: 'Bearer sk_test_bench', 'content-type': 'application/x-www-form-urlencoded' },
};

function sizeOf(sql: SqliteFile): { readonly entries: number; readonly bytes: number } {
  const { n } = sql.get<{ n: number }>('SELECT count(*) AS n FROM entry')!;
  const { page_count: pages } = sql.get<{ page_count: number }>('PRAGMA page_count')!;
  const { page_size: bytes } = sql.get<{ page_size: number }>('PRAGMA page_size')!;
  return { entries: n, bytes: pages * bytes };
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)] ?? 0;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
