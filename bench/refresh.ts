// A refresh of many records of a vendor in another process: what it costs this one, and for how long it ever holds the event
// loop, which every request waits for. `node bench/refresh.ts [records]`
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBlobs } from '../control/node/blobs.ts';
import { openSqlite } from '../control/node/sqlite.ts';
import { openWorld } from '../control/world/open-world.ts';
import type { VendorAsks } from '../control/world/roots/vendor-asks.ts';
import { mountTwin } from '../twins/kit/mount.ts';
import { stripeTwin } from '../twins/stripe/twin.ts';
import { worldPorts } from './world-ports.ts';

/** What this thread works between two ticks of a timer: on a machine that others use too, time alone says nothing. */
function watchHolds(): { end(): string } {
  let longest = 0;
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
  }, 1);
  return {
    end: () => {
      clearInterval(timer);
      return longest.toFixed(1);
    },
  };
}

const records = Number(process.argv[2] ?? 10_000);
const vendor = spawn(process.execPath, [join(import.meta.dirname, 'refresh-vendor.ts'), String(records)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const folder = mkdtempSync(join(tmpdir(), 'wrld-refresh-'));
try {
  const [said] = (await once(vendor.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${String(said).trim()}`;
  const vendorAsks: VendorAsks = {
    ask: async (_twin, { path }) => {
      const answer = await fetch(`${url}${path}`);
      const body = new Uint8Array(await answer.arrayBuffer());
      return { ok: true, ms: 0, status: answer.status, headers: [...answer.headers], body };
    },
  };
  // Node loads its fetch when it is first used, which is nothing of ours.
  await (await fetch(url)).arrayBuffer();
  const sql = openSqlite(join(folder, 'world.db'));
  const world = await openWorld({
    name: 'bench/refresh',
    sql,
    durability: sql,
    blobs: openBlobs(join(folder, 'blobs')),
    ...worldPorts({ now: () => Date.now() }),
    vendors: { asks: vendorAsks },
    reach: { ownMachine: true, set: async () => {} },
    twins: [{ id: 'stripe', twin: mountTwin(stripeTwin, null), package: null }],
  });
  const root = { url, refresh: { every: null, atMost: '0s' } };
  await world.roots.put('stripe', root);
  for (const what of ['everything, the first time', 'nothing new']) {
    const holds = watchHolds();
    const cpu = process.cpuUsage();
    const from = performance.now();
    await world.roots.refresh('stripe', { force: true });
    await world.roots.settled();
    const { user, system } = process.cpuUsage(cpu);
    const { fault } = world.roots.standing('stripe');
    console.log(
      `${what}: ${((performance.now() - from) / 1000).toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of CPU, ` +
        `longest hold ${holds.end()} ms of CPU, ` +
        `position ${(await world.map())[0]!.position}${fault === null ? '' : `, fault: ${fault.message}`}`,
    );
  }
  await world.close();
  sql.close();
} finally {
  vendor.kill();
  rmSync(folder, { recursive: true });
}
