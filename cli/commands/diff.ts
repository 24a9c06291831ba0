// `wrld world diff`: what the world changed since it began or since it left its parent, twin by twin.
import type { Entry } from '../../control/world/log/entry.ts';
import type { Command } from '../command.ts';
import { table } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';

type Diff = {
  readonly base: { readonly id: string | null; readonly at: string };
  readonly changes: readonly { readonly twin: string; readonly entry: Entry }[];
  readonly next?: string | null;
};

export const worldDiff: Command = {
  words: ['world', 'diff'],
  summary: 'the world’s own changes since its base',
  usage: REACH_USAGE,
  flags: REACH_FLAGS,
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world diff --branch shop-retry-1a2b', 'what happened in the branch, and not in its parent'],
  ],
  run: (given, around) =>
    askWorld<Diff>(
      'world diff',
      given,
      around,
      ({ client, own }) => client.get(own('diff')),
      ({ base, changes, next }) => {
        const { output } = around;
        output.line(
          output.ink('dim', base.id === null ? 'since its beginning' : `since ${base.id} at ${base.at}`),
        );
        const rows = changes.map(({ twin, entry }) => [
          twin,
          String(entry.position),
          entry.kind,
          entry.changes.map(({ op, type, id }) => `${op} ${type} ${id}`).join(', '),
        ]);
        if (rows.length === 0) output.line(output.ink('dim', 'No changes.'));
        else
          for (const line of table(output, ['twin', 'position', 'what', 'records'], rows)) output.line(line);
        if (next) output.line(output.ink('dim', 'and more: --json has the cursor'));
      },
    ),
};
