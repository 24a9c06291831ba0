// `wrld world reset`: the world empty again, or as a backup, a branch or an instant has it. A world that is up does it by
// itself, in a moment; of one that is not, this process does.

import type { ResetAsk, ResetOutcome } from '../../control/http/surroundings.ts';
import type { Told } from '../../control/node/backup-files.ts';
import { ControlError } from '../../control/node/control-error.ts';
import type { WorldPaths } from '../../control/node/paths.ts';
import { resetStore } from '../../control/node/reset.ts';
import { changeStore, heldTokens, letIn, setAside } from '../../control/node/stopped-world.ts';
import { refuseLoss } from '../../control/node/store-guard.ts';
import { parseInstant } from '../../control/world/store/instant.ts';
import { StoreError } from '../../control/world/store/schema.ts';
import type { Command, Surround } from '../command.ts';
import { progressOn } from '../output.ts';
import { askWorld, REACH_FLAGS } from '../reached-world.ts';
import { failureOf, whileStopped } from '../stopped-world.ts';
import { readUp } from '../up-world.ts';
import { findFolder, findWorld } from '../world-folder.ts';

type Done = { readonly to: string; readonly positions: { readonly [twin: string]: number } };

export const worldReset: Command = {
  words: ['world', 'reset'],
  summary: 'the world empty again, or as a backup, a branch or an instant has it',
  usage: '[--to <name>|<instant>] [--world <url>] [--json]',
  flags: {
    to: {
      type: 'value',
      value: '<name>|<instant>',
      does: 'a backup of .wrld/backups, a branch, or an instant of the world’s own time; without it, nothing is left',
    },
    world: REACH_FLAGS.world,
    json: { type: 'switch', does: 'print { to, positions } as JSON' },
  },
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world reset', 'every twin is as new; tokens, keys and grants stay'],
    ['wrld world reset --to 2026-03-01T00:00:00Z', 'as it was then; its clock stands there'],
    ['wrld world reset --to shop-retry-1a2b', 'as that branch is'],
  ],
  notes: [
    'What is given up is gone: wrld world backup before it keeps a copy. A world that has branches which left it later is not reset; remove them first. Webhooks that wait are not sent.',
  ],
  run: async (given, around) => {
    const ask = askOf(given.values.get('to'));
    const found = await findFolder(around.folder);
    const served = given.values.get('world') ?? around.env['WRLD_WORLD'];
    const up = found.ok && served === undefined ? await readUp(found.paths) : null;
    if (served === undefined && found.ok && up === null)
      return await resetStopped(found.paths, ask, given.switches.has('json'), around);
    const body =
      ask.to === 'nothing'
        ? {}
        : { to: ask.to === 'instant' ? { instant: ask.instant } : { name: ask.name } };
    return askWorld<Done>(
      'world reset',
      given,
      around,
      async ({ client, own }) => {
        around.output.progress('Resetting the world');
        try {
          return await client.send('POST', own('reset'), body);
        } finally {
          around.output.progress(null);
        }
      },
      done => say(around, done),
    );
  },
};

/** A savepoint is its process's own, and a test suite's. */
function askOf(to: string | undefined): Exclude<ResetAsk, { readonly to: 'savepoint' }> {
  if (to === undefined) return { to: 'nothing' };
  return parseInstant(to) === null ? { to: 'name', name: to } : { to: 'instant', instant: to };
}

async function resetStopped(
  paths: WorldPaths,
  ask: ResetAsk,
  json: boolean,
  around: Surround,
): Promise<number> {
  const { output, folder } = around;
  const world = await findWorld(folder);
  if (!world.ok) {
    output.error(world.why);
    return 2;
  }
  try {
    const outcome = await whileStopped(paths, () => reset(paths, world.config.name, ask, progressOn(output)));
    output.progress(null);
    if (!outcome.ok) {
      output.error(`wrld world reset: ${outcome.message}`);
      return 1;
    }
    const { to, positions } = outcome;
    if (json) output.json({ to, positions });
    else say(around, { to, positions });
    return 0;
  } catch (error) {
    output.progress(null);
    output.error(`wrld world reset: ${failureOf(error)}`);
    return 1;
  }
}

async function reset(paths: WorldPaths, world: string, ask: ResetAsk, told: Told): Promise<ResetOutcome> {
  const held = await heldTokens(paths);
  try {
    await refuseLoss(paths);
    return await changeStore(paths, sql => {
      letIn(sql, held);
      const clock = Number(sql.get<{ v: string }>("SELECT v FROM meta WHERE k = 'clock'")?.v ?? Date.now());
      const place = {
        world,
        sql,
        files: paths,
        now: async () => clock,
        rewrite: async (work: () => void) => {
          told('Writing the world anew', 0);
          work();
        },
        told,
      };
      return resetStore(place, ask);
    });
  } catch (error) {
    const unusable =
      error instanceof StoreError ||
      (error instanceof ControlError && (error.code === 'store-unusable' || error.code === 'store-newer'));
    if (!unusable || ask.to !== 'nothing') throw error;
    // What cannot be read is moved away whole.
    await setAside(paths);
    return await changeStore(paths, async sql => {
      letIn(sql, held);
      return { ok: true, to: 'nothing', positions: {} } as const;
    });
  }
}

function say({ output }: Surround, { to, positions }: Done): void {
  const logs = Object.entries(positions).map(([twin, position]) => `${twin} at ${position}`);
  const what = to === 'nothing' ? 'The world is empty' : `The world is as of ${to}`;
  output.line(`${output.ink('green', '✓')} ${what}${logs.length === 0 ? '.' : `: ${logs.join(', ')}.`}`);
}
