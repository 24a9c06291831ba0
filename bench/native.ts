// What a native run costs: from its namespaces to its end around a program that does nothing, and what a program in it does
// with files, beside the same outside. Turn by turn, so that both share the machine's moods.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MEMORY_BYTES_MAX, PROCESSES_MAX, ROOT_BYTES_MAX } from '../images/limits.ts';
import { openSandbox } from '../images/native/sandbox.ts';
import type { BenchOptions } from './options.ts';
import type { Table } from './report.ts';

const STARTS = { quick: 5, full: 21 } as const;
const PATH = '/usr/local/bin:/usr/bin:/bin';
/** In microseconds each, by its own clock. */
const WORK = `use Time::HiRes 'time'; my $file = $ARGV[0];
sub each_of { my ($many, $do) = @_; my $from = time; $do->() for 1 .. $many; printf "%.2f ", (time - $from) * 1e6 / $many }
open my $open, '<', $file; my $text;
each_of(200_000, sub { sysseek $open, 0, 0; sysread $open, $text, 4096 });
each_of(5_000, sub { open my $each, '<', $file; sysread $each, $text, 4096 });
each_of(5_000, sub { -e $file });`;

export async function measureNative(options: BenchOptions, folder: string): Promise<Table> {
  // As `wrld` has it, which is what starts such a run.
  enableCompileCache(join(folder, 'compiled'));
  const layer = join(folder, 'native');
  mkdirSync(layer, { recursive: true });
  writeFileSync(join(layer, 'file'), 'x'.repeat(4096));
  const starts: [number[], number[]] = [[], []];
  const count = options.rounds === 1 ? STARTS.quick : STARTS.full;
  for (let nth = 0; nth <= count; nth++)
    for (const [way, start] of [() => outside(['true']), () => inside(layer, ['true'])].entries()) {
      const from = performance.now();
      await start();
      // The first of each finds nothing warm.
      if (nth > 0) starts[way]!.push(performance.now() - from);
    }
  const work: [number[][], number[][]] = [[], []];
  for (let round = 0; round < Math.max(options.rounds, 3); round++) {
    const out = (await outside(['perl', '-e', WORK, join(layer, 'file')])).stdout;
    work[0].push(out.trim().split(' ').map(Number));
    work[1].push((await inside(layer, ['perl', '-e', WORK, '/app/file'])).trim().split(' ').map(Number));
  }
  const [own, native] = starts.map(median) as [number, number];
  const rows = [
    'a seek and a read, µs',
    'opening, reading and closing a file, µs',
    'looking whether it is there, µs',
  ].map((what, nth) => {
    const [before, after] = work.map(all => median(all.map(each => each[nth]!))) as [number, number];
    return [what, before.toFixed(1), after.toFixed(1), `+${(after - before).toFixed(1)} µs`];
  });
  return {
    title: 'Native runs, beside the program by itself',
    head: ['', 'by itself', 'native', ''],
    rows: [
      [
        'start to end of a program that does nothing, ms',
        own.toFixed(0),
        native.toFixed(0),
        `+${(native - own).toFixed(0)} ms`,
      ],
      ...rows,
    ],
    figures: { nativeMs: native - own },
    foot: ['Without the command line and its world, which a run that is contained has as well.'],
  };
}

function outside([program = '', ...args]: readonly string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(program, args, { env: { PATH } });
}

/** Resolves to what it said. */
async function inside(layer: string, words: readonly string[]): Promise<string> {
  const opened = await openSandbox({
    ...{ env: process.env, labelled: true, bytesMax: ROOT_BYTES_MAX },
    ...{ tell: () => {}, heard: () => {}, dial: () => {} },
  });
  if (!opened.ok) throw new Error(opened.why);
  await using sandbox = opened.sandbox;
  let said = '';
  sandbox.output.out.setEncoding('utf8').on('data', (text: string) => (said += text));
  sandbox.output.err.resume();
  const end = await sandbox.run({
    words,
    env: { PATH },
    root: {
      ...{ base: null, made: null },
      layers: [{ from: layer, at: '/app', without: [] }],
      ...{
        files: [],
        volumes: [],
        mounts: [],
        provided: [],
        bundle: null,
        system: [],
        hidden: [],
        hosts: [],
      },
      ...{ workingFolder: '/app', hostname: 'bench' },
      user: { name: 'root', uid: 0, gid: 0, home: '/root' },
    },
    limits: { processes: PROCESSES_MAX, memory: MEMORY_BYTES_MAX },
    saves: null,
    ...{ proxySocket: '/none', credentials: 'none:none', worldAddress: '127.0.0.1', proxyPort: 4001 },
    ...{ worldPorts: [], directPorts: [], leads: [] },
  });
  if (!end.ok) throw new Error(end.why);
  return said;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
