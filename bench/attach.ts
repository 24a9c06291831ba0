// What the hooks cost that a JavaScript program loads in a world (attach/register.cjs), where they have nothing to do: a start,
// requests on this machine's loopback, and work that dials nobody. Turn by turn beside the same program without them.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { BenchOptions } from './options.ts';
import type { Table } from './report.ts';

const CLI = join(import.meta.dirname, '..', 'cli', 'wrld.js');
const STARTS = { quick: 5, full: 41 } as const;
const TURNS = { quick: 2, full: 7 } as const;

/** Each says how long it took, in milliseconds by its own clock. */
const LOOPBACK = `const { createServer, request, Agent } = require('node:http');
const agent = new Agent({ keepAlive: true });
const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  const ask = () => new Promise((resolve, reject) =>
    request({ port, host: '127.0.0.1', agent }, answer => answer.resume().on('end', resolve)).on('error', reject).end());
  for (let nth = 0; nth < 500; nth++) await ask();
  const from = performance.now();
  for (let nth = 0; nth < 4000; nth++) await ask();
  console.log(performance.now() - from);
  process.exit();
});`;
const ALONE = `const { readFileSync } = require('node:fs');
const { createHash } = require('node:crypto');
const from = performance.now();
for (let nth = 0; nth < 3000; nth++) JSON.parse(JSON.stringify({ at: createHash('sha256').update(readFileSync(__filename)).digest('hex') }));
console.log(performance.now() - from);`;

type Both = readonly [without: number[], within: number[]];

export async function measureAttach({ rounds }: BenchOptions, folder: string): Promise<Table> {
  const place = join(folder, 'attach');
  mkdirSync(join(place, '.wrld'), { recursive: true });
  const config = { name: 'bench/world', services: { stripe: { twin: 'stripe' } } };
  writeFileSync(join(place, '.wrld', 'world.json'), JSON.stringify(config));
  for (const [name, text] of Object.entries({
    'nothing.cjs': '',
    'loopback.cjs': LOOPBACK,
    'alone.cjs': ALONE,
  }))
    writeFileSync(join(place, name), text);
  const up = spawn(process.execPath, [CLI, 'world', 'up', '--json'], {
    cwd: place,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(createInterface({ input: up.stdout }), 'line');
    // Which the hooks are in alone, as in a contained run: `--open` sets Node's own support for a proxy besides.
    const { NODE_USE_ENV_PROXY: nodesOwn, ...within } = await environment(place);
    const run = (env: NodeJS.ProcessEnv, file: string): Promise<{ readonly stdout: string }> =>
      promisify(execFile)(process.execPath, [join(place, file)], { env });
    const turns = async (
      count: number,
      measure: (env: NodeJS.ProcessEnv) => Promise<number>,
    ): Promise<Both> => {
      const both: Both = [[], []];
      for (let nth = 0; nth <= count; nth++)
        for (const way of nth % 2 === 0 ? [0, 1] : [1, 0]) {
          const ms = await measure(way === 0 ? process.env : within);
          // The first of each compiles, and finds nothing warm.
          if (nth > 0) both[way]!.push(ms);
        }
      return both;
    };
    const start = async (env: NodeJS.ProcessEnv): Promise<number> => {
      const from = performance.now();
      await run(env, 'nothing.cjs');
      return performance.now() - from;
    };
    const starting = rounds === 1 ? STARTS.quick : STARTS.full;
    const starts = await turns(starting, start);
    const [, opened] = await turns(starting, env =>
      start(env === within ? { ...within, NODE_USE_ENV_PROXY: nodesOwn } : env),
    );
    const count = rounds === 1 ? TURNS.quick : TURNS.full;
    const [loopback, alone] = [
      await turns(count, async env => Number((await run(env, 'loopback.cjs')).stdout)),
      await turns(count, async env => Number((await run(env, 'alone.cjs')).stdout)),
    ];
    const [before, after] = starts.map(median) as [number, number];
    const open = median(opened);
    return {
      title: 'The hooks of a JavaScript program, where they have nothing to do',
      head: ['', 'without', 'with', ''],
      rows: [
        [
          'start to end of a program that does nothing, ms',
          before.toFixed(1),
          after.toFixed(1),
          `+${(after - before).toFixed(1)} ms`,
        ],
        [
          'the same where Node’s own support for a proxy is on besides, as `--open` has it, ms',
          before.toFixed(1),
          open.toFixed(1),
          `+${(open - before).toFixed(1)} ms`,
        ],
        compared('4,000 requests on this machine’s loopback, one after the other, ms', loopback),
        compared('3,000 times reading a file, hashing it, writing and reading JSON, ms', alone),
      ],
      figures: { attachMs: after - before },
      foot: ['Node by itself, with the environment that `wrld world run` gives it and without it.'],
    };
  } finally {
    const gone = once(up, 'exit');
    up.kill('SIGTERM');
    await gone;
  }
}

/** What a program of a run finds. */
async function environment(place: string): Promise<NodeJS.ProcessEnv> {
  const words = [CLI, 'world', 'run', '--open', '--', process.execPath, '-p', 'JSON.stringify(process.env)'];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: place });
  return JSON.parse(stdout) as NodeJS.ProcessEnv;
}

function compared(what: string, both: Both): readonly string[] {
  const [before, after] = both.map(median) as [number, number];
  return [what, before.toFixed(0), after.toFixed(0), `${(after / before).toFixed(2)}×`];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
