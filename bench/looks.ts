// What a person waits for: a page of the timeline and of a log, the report of requests, the first answer of a branch,
// and commands of the terminal. CPU of this process where it does the work, the clock where others do it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { openBlobs } from '../control/node/blobs.ts';
import { openSqlite, type SqliteFile } from '../control/node/sqlite.ts';
import { wallClock } from '../control/node/wall-clock.ts';
import { BRANCHES_MAX, JOURNAL_LINES_MAX } from '../control/world/limits.ts';
import { openWorld } from '../control/world/open-world.ts';
import type { World } from '../control/world/world.ts';
import type { Call } from '../twins/kit/call.ts';
import { mountTwin } from '../twins/kit/mount.ts';
import { stripeTwin } from '../twins/stripe/twin.ts';
import type { Table } from './report.ts';
import { openStoreWorld, PAGE, scattered } from './store-world.ts';
import { worldPorts } from './world-ports.ts';

const VENDOR = 'stripe';
/** Their pages are more than is kept of what was shown. */
const CUSTOMERS = 1_500;
const TOUCHED_RECORDS = 100_000;
const RECORDS_A_CALL = 2_000;
const ROUNDS = 5;
const WRLD = join(import.meta.dirname, '..', 'cli', 'wrld.js');
const MS = 1_000;

type Look = { readonly what: string; readonly figure: string; readonly ms: number; readonly by: string };

export async function measureLooks(folder: string): Promise<Table> {
  const looks = [
    ...(await measurePages(join(folder, 'looks'))),
    await measureFirstTouch(join(folder, 'touched')),
    ...(await measureStarts(join(folder, 'started'))),
  ];
  return {
    title: 'What a person waits for, ms',
    head: ['', 'ms', 'of'],
    rows: looks.map(({ what, ms, by }) => [what, ms < 10 ? ms.toFixed(2) : ms.toFixed(0), by]),
    figures: Object.fromEntries(looks.map(({ figure, ms }) => [figure, ms])),
    foot: [
      `The cheapest of ${ROUNDS} rounds. Entries that were shown are kept as they were; the page that shows none of them is the dearer row. The report is of a journal as full as it gets, ${JOURNAL_LINES_MAX.toLocaleString('en-US')} lines of a day. The branch leaves a world with ${TOUCHED_RECORDS.toLocaleString('en-US')} records of one type.`,
    ],
  };
}

async function measurePages(folder: string): Promise<readonly Look[]> {
  mkdirSync(folder, { recursive: true });
  using sql = openSqlite(join(folder, 'world.db'));
  const world = await openWorld({
    name: 'bench/looks',
    sql,
    durability: sql,
    blobs: openBlobs(join(folder, 'blobs')),
    ...worldPorts(wallClock),
    twins: [{ id: VENDOR, twin: mountTwin(stripeTwin, null), package: null }],
  });
  for (let n = 0; n < CUSTOMERS; n++) await world.call(VENDOR, creation(n));
  fillJournal(sql);
  await world.requests(1);
  const timeline = async (): Promise<void> => {
    const page = await world.timeline({ limit: PAGE });
    if (page.ok) Buffer.from(page.json);
  };
  let before: string | null = null;
  const looks: Look[] = [
    look(`timeline page of ${PAGE}`, 'timelineMs', await cpuMs(50, timeline)),
    look(
      `timeline page of ${PAGE}, nothing of it shown before`,
      'newTimelineMs',
      await cpuMs(CUSTOMERS / PAGE, async () => {
        const page = await world.timeline({ limit: PAGE, ...(before === null ? {} : { before }) });
        if (!page.ok) throw new Error(page.message);
        Buffer.from(page.json);
        before = page.next;
      }),
    ),
    look('log page of 500', 'logMs', await cpuMs(10, () => logPage(world))),
    look('report of 24 hours', 'reportMs', await cpuMs(10, () => world.requests(24))),
    {
      ...look('longest turn of a report', 'reportTurnMs', await longestTurn(() => world.requests(24))),
      by: 'the clock',
    },
    look('report of 31 days', 'longReportMs', await cpuMs(10, () => world.requests(744))),
  ];
  await world.close();
  return looks;
}

const look = (what: string, figure: string, ms: number): Look => ({ what, figure, ms, by: 'CPU' });

async function logPage(world: World): Promise<void> {
  const page = await world.log(VENDOR, 0);
  Buffer.from(page!.json);
}

const creation = (n: number): Call => ({
  method: 'POST',
  host: 'api.stripe.com',
  via: 'host',
  path: '/v1/customers',
  query: '',
  headers: { authorization: 'Bearer sk_test_bench', 'content-type': 'application/x-www-form-urlencoded' },
  body: new TextEncoder().encode(`name=Jane&email=jane${n}%40example.com`),
  caller: 'token',
  scope: 'write',
  trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
});

