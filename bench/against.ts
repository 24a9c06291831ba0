// `npm run bench:against -- <tree>`: the same measures in another checkout of this project and in this one, turn by turn
// in one run, so that what a change costs is told from what the machine was doing. Each cell is the median of the
// rounds; judge by CPU time and by counts, which a busy machine changes least.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Table } from './report.ts';

const HELP = `npm run bench:against -- <tree> [options]

Runs the bench of another checkout of this project (with its node_modules) and of this one in turn, and prints each
figure of both and their ratio.

  --rounds <n>     times that each is run, 3 by default
  --only <names>   as in npm run bench -- --help; store,operations,mails,decide,parse,journal by default
  --full           not --quick: the long windows and the large stores
  --help           this text
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: 'store,operations,mails,decide,parse,journal' },
    full: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const here = join(import.meta.dirname, '..');
const there = resolve(positionals[0] ?? '');
const rounds = Number(values.rounds);
if (values.help || positionals.length !== 1 || !Number.isInteger(rounds) || rounds < 1) {
  console.error(HELP);
  process.exit(values.help ? 0 : 2);
}
if (!existsSync(join(there, 'bench', 'main.ts'))) {
  console.error(`${there} holds no bench/main.ts: name the folder of a checkout, after npm ci in it.`);
  process.exit(2);
}

/** `<table> / <row> / <column>` → what each round measured, there and here. */
type Cells = Map<string, { readonly there: number[]; readonly here: number[] }>;

const cells: Cells = new Map();
const folder = mkdtempSync(join(tmpdir(), 'wrld-bench-'));
try {
  for (let round = 1; round <= rounds; round++) {
    // Who goes first changes, so that a machine that warms up favours neither.
    for (const side of round % 2 === 1 ? (['there', 'here'] as const) : (['here', 'there'] as const)) {
      console.error(`round ${round} of ${rounds}: ${side === 'there' ? there : here}`);
      for (const table of measured(side === 'there' ? there : here)) note(table, side);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
print();

function measured(tree: string): readonly Table[] {
  const file = join(folder, 'figures.json');
  const args = [join(tree, 'bench', 'main.ts'), '--only', values.only, '--json', file];
  const run = spawnSync(process.execPath, values.full ? args : [...args, '--quick'], {
    cwd: tree,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (run.status !== 0) throw new Error(`the bench in ${tree} ended with ${run.status}`);
  const { tables, remarks } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly tables: readonly Table[];
    readonly remarks: readonly string[];
  };
  for (const remark of remarks) console.error(remark);
  return tables;
}

function note({ title, head, rows }: Table, side: 'there' | 'here'): void {
  for (const [name = '', ...columns] of rows) {
    columns.forEach((cell, index) => {
      // `1,234 (56/78)`: the figure is what comes first.
      const number = /^[+≈]?(-?[\d,]+(?:\.\d+)?)/.exec(cell.trim())?.[1];
      if (number === undefined) return;
      const key = `${title.split(/[:;(]/)[0]!.trim()} / ${name} / ${head[index + 1] ?? ''}`;
      const held = cells.get(key) ?? { there: [], here: [] };
      held[side].push(Number(number.replaceAll(',', '')));
      cells.set(key, held);
    });
  }
}

function print(): void {
  for (const [key, held] of cells) {
    if (held.there.length === 0 || held.here.length === 0) continue;
    const before = median(held.there);
    const after = median(held.here);
    const ratio = before === 0 ? '' : `${(after / before).toFixed(2)}×`;
    console.log([ratio.padStart(7), String(before).padStart(10), String(after).padStart(10), key].join('  '));
  }
}

function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
