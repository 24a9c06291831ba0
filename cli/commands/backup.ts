// `wrld world backup`: all that the world holds, in one file, while it goes on. It is made in this process, of the files
// of the world: a world that is up does not wait for it.
import { relative, resolve } from 'node:path';
import { makeBackup } from '../../control/node/backup.ts';
import { backupName, backupStore } from '../../control/node/backup-files.ts';
import { checkStore } from '../../control/node/check-store.ts';
import type { Command } from '../command.ts';
import { progressOn } from '../output.ts';
import { failureOf } from '../stopped-world.ts';
import { findWorld } from '../world-folder.ts';

const MEGABYTE = 1024 * 1024;

export const worldBackup: Command = {
  words: ['world', 'backup'],
  summary: 'all that the world holds in one file, while it goes on',
  usage: '[<file>] [--json]',
  flags: { json: { type: 'switch', does: 'print { file, bytes, at, positions, faults } as JSON' } },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world backup', 'into .wrld/backups, named by the instant'],
    ['wrld world backup before-release.backup', 'into that file, which must not be there yet'],
  ],
  notes: [
    'It has the records, logs, clock and files of every twin. Tokens, keys and sessions are not in it, and branches are not either: bring it back into a world that has its own (wrld world restore).',
  ],
  run: async (given, { output, folder }) => {
    const found = await findWorld(folder);
    if (!found.ok) {
      output.error(found.why);
      return 2;
    }
    const { paths, config } = found;
    const [named] = given.operands;
    const to = named === undefined ? resolve(paths.backups, backupName(Date.now())) : resolve(folder, named);
    try {
      const made = await makeBackup({
        files: paths,
        world: config.name,
        to,
        told: progressOn(output),
      });
      // It has what the world has: where that is damaged, who needs it one day is told today.
      const { checks } = await checkStore(backupStore(made.file));
      const faults = checks.flatMap(each => each.faults);
      output.progress(null);
      if (given.switches.has('json')) output.json({ ...made, faults });
      else if (faults.length === 0) {
        const size = `${(made.bytes / MEGABYTE).toFixed(1)} MB`;
        output.line(`${output.ink('green', '✓')} ${relative(folder, made.file) || made.file}  ${size}`);
        output.line(output.ink('dim', `Bring it back:  wrld world restore ${relative(folder, made.file)}`));
      }
      if (faults.length === 0) return 0;
      output.error(
        `wrld world backup: ${made.file} is there and is not whole, as the world is not, so that it cannot be restored: ${faults.join('; ')}. See: wrld world check`,
      );
      return 1;
    } catch (error) {
      output.progress(null);
      output.error(`wrld world backup: ${failureOf(error)}`);
      return 1;
    }
  },
};
