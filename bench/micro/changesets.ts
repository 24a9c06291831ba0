// A changeset of 10,000 actions: how long its cut takes, which hashes the whole of it, how long a check takes that looks at
// each of its entries and at the records as of it, and how much memory. Run by hand:
// node bench/micro/changesets.ts [actions]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStoreWorld } from '../store-world.ts';

const actions = Number(process.argv[2] ?? 10_000);
const folder = mkdtempSync(join(tmpdir(), 'wrld-bench-'));
const MIB = 1024 * 1024;

const CHECK = `export const check = {
  name: 'looks at all of it',
  run(entry, tree) {
    for (const { type, id, after } of entry.changes)
      if (JSON.stringify(tree.get(type, id)) !== JSON.stringify(after)) return { ok: false, message: id };
  },
};`;

/** What the work took, and how much memory of this process. */
async function measured(what: string, work: () => Promise<unknown>): Promise<void> {
  let peak = process.memoryUsage().rss;
  const before = peak;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  const from = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const ms = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(watch);
  const used = `${ms.toFixed(0)} ms (${((user + system) / 1000).toFixed(0)} ms of CPU)`;
  console.log(`${what} in ${used}, ${((peak - before) / MIB).toFixed(0)} MiB more at most`);
}

try {
  await using held = await openStoreWorld(folder);
  const { changesets, checks } = held.world;
  await held.fill(actions);
  await held.world.kept();
  await measured(`${actions} actions: cut and hashed`, async () => {
    const cut = await changesets.cut({ by: 'token', owner: null, message: 'all of it', name: 'all' });
    if (!cut.ok) throw new Error(cut.message);
  });
  const set = await checks.set('all', CHECK);
  if (!set.ok) throw new Error(set.message);
  await measured('looked at by a check, entry by entry,', async () => {
    const verified = await checks.verify('all');
    if (!verified.ok || verified.changeset.verification?.ok !== true) throw new Error('it does not pass');
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
