// What containment costs: a run's start, and requests a second, contained beside by variables alone, turn by turn. The
// client is the run's own program, so all of it shares the machine as it does for a developer.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { BenchOptions } from './options.ts';
import type { Table } from './report.ts';

const CLI = join(import.meta.dirname, '..', 'cli', 'wrld.js');
const LOAD = join(import.meta.dirname, 'client', 'contained.ts');
const CONNECTIONS = [1, 32] as const;
const WAYS = ['open', 'contained'] as const;
const STARTS = { quick: 3, full: 15 } as const;

type Way = (typeof WAYS)[number];

export async function measureContained(options: BenchOptions, folder: string): Promise<Table> {
  const place = join(folder, 'contained');
  mkdirSync(join(place, '.wrld'), { recursive: true });
  const config = { name: 'bench/world', services: { stripe: { twin: 'stripe' } } };
  writeFileSync(join(place, '.wrld', 'world.json'), JSON.stringify(config));
  const up = spawn(process.execPath, [CLI, 'world', 'up', '--json'], {
    cwd: place,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(createInterface({ input: up.stdout }), 'line');
    const started = await starts(place, options);
    const rows = [started.cells];
    let containedGain = 0;
    for (const connections of CONNECTIONS) {
      const asked = await requests(place, connections, options);
      rows.push(asked.cells);
      containedGain = asked.gain;
    }
    return {
      title: 'Contained runs, beside runs by variables alone',
      head: ['', 'by variables', 'contained', ''],
      rows,
      // Of throughput: with one connection, what is measured is how long one request takes.
      figures: { containedMs: started.more, containedGain },
      foot: [
        'The client is a Node program in the run that opens its TLS by itself: through a CONNECT of its own, and straight.',
      ],
    };
  } finally {
    const gone = once(up, 'exit');
    up.kill('SIGTERM');
    await gone;
  }
}

async function run(place: string, way: Way, command: readonly string[]): Promise<string> {
  const args = [CLI, 'world', 'run', `--${way}`, '--', ...command];
  return (await promisify(execFile)(process.execPath, args, { cwd: place })).stdout;
}

async function starts(
  place: string,
  { rounds }: BenchOptions,
): Promise<{ readonly cells: readonly string[]; readonly more: number }> {
  const times: { readonly [way in Way]: number[] } = { open: [], contained: [] };
  const count = rounds === 1 ? STARTS.quick : STARTS.full;
  for (let nth = 0; nth <= count; nth++) {
    for (const way of WAYS) {
      const from = performance.now();
      await run(place, way, ['true']);
      // The first of each compiles and writes what the others find.
      if (nth > 0) times[way].push(performance.now() - from);
    }
  }
  const [open, contained] = [median(times.open), median(times.contained)];
  const more = contained - open;
  const what = 'start to end of a command that does nothing, ms';
  return { cells: [what, whole(open), whole(contained), `+${whole(more)} ms`], more };
}

async function requests(
  place: string,
  connections: number,
  options: BenchOptions,
): Promise<{ readonly cells: readonly string[]; readonly gain: number }> {
  const counts: { readonly [way in Way]: number[] } = { open: [], contained: [] };
  for (let round = 0; round < options.rounds; round++) {
    for (const way of WAYS) {
      // Without what is loaded into Node in a world: what is measured is the way, which any other client takes too.
      const load = [
        'env',
        '-u',
        'NODE_OPTIONS',
        process.execPath,
        LOAD,
        way,
        String(connections),
        String(options.windowMs),
      ];
      counts[way].push(Number(await run(place, way, load)));
    }
  }
  const [open, contained] = [median(counts.open), median(counts.contained)];
  const gain = contained / open;
  const what = `reads of a twin a second, ${connections} connection${connections === 1 ? '' : 's'}`;
  return { cells: [what, whole(open), whole(contained), `${gain.toFixed(2)}×`], gain };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
