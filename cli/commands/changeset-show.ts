// `wrld world changeset show`, `diff` and `verify`: what a changeset would ask of which vendor, what it changes by record and
// field, and what the world's checks say of it.

import type { Action, ChangesetBody } from '../../control/world/changesets/changeset.ts';
import type { ChangesetRecord } from '../../control/world/changesets/changesets.ts';
import { netChanges } from '../../control/world/changesets/net-changes.ts';
import type { Receipt } from '../../control/world/log/entry.ts';
import type { Command, Surround } from '../command.ts';
import { fieldChanges } from '../field-changes.ts';
import type { Output } from '../output.ts';
import { askWorld, problemOf, REACH_FLAGS, REACH_USAGE, type ReachedWorld } from '../reached-world.ts';
import { printChangeset } from './changeset.ts';

type Whole = { readonly found: ChangesetRecord; readonly body: ChangesetBody };

const named = (around: Surround, words: string, name: string | undefined): name is string => {
  if (name === undefined) around.output.error(`wrld ${words} needs a name: wrld ${words} gold`);
  return name !== undefined;
};

const pathOf = (own: ReachedWorld['own'], name: string): string =>
  own(`changesets/${encodeURIComponent(name)}`);

/** The record and the body, as one answer. */
const readWhole = async ({ client, own }: ReachedWorld, name: string) => {
  const found = await client.get(pathOf(own, name));
  if (!found.ok || found.status !== 200) return found;
  const body = await client.get(`${pathOf(own, name)}?body=1`);
  return body.ok && body.status === 200 ? { ...body, body: { found: found.body, body: body.body } } : body;
};

export const worldChangesetShow: Command = {
  words: ['world', 'changeset', 'show'],
  summary: 'one changeset: what it asks of which vendor, and what became of that',
  usage: `<name> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world changeset show gold', 'each request, and its receipt once it was deployed']],
  run: async (given, around) => {
    const [name] = given.operands;
    if (!named(around, 'world changeset show', name)) return 2;
    return askWorld<Whole>(
      'world changeset show',
      given,
      around,
      world => readWhole(world, name),
      ({ found, body }) => {
        const { output } = around;
        printChangeset(output, found);
        const receipts = new Map(found.deployed.map(receipt => [receipt.actionId, receipt]));
        for (const action of body.actions) {
          output.line(`${output.ink('dim', action.actionId)}  ${action.service}  ${askedOf(action)}`);
          const receipt = receipts.get(action.actionId);
          if (receipt !== undefined) output.line(`    ${receiptLine(output, receipt)}`);
        }
      },
    );
  },
};

export const worldChangesetDiff: Command = {
  words: ['world', 'changeset', 'diff'],
  summary: 'what a changeset changes, by record and field',
  usage: `<name> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world changeset diff gold', 'each record that it made, changed or ended']],
  run: async (given, around) => {
    const [name] = given.operands;
    if (!named(around, 'world changeset diff', name)) return 2;
    return askWorld<Whole>(
      'world changeset diff',
      given,
      around,
      world => readWhole(world, name),
      ({ body }) => {
        for (const twin of Object.keys(body.base.twins)) printDiff(around.output, body, twin);
      },
    );
  },
};

export const worldChangesetVerify: Command = {
  words: ['world', 'changeset', 'verify'],
  summary: 'run the world’s checks over a changeset',
  usage: `<name> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world changeset verify gold', 'exits with 1 where a check fails, and says where']],
  run: async (given, around) => {
    const [name] = given.operands;
    if (!named(around, 'world changeset verify', name)) return 2;
    const { output } = around;
    let failed = false;
    const exit = await askWorld<ChangesetRecord>(
      'world changeset verify',
      given,
      around,
      async ({ client, own }) => {
        const asked = await client.send('POST', `${pathOf(own, name)}/verify`, undefined, { patient: true });
        if (problemOf(asked) !== null) return asked;
        const answered = await client.get(pathOf(own, name));
        failed = answered.ok && (answered.body as ChangesetRecord).verification?.ok !== true;
        return answered;
      },
      ({ verification }) => {
        for (const { check, entry, message } of verification?.failures ?? [])
          output.line(`${output.ink('red', check)}  ${entry}  ${message}`);
        if (!failed) output.line(output.ink('green', 'every check passes'));
      },
    );
    return exit === 0 && failed ? 1 : exit;
  },
};

/** `POST /v1/prices`; a record that an earlier action makes is named by its id here. */
function askedOf({ request: { method, path, query } }: Action): string {
  const text = (parts: typeof path): string =>
    parts.map(part => (typeof part === 'string' ? part : `<${part.$ref.id}>`)).join('');
  return `${method} ${text(path)}${query === undefined ? '' : `?${text(query)}`}`;
}

/** `deployed  prod_real  https://dashboard.stripe.com/…` */
export function receiptLine(output: Output, { status, externalId, url, reason }: Receipt): string {
  const ink = status === 'deployed' ? 'green' : status === 'landed' || status === 'skipped' ? 'dim' : 'red';
  return [output.ink(ink, status), externalId, url, reason].filter(part => part !== undefined).join('  ');
}

function printDiff(output: Output, { changes }: ChangesetBody, twin: string): void {
  for (const { type, id, before, after } of netChanges(changes, twin).values()) {
    if (before === null && after === null) continue;
    const [mark, ink] =
      before === null
        ? (['+', 'green'] as const)
        : after === null
          ? (['-', 'red'] as const)
          : (['~', 'yellow'] as const);
    output.line(`${output.ink(ink, mark)} ${twin} ${type} ${output.ink('bold', id)}`);
    if (after === null) continue;
    for (const { field, from, to } of fieldChanges(before ?? {}, after))
      output.line(
        `    ${field}: ${from === undefined ? '' : `${JSON.stringify(from)} → `}${to === undefined ? 'none' : JSON.stringify(to)}`,
      );
  }
}
