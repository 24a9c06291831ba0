// One command that says how true the twins are: writes docs/twins/fidelity.{md,json}. `--check` fails where a
// fixture does not fire or an object is not whole.
import { writeFile } from 'node:fs/promises';
import { type Fired, fireTriggers } from '../test/kit/stripe-triggers.ts';
import type { Tier } from './coverage.ts';
import { describedTwins } from './twins.ts';

/** Counted, or the reason why there is nothing to count. */
type Measured =
  | { readonly of: number; readonly good: number; readonly failed: readonly string[] }
  | { readonly skipped: string };

type Fidelity = {
  readonly vendor: string;
  readonly counted: string;
  readonly tiers: { readonly [tier in Tier]: number };
  readonly fixtures: Measured;
  readonly exchanges: Measured;
  readonly schema: Measured;
};

const FOLDER: URL = new URL('../docs/twins/', import.meta.url);

const NO_FIXTURES = 'nobody publishes trigger fixtures for it';
const NO_FOLDER = '../shared/fixtures/stripe-triggers is not beside this project';
const NO_EXCHANGES = 'no npm package holds recorded exchanges with it';
const NO_SCHEMA =
  'its SDK declares types and carries no schema; the SDK’s own parser reads every answer in the tests';
const NO_MAIL_SCHEMA = 'its answers are lines; nodemailer reads them in the tests';

const fired = await fireTriggers();
const report = describedTwins().map(({ manifest: { vendor }, coverage }): Fidelity => {
  const isStripe = vendor === 'stripe';
  return {
    vendor,
    counted: coverage.counted,
    tiers: coverage.tiers,
    fixtures: isStripe ? firedOf(fired) : { skipped: NO_FIXTURES },
    exchanges: { skipped: NO_EXCHANGES },
    schema: isStripe ? wholeOf(fired) : { skipped: vendor === 'smtp' ? NO_MAIL_SCHEMA : NO_SCHEMA },
  };
});

function firedOf(all: readonly Fired[] | null): Measured {
  if (all === null) return { skipped: NO_FOLDER };
  const failed = all.flatMap(({ name, why }) => (why === null ? [] : [`${name}: ${why}`]));
  return { of: all.length, good: all.length - failed.length, failed };
}

/** Objects in the events that the fixtures caused, against the SDK's declarations. */
function wholeOf(all: readonly Fired[] | null): Measured {
  if (all === null) return { skipped: NO_FOLDER };
  const of = all.reduce((sum, { objects }) => sum + objects, 0);
  const faulty = all.reduce((sum, { faulty: count }) => sum + count, 0);
  const failed = [...new Set(all.flatMap(({ name, faults }) => faults.map(fault => `${name}: ${fault}`)))];
  return { of, good: of - faulty, failed };
}

const percent = (part: number, whole: number): string =>
  `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
const shown = (measured: Measured, none = '–'): string =>
  'skipped' in measured ? none : `${measured.good} of ${measured.of}`;
const tiers = ({ modelled, generic, unmodelled }: Fidelity['tiers']): string =>
  [modelled, generic, unmodelled, percent(modelled + generic, modelled + generic + unmodelled)].join(' | ');

const KINDS = ['fixtures', 'exchanges', 'schema'] as const;
const failed = report.flatMap(row =>
  KINDS.flatMap(kind => {
    const measured = row[kind];
    return 'skipped' in measured ? [] : measured.failed.map(each => `- ${row.vendor}, ${kind}: ${each}`);
  }),
);
const reasons = new Map<string, string[]>();
for (const row of report) {
  for (const kind of KINDS) {
    const measured = row[kind];
    if (!('skipped' in measured)) continue;
    const key = `${kind}: ${measured.skipped}`;
    reasons.set(key, [...(reasons.get(key) ?? []), row.vendor]);
  }
}
const lines = [
  '# How true the twins are',
  '',
  'Written by `npm run fidelity`. Do not edit. The same for machines: [fidelity.json](fidelity.json); each operation',
  'and its tier: [the list of twins](README.md).',
  '',
  '| twin | modelled | generic | unmodelled | answered | fixtures fired | exchanges compared | objects whole |',
  '|---|---:|---:|---:|---:|---:|---:|---:|',
  ...report.map(
    row =>
      `| [${row.vendor}](${row.vendor}.md) | ${tiers(row.tiers)} | ${shown(row.fixtures)} | ${shown(row.exchanges, '0')} | ${shown(row.schema)} |`,
  ),
  '',
  '- **modelled, generic, unmodelled**: of the operations there are, as the vendor’s SDK can ask for them.',
  ...report.map(({ vendor, counted }) => `  ${vendor}: ${counted}.`),
  '- **fixtures fired**: Stripe’s own `stripe trigger` recipes, each in a world of its own: every step answers, the event',
  '  it is named after is told, and its delivery passes the SDK’s check of the signature.',
  '- **objects whole**: of the objects in the events of those worlds, those that have every field the SDK declares as',
  '  always there, of its kind.',
  ...[...reasons].map(([reason, vendors]) => `- Not measured for ${vendors.join(', ')}: ${reason}.`),
  ...(failed.length === 0 ? [] : ['', '## What failed', '', ...failed]),
  '',
];
await writeFile(new URL('fidelity.md', FOLDER), lines.join('\n'));
await writeFile(new URL('fidelity.json', FOLDER), `${JSON.stringify(report, null, 2)}\n`);
for (const row of report) {
  console.log(
    `${row.vendor}: ${row.tiers.modelled} modelled, ${row.tiers.generic} generic, ${row.tiers.unmodelled} unmodelled; ` +
      `fixtures ${'skipped' in row.fixtures ? `skipped: ${row.fixtures.skipped}` : shown(row.fixtures)}`,
  );
}
for (const line of failed) console.log(line);
if (process.argv.includes('--check') && failed.length > 0) process.exitCode = 1;
