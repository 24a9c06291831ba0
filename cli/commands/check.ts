// `wrld world check`: looks through everything that the world keeps, up or not, and changes nothing.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { backupStore } from '../../control/node/backup-files.ts';
import { checkStore, type StoreReport } from '../../control/node/check-store.ts';
import type { WorldPaths } from '../../control/node/paths.ts';
import type { Command } from '../command.ts';
import { readUp } from '../up-world.ts';
import { findFolder } from '../world-folder.ts';

type Checkable = Parameters<typeof checkStore>[0];

export const worldCheck: Command = {
  words: ['world', 'check'],
  summary: 'look through all that the world keeps, or through a backup',
  usage: '[<backup>] [--json]',
  flags: {
    json: { type: 'switch', does: 'print { ok, stores: [{ ok, file, positions, checks }] } as JSON' },
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world check', 'the store and each of its branches; exits 1 when something is wrong'],
    ['wrld world check .wrld/backups/2026-03-01T00-00-00Z.backup', 'whether a backup can be brought back'],
  ],
  notes: [
    'Held are: the file and its write-ahead log, that positions are dense, that entries and versions can be read, that every change has its version and what stands is the newest, the counts, what lists scan, and each large file by its hash. A world that is up goes on meanwhile.',
  ],
  run: async (given, { output, folder }) => {
    const found = await findFolder(folder);
    const [named] = given.operands;
    if (!found.ok && named === undefined) {
      output.error(`wrld world check: ${found.why}`);
      return 2;
    }
    const running = found.ok && named === undefined && (await readUp(found.paths)) !== null;
    const stores =
      named === undefined && found.ok ? storesOf(found.paths) : [backupStore(resolve(folder, named!))];
    const reports: StoreReport[] = [];
    for (const store of stores) {
      const name = relative(folder, store.database);
      const told = (holds: string, n: number, of: number): void =>
        output.progress(`${name}  ${n + 1}/${of}  ${holds}`);
      reports.push(await checkStore(store, { running, told }));
    }
    output.progress(null);
    const ok = reports.every(report => report.ok);
    if (given.switches.has('json')) output.json({ ok, stores: reports });
    else {
      for (const report of reports) {
        const logs = Object.entries(report.positions).map(([twin, position]) => `${twin} at ${position}`);
        output.line(`${output.ink('bold', relative(folder, report.file))}  ${logs.join(', ')}`);
        for (const { holds, faults } of report.checks) {
          const mark = faults.length === 0 ? output.ink('green', '✓') : output.ink('red', '✗');
          output.line(`  ${mark} ${holds}`);
          for (const fault of faults) output.line(`      ${fault}`);
        }
      }
      if (!ok) output.error('Something is wrong. Bring a backup back: wrld world restore --help');
    }
    return ok ? 0 : 1;
  },
};

function storesOf(paths: WorldPaths): readonly Checkable[] {
  const branches = existsSync(paths.branches) ? readdirSync(paths.branches) : [];
  return [
    paths,
    ...branches.map(name => {
      const store = join(paths.branches, name);
      return {
        database: join(store, 'world.db'),
        blobs: join(store, 'blobs'),
        marks: join(store, 'marks.json'),
      };
    }),
  ];
}
