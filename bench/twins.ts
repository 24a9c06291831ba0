// A twin answered end to end: the client's TLS through the proxy, over the socket to control, into the
// twin's transaction and its log, and back. All processes share the machine as they would for a developer.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child.ts';
import { dial, getRequest, type Route } from './client/dial.ts';
import type { Answer, Command, Result } from './client/main.ts';
import { cpuMs, type Machine } from './machine.ts';
import type { BenchOptions } from './options.ts';
import type { Table } from './report.ts';

const HOST = 'api.stripe.com';
const PORT = 443;
const CONNECTIONS = [1, 32] as const;
const ANSWER_MS_MAX = 60_000;
const BODY = 'name=Bench&email=bench%40example.com';
const CREATE = [
  'POST /v1/customers HTTP/1.1',
  `Host: ${HOST}`,
  'Authorization: Bearer sk_test_bench',
  'Content-Type: application/x-www-form-urlencoded',
  `Content-Length: ${BODY.length}`,
  '',
  BODY,
].join('\r\n');

export async function measureTwins(machine: Machine, options: BenchOptions, folder: string): Promise<Table> {
  const home = join(folder, 'world', '.wrld');
  mkdirSync(home, { recursive: true });
  const config = { name: 'bench/world', services: { stripe: { twin: 'stripe' } } };
  writeFileSync(join(home, 'world.json'), JSON.stringify(config));

  const script = (name: string): string => join(import.meta.dirname, name);
  const command = [process.execPath, script('twins-process.ts'), join(folder, 'world')];
  await using world = new Child({ machine, seat: 'any', command, channel: true });
  const { port, proxyPid, ca } = await world.message<{ port: number; proxyPid: number; ca: string }>(
    'the world',
  );
  const route: Route = { port, tunnel: true, ca, originPort: PORT };
  await using client = new Child({
    machine,
    seat: 'any',
    command: [process.execPath, script('client/main.ts')],
    channel: true,
  });
  await client.message('the load client');

  const customer = await createOne(route);
  const read = getRequest(HOST, PORT, `/v1/customers/${customer}`);
  const rows: string[][] = [];
  const figures: { [figure: string]: number } = {};
  for (const [label, request, figure] of [
    ['read (GET a customer)', read, 'twinReads'],
    ['logged write (POST a customer)', CREATE, 'twinWrites'],
  ] as const) {
    for (const connections of CONNECTIONS) {
      const rounds: (Result & { readonly controlMs: number })[] = [];
      for (let round = 0; round < options.rounds; round++) {
        const before = cpuMs(world.pid) ?? 0;
        const load = {
          does: 'requests',
          connections,
          host: HOST,
          requests: [request],
          windowMs: options.windowMs,
        } as const;
        client.send({ route, pid: proxyPid, ...load } satisfies Command);
        const answer = await client.message<Answer>(label, ANSWER_MS_MAX);
        if (!answer.ok) throw new Error(`${label}: ${answer.why}`);
        rounds.push({ ...answer.result, controlMs: (cpuMs(world.pid) ?? 0) - before });
      }
      rows.push([label, ...cells(rounds, connections, options.windowMs)]);
      // The busiest is the last.
      figures[figure] = rounds.map(({ count, ms }) => (count * 1_000) / ms).sort((a, b) => a - b)[
        Math.floor(rounds.length / 2)
      ]!;
    }
  }
  return {
    title: 'A twin end to end: proxy → control → log → answer, all processes on the same cores',
    head: ['', 'connections', 'a second', 'p50 µs', 'p99 µs', 'proxy CPU µs', 'control CPU µs'],
    rows,
    figures,
  };
}

function cells(
  rounds: readonly (Result & { readonly controlMs: number })[],
  connections: number,
  windowMs: number,
): string[] {
  const each = rounds.toSorted((a, b) => a.count / a.ms - b.count / b.ms);
  const middle = each[Math.floor(each.length / 2)]!;
  // Control's CPU was taken around the whole command, which warms up for a quarter of the window first.
  const share = windowMs / (windowMs * 1.25);
  const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
  return [
    String(connections),
    whole((middle.count * 1_000) / middle.ms),
    whole(middle.p50),
    whole(middle.p99),
    middle.cpuMs === null ? '–' : whole((middle.cpuMs * 1_000) / middle.count),
    whole((middle.controlMs * share * 1_000) / middle.count),
  ];
}

/** The id of a customer made for the reads. */
async function createOne(route: Route): Promise<string> {
  const socket = await dial(route, HOST);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  socket.on('error', reject).on('end', () => reject(new Error(`no customer was made: ${text}`)));
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    const id = /"id": *"(cus_\w+)"/.exec(text)?.[1];
    if (id !== undefined) resolve(id);
    else if (!text.startsWith('HTTP/1.1 200'))
      reject(new Error(`no customer was made: ${text.slice(0, 400)}`));
  });
  socket.write(CREATE);
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}
