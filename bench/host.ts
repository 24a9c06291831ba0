// A host of many worlds at rest: how long until it listens, what it holds in memory, and how long its inventory takes, the
// first time and once it has read all rows. node_modules/.bin/node bench/host.ts [worlds]
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBareWorld } from '../control/node/host/bare-world.ts';
import { type RunningHost, startHost } from '../control/node/host/host.ts';
import { openLog } from '../control/node/log.ts';

const MIB = 1024 * 1024;
const ORGS = 20;

const count = Number(process.argv[2] ?? 1_000);
const directory = mkdtempSync(join(tmpdir(), 'wrld-bench-host-'));
try {
  await makeBareWorld({ directory, name: 'model/world', vendors: ['stripe'] });
  const model = join(directory, 'model', 'world');
  const names = Array.from({ length: count }, (_, n) => `org-${n % ORGS}/world-${n}`);
  for (const name of names) {
    mkdirSync(join(directory, name), { recursive: true });
    cpSync(model, join(directory, name), { recursive: true });
    const config = { name, services: { stripe: { twin: 'stripe' } } };
    writeFileSync(join(directory, name, '.wrld', 'world.json'), JSON.stringify(config));
  }
  for (const notes of ['without notes', 'with notes']) {
    await using host = await timed(`${count} worlds: listening (${notes})`, start);
    const token = host.adminToken.secret.reveal();
    const get = async (): Promise<number> => {
      const answer = await fetch(`${host.baseUrl}/-/worlds`, { headers: { 'x-wrld-token': token } });
      return (await answer.text()).length;
    };
    await timed('  inventory, the first', get);
    await timed('  inventory, the second', get);
    globalThis.gc?.();
    console.log(`  resident memory ${Math.round(process.memoryUsage().rss / MIB)} MiB`);
    await timed('  the first request to a closed world', () => ask(host, names[0]!));
    const opened = Math.min(200, count);
    await timed(`  ${opened} worlds opened by a request each`, async () => {
      for (const name of names.slice(0, opened)) await ask(host, name);
    });
    console.log(`  resident memory ${Math.round(process.memoryUsage().rss / MIB)} MiB`);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function start(): Promise<RunningHost> {
  return startHost({ directory, host: '127.0.0.1', port: 0, budget: null, log: openLog('silent') });
}

async function ask({ baseUrl }: RunningHost, name: string): Promise<void> {
  await (await fetch(`${baseUrl}/-/${name}/map`)).text();
}

/** Tells the processor's time too: what else the machine does is not in it. */
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  const before = process.cpuUsage();
  const done = await work();
  const { user, system } = process.cpuUsage(before);
  const ms = (performance.now() - begin).toFixed(0);
  console.log(`${what}: ${((user + system) / 1000).toFixed(0)} ms of CPU, ${ms} ms in all`);
  return done;
}
