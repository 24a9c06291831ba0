// Mails a second into the SMTP twin, with an inbox that is empty and one that is full, beside the bare protocol.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../test/kit/free-port.ts';
import { MAILS_MAX } from '../twins/smtp/limits.ts';
import { Child } from './child.ts';
import type { Answer, Command, Result } from './client/main.ts';
import type { Machine } from './machine.ts';
import type { BenchOptions } from './options.ts';
import type { Table } from './report.ts';

const CONNECTIONS = 8;
const WINDOW_MS = { quick: 500, full: 2_000 } as const;
const ANSWER_MS_MAX = 120_000;

export async function measureMails(machine: Machine, options: BenchOptions, folder: string): Promise<Table> {
  const home = join(folder, 'mails', '.wrld');
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, 'world.json'),
    JSON.stringify({ name: 'bench/world', services: { smtp: { twin: 'smtp' } } }),
  );
  const script = (...names: string[]): string => join(import.meta.dirname, ...names);
  const child = (file: string, argument: string): Child => {
    const command = [process.execPath, file, argument];
    return new Child({ machine, seat: 'proxy', command, channel: true });
  };
  await using client = new Child({
    machine,
    seat: 'client',
    command: [process.execPath, script('client', 'main.ts')],
    channel: true,
  });
  await client.message('the load client');
  const windowMs = options.rounds === 1 ? WINDOW_MS.quick : WINDOW_MS.full;
  const send = async (server: Child, port: number, mails: number | null): Promise<Result> => {
    const load = { does: 'mails', connections: CONNECTIONS, windowMs, mails } as const;
    const route = { port, tunnel: false, plain: true, ca: '', originPort: port } as const;
    client.send({ route, pid: server.pid, ...load } satisfies Command);
    const answer = await client.message<Answer>('mails', ANSWER_MS_MAX);
    if (!answer.ok) throw new Error(answer.why);
    return answer.result;
  };
  const rows: string[][] = [];
  let mails = 0;
  {
    await using world = child(script('operations', 'mail-process.ts'), join(folder, 'mails'));
    const { port } = await world.message<{ port: number }>('the world');
    const filling = await send(world, port, null);
    mails = (filling.count * 1_000) / filling.ms;
    rows.push(['wrld, an inbox that fills', ...cells(filling)]);
    await send(world, port, MAILS_MAX);
    rows.push([
      `wrld, an inbox that is full: ${MAILS_MAX.toLocaleString('en-US')} mails`,
      ...cells(await send(world, port, null)),
    ]);
  }
  {
    await using bare = child(script('peers', 'smtp-server.ts'), String(await freePort()));
    const { port } = await bare.message<{ port: number }>('smtp-server');
    rows.push(['smtp-server 3.21.6, which keeps none', ...cells(await send(bare, port, null))]);
  }
  return {
    title: `Mails into the smtp twin, 800 bytes each, at ${CONNECTIONS} connections kept open`,
    head: ['', 'a second', 'p50 µs', 'p99 µs', 'CPU µs', 'memory MB'],
    rows,
    figures: { mails },
    foot: [
      'Each mail is four commands; all of them are asked of the twin, and the mail is parsed, kept and in the log before it is acknowledged. The inbox drops its oldest beyond its limit, so that it has no larger size.',
      'No other inbox is beside it: those of npm that are still kept up (maildev, smtp-tester) name a dependency that cannot be installed. What takes mails and keeps none is the floor.',
    ],
  };
}

function cells({ count, ms, p50, p99, cpuMs, residentMb }: Result): string[] {
  const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
  return [
    whole((count * 1_000) / ms),
    whole(p50),
    whole(p99),
    cpuMs === null ? '–' : whole((cpuMs * 1_000) / Math.max(count, 1)),
    residentMb === null ? '–' : whole(residentMb),
  ];
}
