// What it costs an append that its entry keeps the request that made it: the same appends with a form and an idempotency key,
// kept, and as what came over a wire, of which nothing is kept. Turn by turn, by the CPU of this thread. By hand:
// node bench/micro/kept-requests.ts [turns]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BENCH_CALL } from '../bench-call.ts';
import { openStoreWorld, scattered, TOGETHER, TWIN } from '../store-world.ts';

const turns = Number(process.argv[2] ?? 30);
const APPENDS = 3_200;
const RECORDS = 1_000;
const body = new TextEncoder().encode(
  new URLSearchParams({
    customer: 'cus_iDfz62JPrKtf8Y',
    'items[0][price]': 'price_L2xsHh5bePgKO3yBzhK1m1Mz',
    'expand[0]': 'latest_invoice.payment_intent',
    'metadata[order]': '6735',
  }).toString(),
);
const headers = {
  'content-type': 'application/x-www-form-urlencoded',
  'idempotency-key': 'stripe-node-retry-103f3ec9-4c28-4625-a754-72a0888f9e09',
};

const folder = mkdtempSync(join(tmpdir(), 'wrld-bench-'));
try {
  await using held = await openStoreWorld(folder);
  let nth = 0;
  /** Microseconds of CPU an append. */
  const turn = async (via: 'host' | 'stream'): Promise<number> => {
    const cpu = process.threadCpuUsage();
    for (let n = 0; n < APPENDS; n += TOGETHER)
      await Promise.all(
        Array.from({ length: TOGETHER }, () => {
          const path = `/1/${scattered(nth++ % RECORDS)}`;
          return held.world.call(TWIN, { ...BENCH_CALL, method: 'PUT', path, headers, body, via });
        }),
      );
    await held.world.kept();
    const { user, system } = process.threadCpuUsage(cpu);
    return (user + system) / APPENDS;
  };
  for (const via of ['host', 'stream', 'host', 'stream'] as const) await turn(via);
  const ratios: number[] = [];
  const cost = { host: [] as number[], stream: [] as number[] };
  for (let n = 0; n < turns; n++) {
    const order = n % 2 === 0 ? (['host', 'stream'] as const) : (['stream', 'host'] as const);
    for (const via of order) cost[via].push(await turn(via));
    ratios.push(cost.host.at(-1)! / cost.stream.at(-1)!);
  }
  const median = (of: readonly number[]): number => of.toSorted((a, b) => a - b)[of.length >> 1]!;
  console.log(
    `kept ${median(cost.host).toFixed(1)} µs of CPU an append, not kept ${median(cost.stream).toFixed(1)} µs: ${median(ratios).toFixed(3)}x, the median of ${turns} turns`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
