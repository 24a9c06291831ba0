// One worker and two, on all cores. Client and upstream share the cores here, so the gain in requests a second is
// bounded by what they leave; CPU a request says what two workers cost over one.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CERTIFICATE_FILE } from '../certs/authority.ts';
import { startProxyProcess } from '../test/kit/proxy-process.ts';
import { Child } from './child.ts';
import { getRequest, HOST } from './client/dial.ts';
import type { Answer } from './client/main.ts';
import type { Machine } from './machine.ts';
import type { BenchOptions } from './options.ts';
import type { Table } from './report.ts';
import { benchSnapshot } from './snapshot.ts';
import { startUpstream } from './upstream.ts';

const COUNTS = [1, 2] as const;
const CONNECTIONS = 64;
const ANSWER_MS_MAX = 60_000;

type Figures = { readonly rps: number; readonly p99: number; readonly cpu: number | null };

export async function measureWorkers(
  machine: Machine,
  options: BenchOptions,
  folder: string,
): Promise<Table> {
  // Nothing is pinned: the kernel places workers, client and upstream on whatever is free.
  const free = { ...machine, pinned: false };
  const place = join(folder, 'workers');
  mkdirSync(place);
  await using upstream = await startUpstream(free, place);
  const rows: string[][] = [];
  const perSecond: number[] = [];
  for (const count of COUNTS) {
    const rounds: Figures[] = [];
    for (let round = 1; round <= options.rounds; round++)
      rounds.push(await one(count, { free, upstream, options, folder: join(place, `${count}-${round}`) }));
    const middle = rounds.toSorted((a, b) => a.rps - b.rps)[Math.floor(rounds.length / 2)]!;
    perSecond.push(middle.rps);
    rows.push([
      `${count} ${count === 1 ? 'worker' : 'workers'}`,
      Math.round(middle.rps).toLocaleString('en-US'),
      Math.round(middle.p99).toLocaleString('en-US'),
      middle.cpu === null ? '–' : Math.round(middle.cpu).toString(),
    ]);
  }
  return {
    title: `Workers: kept-alive requests for 1 KB at ${CONNECTIONS} connections; client and upstream share the ${machine.cores} cores`,
    head: ['', 'a second', 'p99 µs', 'CPU µs/request'],
    rows,
    figures: { workersGain: perSecond.at(-1)! / perSecond[0]! },
  };
}

async function one(
  count: number,
  at: {
    readonly free: Machine;
    readonly upstream: Awaited<ReturnType<typeof startUpstream>>;
    readonly options: BenchOptions;
    readonly folder: string;
  },
): Promise<Figures> {
  const { free, upstream, options, folder } = at;
  mkdirSync(folder);
  const origin = `https://${HOST}:${upstream.port}`;
  await using proxy = await startProxyProcess({
    folder,
    snapshot: benchSnapshot({ version: 1, egress: [origin], pinned: [HOST] }),
    env: { SSL_CERT_FILE: upstream.caFile },
    args: ['--workers', String(count)],
    logFile: join(folder, 'proxy.log'),
  });
  const command = [process.execPath, join(import.meta.dirname, 'client', 'main.ts')];
  await using client = new Child({ machine: free, seat: 'any', command, channel: true });
  await client.message('the load client');
  const ca = readFileSync(join(proxy.caFolder, CERTIFICATE_FILE), 'utf8');
  client.send({
    route: { port: proxy.port, tunnel: true, ca, originPort: upstream.port },
    pid: proxy.pid,
    does: 'requests',
    connections: CONNECTIONS,
    host: HOST,
    requests: [getRequest(HOST, upstream.port, '/1k')],
    windowMs: options.windowMs,
  });
  const answer = await client.message<Answer>(`${count} workers`, options.windowMs + ANSWER_MS_MAX);
  if (!answer.ok) throw new Error(answer.why);
  const { result } = answer;
  return {
    rps: (result.count * 1_000) / result.ms,
    p99: result.p99,
    cpu: result.cpuMs === null ? null : (result.cpuMs * 1_000) / result.count,
  };
}