/** As an older program left them: nobody has counted them. */
function fillJournal(sql: SqliteFile): void {
  sql.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO journal(at, name, route, status, us, unmatched)
     SELECT CAST(? - (? - i) * ? AS INTEGER), 'twin' || (i % 2), 'GET /v1/route' || (i * 7 % 23),
       CASE i % 50 WHEN 0 THEN 404 ELSE 200 END, 150 + (i * 7919) % 3000, 0 FROM n`,
    JOURNAL_LINES_MAX,
    Date.now(),
    JOURNAL_LINES_MAX,
    (24 * 3_600 * MS) / JOURNAL_LINES_MAX,
  );
}

async function measureFirstTouch(folder: string): Promise<Look> {
  await using parent = await openStoreWorld(join(folder, 'parent'));
  for (let n = 0; n < TOUCHED_RECORDS; n += RECORDS_A_CALL)
    await parent.ask('PUT', `/${RECORDS_A_CALL}/${scattered(n)}`);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    await using branch = await openStoreWorld(join(folder, `branch-${round}`), parent.world);
    const from = performance.now();
    await branch.ask('GET', `/${scattered(0)}`);
    best = Math.min(best, performance.now() - from);
  }
  return { what: 'first answer of a branch', figure: 'firstTouchMs', ms: best, by: 'the clock' };
}

async function measureStarts(folder: string): Promise<readonly Look[]> {
  mkdirSync(join(folder, '.wrld'), { recursive: true });
  const services = Object.fromEntries(
    ['anthropic', 'openai', 'smtp', 'stripe'].map(twin => [twin, { twin }]),
  );
  writeFileSync(join(folder, '.wrld', 'world.json'), JSON.stringify({ name: 'bench/looks', services }));
  const wrld = (...args: readonly string[]) =>
    spawn(process.execPath, [WRLD, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  const whole = async (...args: readonly string[]): Promise<number> => {
    const from = performance.now();
    const child = wrld(...args);
    child.stdout.resume();
    await once(child, 'exit');
    return performance.now() - from;
  };
  const upMs = async (meanwhile?: (baseUrl: string) => Promise<void>): Promise<number> => {
    const from = performance.now();
    const up = wrld('world', 'up', '--json');
    const ended = once(up, 'exit');
    // It says where it is when it is up.
    const [line] = await once(up.stdout, 'data');
    const ms = performance.now() - from;
    await meanwhile?.((JSON.parse(String(line)) as { readonly baseUrl: string }).baseUrl);
    up.kill('SIGTERM');
    await ended;
    return ms;
  };
  const starts: number[] = [];
  const runs: number[] = [];
  const helps: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    helps.push(await whole('--help'));
    starts.push(await upMs(async () => void runs.push(await whole('world', 'run', '--', 'true'))));
  }
  await upMs(baseUrl => branchOff(baseUrl, folder));
  const branched: number[] = [];
  for (let round = 0; round < ROUNDS; round++) branched.push(await upMs());
  const by = 'the clock';
  return [
    {
      what: `wrld world up, with ${BRANCHES_MAX} branches`,
      figure: 'upBranchesMs',
      ms: Math.min(...branched),
      by,
    },
    { what: 'wrld --help', figure: 'helpMs', ms: Math.min(...helps), by },
    { what: 'wrld world up, four twins', figure: 'upMs', ms: Math.min(...starts), by },
    { what: 'wrld world run -- true, in a world that is up', figure: 'runMs', ms: Math.min(...runs), by },
  ];
}

async function branchOff(baseUrl: string, folder: string): Promise<void> {
  const [token = ''] = readFileSync(join(folder, '.wrld', 'token'), 'utf8').split('\n');
  for (let n = 0; n < BRANCHES_MAX; n++) {
    const headers = { 'x-wrld-token': token };
    const made = await fetch(`${baseUrl}/-/bench/looks/branches`, { method: 'POST', headers });
    if (!made.ok) throw new Error(`a branch was answered ${made.status}: ${await made.text()}`);
    await made.arrayBuffer();
  }
}

/** How long others of this process wait at most, ms, in the round that was disturbed least. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    let over = false;
    let last = performance.now();
    const working = work().finally(() => {
      over = true;
    });
    let worst = 0;
    while (!over) {
      await immediate();
      const now = performance.now();
      worst = Math.max(worst, now - last);
      last = now;
    }
    await working;
    best = Math.min(best, worst);
  }
  return best;
}

/** Of one time, in the cheapest round, which the rest of the machine disturbed least. */
async function cpuMs(times: number, work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let n = 0; n < times; n++) await work();
    const { user, system } = process.cpuUsage(before);
    if (round > 0) best = Math.min(best, (user + system) / MS / times);
  }
  return best;
}
