// `wrld world changeset show`, `diff` and `verify`: what a changeset would ask of which vendor, what it changes by record and
// field, and what the world's checks say of it.

import type { Action, ChangesetBody } from '../../control/world/changesets/changeset.ts';
import type { ChangesetRecord } from '../../control/world/changesets/changesets.ts';
import type { Receipt } from '../../control/world/log/entry.ts';
import type { TwinReport } from '../../control/world/report/reports.ts';
import type { Command, Surround } from '../command.ts';
import type { Output } from '../output.ts';
import { askWorld, problemOf, REACH_FLAGS, REACH_USAGE, type ReachedWorld } from '../reached-world.ts';
import { many, type ToldReport } from '../report/report.ts';
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
    return askWorld<ToldReport>(
      'world changeset diff',
      given,
      around,
      ({ client, own }) => client.get(own(`report?changeset=${encodeURIComponent(name)}`)),
      ({ twins }) => {
        for (const twin of twins) printChanges(around.output, twin);
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

const MARKS = {
  created: ['+', 'green'],
  changed: ['~', 'yellow'],
  ended: ['-', 'red'],
  passed: ['±', 'dim'],
} as const;

function printChanges(output: Output, { twin, records, recordsLeft, told }: TwinReport): void {
  for (const { fate, type, id, name, fields, fieldsLeft } of records) {
    const [mark, ink] = MARKS[fate];
    const called = name === null ? '' : `  “${name}”`;
    output.line(`${output.ink(ink, mark)} ${twin} ${type} ${output.ink('bold', id)}${called}`);
    if (fate === 'ended' || fate === 'passed') continue;
    for (const change of fields) {
      const was = 'before' in change ? `${JSON.stringify(change.before)} → ` : '';
      output.line(`    ${change.field}: ${was}${'after' in change ? JSON.stringify(change.after) : 'none'}`);
    }
    if (fieldsLeft > 0) output.line(output.ink('dim', `    and ${many(fieldsLeft, 'more field')}`));
  }
  if (recordsLeft > 0) output.line(output.ink('dim', `and ${many(recordsLeft, 'more record')}`));
  for (const { type, count } of told)
    output.line(output.ink('dim', `and ${count} of ${type}, which tell of these`));
}
