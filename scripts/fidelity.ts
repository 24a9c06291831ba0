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

const NO_FOLDER = '../shared/fixtures/stripe-triggers is not beside this project';
const NO_FIXTURES = 'nobody publishes fixtures of their events';
const NO_EXCHANGES = 'no npm package holds recorded exchanges with these vendors';
const NO_SCHEMA =
  'their SDKs declare types and carry no schema; the SDKs’ own parsers read every answer in the tests';
const NO_MAIL_SCHEMA = 'its answers are lines, which nodemailer reads in the tests';

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

const KINDS = ['fixtures', 'exchanges', 'schema'] as const;
const MEANT: { readonly [kind in (typeof KINDS)[number]]: string } = {
  fixtures:
    '**fixtures fired**: Stripe’s own recipes for `stripe trigger`, each in a world of its own: every step answers, the ' +
    'event it is named after is told, and its delivery passes the SDK’s check of the signature.',
  exchanges:
    '**exchanges compared**: recorded answers of the vendor that the twin answers alike, in status and shape.',
  schema:
    '**objects whole**: of the objects in the events of those worlds, those that have every field the SDK declares as ' +
    'always there, of its kind.',
};

const percent = (part: number, whole: number): string =>
  `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
const shown = (measured: Measured, none = '–'): string =>
  'skipped' in measured ? none : `${measured.good} of ${measured.of}`;

function row({ vendor, counted, tiers, fixtures, exchanges, schema }: Fidelity): string {
  const { modelled, generic, unmodelled } = tiers;
  const all = modelled + generic + unmodelled;
  const cells = [
    `[${vendor}](${vendor}.md)`,
    `${all} ${counted}`,
    modelled,
    generic,
    unmodelled,
    percent(modelled + generic, all),
    shown(fixtures),
    shown(exchanges, '0'),
    shown(schema),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Why something was not measured, once for all twins with the same reason. */
function reasons(kind: (typeof KINDS)[number]): string[] {
  const found = new Map<string, string[]>();
  for (const { vendor, [kind]: measured } of report) {
    if ('skipped' in measured) found.set(measured.skipped, [...(found.get(measured.skipped) ?? []), vendor]);
  }
  return [...found].map(([reason, vendors]) => `  - not for ${vendors.join(', ')}: ${reason}.`);
}

const failed = report.flatMap(of =>
  KINDS.flatMap(kind => {
    const measured = of[kind];
    return 'skipped' in measured ? [] : measured.failed.map(each => `- ${of.vendor}, ${kind}: ${each}`);
  }),
);
const lines = [
  '# How true the twins are',
  '',
  'Written by `npm run fidelity`. Do not edit. The same for machines: [fidelity.json](fidelity.json); each operation',
  'and its tier: [the list of twins](README.md).',
  '',
  '| twin | of | modelled | generic | unmodelled | answered | fixtures fired | exchanges compared | objects whole |',
  '|---|---|---:|---:|---:|---:|---:|---:|---:|',
  ...report.map(row),
  '',
  ...KINDS.flatMap(kind => [`- ${MEANT[kind]}`, ...reasons(kind)]),
  ...(failed.length === 0 ? [] : ['', '## What failed', '', ...failed]),
  '',
];
await writeFile(new URL('fidelity.md', FOLDER), lines.join('\n'));
await writeFile(new URL('fidelity.json', FOLDER), `${JSON.stringify(report, null, 2)}\n`);
for (const { vendor, tiers, fixtures } of report) {
  console.log(
    `${vendor}: ${tiers.modelled} modelled, ${tiers.generic} generic, ${tiers.unmodelled} unmodelled; ` +
      `fixtures ${'skipped' in fixtures ? `skipped: ${fixtures.skipped}` : shown(fixtures)}`,
  );
}
for (const line of failed) console.log(line);
if (process.argv.includes('--check') && failed.length > 0) process.exitCode = 1;
