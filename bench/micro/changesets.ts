// A changeset of 10,000 actions: how long its cut takes, which hashes the whole of it, and how much memory. Run by hand:
// node bench/micro/changesets.ts [actions]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStoreWorld } from '../store-world.ts';

const actions = Number(process.argv[2] ?? 10_000);
const folder = mkdtempSync(join(tmpdir(), 'wrld-bench-'));
const MIB = 1024 * 1024;
try {
  await using held = await openStoreWorld(folder);
  const { changesets } = held.world;
  await held.fill(actions);
  await held.world.kept();
  let peak = process.memoryUsage().rss;
  const before = peak;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  const from = performance.now();
  const cpu = process.cpuUsage();
  const cut = await changesets.cut({ by: 'token', owner: null, message: 'all of it', name: 'all' });
  if (!cut.ok) throw new Error(cut.message);
  const ms = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  let read = 0;
  for await (const page of changesets.body('all')) read += page.actions.length;
  clearInterval(watch);
  console.log(
    `${read} actions: cut and hashed in ${ms.toFixed(0)} ms (${((user + system) / 1000).toFixed(0)} ms of CPU), ${((peak - before) / MIB).toFixed(0)} MiB more at most`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
