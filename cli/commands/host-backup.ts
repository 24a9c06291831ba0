// `wrld host backup`: every world of a host's directory, each into a file of its own, while the host serves them. It is made in
// this process, of the worlds' files, as `wrld world backup` is.
import { relative } from 'node:path';
import { ControlError } from '../../control/node/control-error.ts';
import { type BackupRun, backUpWorlds } from '../../control/node/host/world-backups.ts';
import type { Command } from '../command.ts';
import type { Output } from '../output.ts';
import { readKeep } from '../read-keep.ts';
import { failureOf } from '../stopped-world.ts';

const MEGABYTE = 1024 * 1024;

export const hostBackup: Command = {
  words: ['host', 'backup'],
  summary: 'a backup of every world of a host, while it serves them',
  usage: '<dir> [--to <folder>] [--keep <number>] [--json]',
  flags: {
    to: {
      type: 'value',
      value: '<folder>',
      does: 'where they go, as <org>/<world>/<instant>.backup; .wrld-host/backups of the directory unless given',
    },
    keep: {
      type: 'value',
      value: '<number>',
      does: 'backups of each world that stay; the oldest beyond go. All stay unless given',
    },
    json: {
      type: 'switch',
      does: 'print { to, at, ms, made: [{ world, file, bytes }], unchanged, failed: [{ world, why }], removed } as JSON',
    },
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld host backup /srv/worlds --to /backup/worlds --keep 14', 'fit for a nightly timer'],
    [
      'wrld world restore /backup/worlds/acme/shop/2026-03-01T00-00-00Z.backup',
      'in the folder of a world: brings that one back',
    ],
  ],
  notes: [
    'A world that nothing was written to since its newest backup is left as it is. One that cannot be backed up is named, its older backups stay, and the others go on; the exit code is 1 then.',
    'Tokens, keys, sessions, seal keys and branches are in none. A world’s world.json is kept beside its backup. The backups of a world that was removed stay. wrld host --backup-every has the running host do this by itself.',
  ],
  run: async (given, { output }) => {
    const wrong = (why: string): number => {
      output.error(`wrld host backup: ${why}`);
      return 2;
    };
    const [directory] = given.operands;
    if (directory === undefined) return wrong('which directory? wrld host backup <dir>');
    const keep = readKeep(given.values.get('keep'));
    if (keep === undefined) return wrong('--keep takes a number of backups, 1 or more');
    try {
      const run = await backUpWorlds({
        directory,
        to: given.values.get('to') ?? null,
        keep,
        told: (world, n, of) => output.progress(`Backing up  ${n + 1}/${of}  ${world}`),
      });
      output.progress(null);
      if (given.switches.has('json')) output.json(run);
      else tell(run, output);
      return run.failed.length === 0 ? 0 : 1;
    } catch (error) {
      output.progress(null);
      if (!(error instanceof ControlError) && (error as NodeJS.ErrnoException).code === 'ENOENT')
        return wrong(`${directory} is not there`);
      output.error(`wrld host backup: ${failureOf(error)}`);
      return 1;
    }
  },
};

function tell({ made, unchanged, failed, removed, to }: BackupRun, output: Output): void {
  for (const { world, why } of failed) output.error(`${output.ink('red', '✗')} ${world}: ${why}`);
  const bytes = made.reduce((sum, each) => sum + each.bytes, 0);
  const parts = [
    `${made.length} ${made.length === 1 ? 'world' : 'worlds'} backed up (${(bytes / MEGABYTE).toFixed(1)} MB)`,
    ...(unchanged === 0 ? [] : [`${unchanged} unchanged since their last backup`]),
    ...(removed === 0 ? [] : [`${removed} old backups removed`]),
    ...(failed.length === 0 ? [] : [output.ink('red', `${failed.length} failed`)]),
  ];
  output.line(`${output.ink(failed.length === 0 ? 'green' : 'yellow', '✓')} ${parts.join(', ')}`);
  output.line(
    output.ink(
      'dim',
      `In ${relative(process.cwd(), to) || to}. Bring one back in its folder:  wrld world restore <file>`,
    ),
  );
}
