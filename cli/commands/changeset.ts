// `wrld world changeset`: what was done in the world, cut into one thing that people read and approve (2.6).
import type { ChangesetRecord } from '../../control/world/changesets/changesets.ts';
import type { Command } from '../command.ts';
import { instantText, type Output, table } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';

export const worldChangeset: Command = {
  words: ['world', 'changeset'],
  summary: 'the world’s changesets, or one of them',
  usage: `[<name>] ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world changeset', 'all of them, newest first'],
    ['wrld world changeset new-prices', 'who approved it, and what it lacks'],
  ],
  run: (given, around) => {
    const [name] = given.operands;
    if (name !== undefined)
      return askWorld<ChangesetRecord>(
        'world changeset',
        given,
        around,
        ({ client, own }) => client.get(own(`changesets/${encodeURIComponent(name)}`)),
        found => printChangeset(around.output, found),
      );
    return askWorld<{ readonly changesets: readonly ChangesetRecord[] }>(
      'world changeset',
      given,
      around,
      ({ client, own }) => client.get(own('changesets')),
      ({ changesets }) => {
        const { output } = around;
        if (changesets.length === 0) {
          output.line(output.ink('dim', 'No changesets. Cut one: wrld world changeset cut "<message>"'));
          return;
        }
        const rows = changesets.map(each => [
          each.name,
          instantText(each.at),
          String(each.entries),
          standing(each),
          each.message.split('\n')[0] ?? '',
        ]);
        for (const line of table(output, ['name', 'cut', 'entries', 'standing', 'message'], rows))
          output.line(line);
      },
    );
  },
};

export const worldChangesetCut: Command = {
  words: ['world', 'changeset', 'cut'],
  summary: 'cut every change that is in no changeset yet into one',
  usage: `[<message>] [--name <name>] ${REACH_USAGE}`,
  flags: {
    name: { type: 'value', value: '<name>', does: 'what it is called; made up unless given' },
    ...REACH_FLAGS,
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world changeset cut "Gold plan, 20 a month" --name gold', 'for others to read and approve'],
  ],
  run: (given, around) => {
    const [message] = given.operands;
    const name = given.values.get('name');
    return askWorld<ChangesetRecord>(
      'world changeset cut',
      given,
      around,
      ({ client, own }) =>
        client.send('POST', own('changesets'), {
          ...(message === undefined ? {} : { message }),
          ...(name === undefined ? {} : { name }),
        }),
      found => printChangeset(around.output, found),
    );
  },
};

export const worldChangesetApprove: Command = {
  words: ['world', 'changeset', 'approve'],
  summary: 'sign what a changeset says now',
  usage: `<name> [--as <person>] [--note <text>] ${REACH_USAGE}`,
  flags: {
    as: { type: 'value', value: '<person>', does: 'who signs; a key signs as itself' },
    note: { type: 'value', value: '<text>', does: 'kept with the approval' },
    ...REACH_FLAGS,
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world changeset approve gold --as ann', 'one approval; the rules say how many it takes']],
  run: async (given, around) => {
    const [name] = given.operands;
    if (name === undefined) {
      around.output.error(
        'wrld world changeset approve needs a name: wrld world changeset approve gold --as ann',
      );
      return 2;
    }
    const as = given.values.get('as');
    const note = given.values.get('note');
    return askWorld<ChangesetRecord>(
      'world changeset approve',
      given,
      around,
      ({ client, own }) =>
        client.send('POST', own(`changesets/${encodeURIComponent(name)}/approve`), {
          ...(as === undefined ? {} : { as }),
          ...(note === undefined ? {} : { note }),
        }),
      found => printChangeset(around.output, found),
    );
  },
};

export function printChangeset(output: Output, found: ChangesetRecord): void {
  const { name, at, cutBy, message, entries, currentHash, readiness, approvals } = found;
  output.line(`${output.ink('bold', name)}  ${instantText(at)}  by ${cutBy}`);
  for (const line of message.split('\n')) output.line(`  ${line}`);
  output.line(output.ink('dim', `${entries} entries, ${currentHash}`));
  for (const { person, note, hash } of approvals) {
    const older = hash === currentHash ? '' : ' (of what it said before)';
    output.line(`approved by ${person}${note === undefined ? '' : `: ${note}`}${older}`);
  }
  output.line(
    readiness.ready
      ? output.ink('green', 'ready to be deployed')
      : `not ready: ${readiness.reasons.join(', ')}`,
  );
}

const standing = ({ readiness }: ChangesetRecord): string =>
  readiness.ready ? 'ready' : readiness.reasons.join(', ');
