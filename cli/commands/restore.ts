// `wrld world restore`: a backup in the place of the world's store, or the store accepted as it stands.
import { relative, resolve } from 'node:path';
import { acceptAsItIs, restoreBackup } from '../../control/node/restore.ts';
import type { Command } from '../command.ts';
import { progressOn } from '../output.ts';
import { failureOf, whileStopped } from '../stopped-world.ts';
import { findWorld } from '../world-folder.ts';

export const worldRestore: Command = {
  words: ['world', 'restore'],
  summary: 'bring a backup back; what was there is set aside',
  usage: '<file> | --as-is [--json]',
  flags: {
    'as-is': {
      type: 'switch',
      does: 'no backup: go on with what is left of a store that lost something',
    },
    json: { type: 'switch', does: 'print { from, at, positions, setAside } as JSON' },
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world restore .wrld/backups/2026-03-01T00-00-00Z.backup', 'the world as it was then'],
    ['wrld world restore --as-is', 'after a damaged disk, without a backup'],
  ],
  notes: [
    'The world must be down. The backup is looked through before it takes the place of the store; the store and its branches are moved to .wrld/set-aside, where you may remove them. Tokens and keys stay those of the world, as far as its store can still be read.',
  ],
  run: async (given, { output, folder }) => {
    const wrong = (why: string): number => {
      output.error(`wrld world restore: ${why}`);
      return 2;
    };
    const [named] = given.operands;
    const asIs = given.switches.has('as-is');
    if (named === undefined && !asIs)
      return wrong('name a backup, or say --as-is; backups are in .wrld/backups');
    if (named !== undefined && asIs) return wrong('a backup, or --as-is; not both');
    const found = await findWorld(folder);
    if (!found.ok) {
      output.error(found.why);
      return 2;
    }
    const { paths } = found;
    const told = progressOn(output);
    try {
      const restored = await whileStopped(paths, () =>
        named === undefined ? acceptAsItIs(paths, told) : restoreBackup(paths, resolve(folder, named), told),
      );
      output.progress(null);
      if (given.switches.has('json')) output.json(restored);
      else {
        const { at, positions, setAside } = restored;
        const what = at === null ? 'What is left of it is the world now' : `The world is as of ${at}`;
        const logs = Object.entries(positions).map(([twin, position]) => `${twin} at ${position}`);
        output.line(
          `${output.ink('green', '✓')} ${what}${logs.length === 0 ? '.' : `: ${logs.join(', ')}.`}`,
        );
        if (setAside !== null)
          output.line(output.ink('dim', `What was there is in ${relative(folder, setAside)}`));
      }
      return 0;
    } catch (error) {
      output.progress(null);
      output.error(`wrld world restore: ${failureOf(error)}`);
      return 1;
    }
  },
};
