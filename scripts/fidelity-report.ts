// docs/twins/fidelity.{json,md}: how true the twins are. What was measured comes from `npm run fidelity` and is kept in
// the JSON; the tiers are counted anew each time, so that neither of the files can say of a twin what was once so.
import { readFile } from 'node:fs/promises';
import type { Counted } from './constants.ts';
import type { Tier } from './coverage.ts';
import { LLM_CONSTANT_FIELDS } from './llm-constants.ts';
import { llmGaps } from './llm-gaps.ts';
import { smtpGaps } from './smtp-coverage.ts';
import { CONSTANT_FIELDS } from './stripe-constants.ts';
import { stripeGaps } from './stripe-gaps.ts';
import { describedTwins } from './twins.ts';

/** Counted, or the reason why there is nothing to count. */
export type Measured =
  | { readonly of: number; readonly good: number; readonly failed: readonly string[] }
  | { readonly skipped: string };

const KINDS = ['fixtures', 'exchanges', 'schema'] as const;
type Kind = (typeof KINDS)[number];
export type Measures = { readonly [kind in Kind]: Measured };
const GAPS = ['refused', 'ignored', 'constants'] as const;
type Gap = (typeof GAPS)[number];
/** Counted anew each time. */
type GapCounts = { readonly [gap in Gap]: Counted };
export type Fidelity = Measures & {
  readonly vendor: string;
  readonly counted: string;
  readonly tiers: { readonly [tier in Tier]: number };
  readonly gaps: GapCounts;
};

export const FIDELITY_JSON: URL = new URL('../docs/twins/fidelity.json', import.meta.url);
export const FIDELITY_PAGE: URL = new URL('../docs/twins/fidelity.md', import.meta.url);

const gapsOf = (vendor: string): GapCounts => {
  if (vendor === 'stripe') return stripeGaps();
  return vendor === 'openai' || vendor === 'anthropic' ? llmGaps(vendor) : smtpGaps();
};

export function reportOf(measures: (vendor: string) => Measures): readonly Fidelity[] {
  return describedTwins().map(({ manifest: { vendor }, coverage: { counted, tiers } }) => ({
    vendor,
    counted,
    tiers,
    gaps: gapsOf(vendor),
    ...measures(vendor),
  }));
}

/** The report that is published, with the tiers as they are now. */
async function published(): Promise<readonly Fidelity[]> {
  const held = JSON.parse(await readFile(FIDELITY_JSON, 'utf8')) as readonly Fidelity[];
  return reportOf(vendor => {
    const found = held.find(each => each.vendor === vendor);
    if (found === undefined) throw new Error(`${vendor} was never measured. Run: npm run fidelity`);
    const { fixtures, exchanges, schema } = found;
    return { fixtures, exchanges, schema };
  });
}

export const makeFidelityJson = async (): Promise<string> => fidelityJson(await published());
export const makeFidelityPage = async (): Promise<string> => fidelityPage(await published());

export function fidelityJson(report: readonly Fidelity[]): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

const MEANT: { readonly [kind in Kind]: string } = {
  fixtures:
    '**fixtures fired**: Stripe’s own recipes for `stripe trigger`, each in a world of its own: every step answers, the ' +
    'event it is named after is told, and its delivery passes the SDK’s check of the signature.',
  exchanges:
    '**exchanges compared**: recorded answers of the vendor that the twin answers alike, in status and shape.',
  schema:
    '**objects whole**: of the objects in the events of those worlds, and of the answers to what `test/fidelity/llm-calls.ts` ' +
    'asks of models, those that have every field the SDK declares as always there, of its kind.',
};

const percent = (part: number, whole: number): string =>
  `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
export const shown = (measured: Measured, none = '–'): string =>
  'skipped' in measured ? none : `${measured.good} of ${measured.of}`;

const gapShown = ({ missing, of }: Counted): string => `${missing.length} of ${of}`;

function row({ vendor, counted, tiers, gaps, fixtures, exchanges, schema }: Fidelity): string {
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
    ...GAPS.map(gap => gapShown(gaps[gap])),
  ];
  return `| ${cells.join(' | ')} |`;
}

const GAP_MEANT: { readonly [gap in Gap]: string } = {
  refused:
    '**parameters refused**: of the parameters that the vendor declares of modelled operations, nested ones too, those that ' +
    'the twin does not model. A request with one is refused, and the refusal names it.',
  ignored:
    '**ignored**: of the parameters that are taken, those that no answer shows and no line reads of the operation’s own file ' +
    'and of what that imports, two imports deep. Read from the source by name, so one that shares its name with another there may hide.',
  constants:
    '**constants**: of the fields of objects that are written by hand, those that no line of the twin gives another value ' +
    'than the one they begin with, each with the reason why. Read from the source likewise.',
};

/** Why something was not measured, once for all twins with the same reason. */
function reasons(report: readonly Fidelity[], of: (each: Fidelity) => Measured): string[] {
  const found = new Map<string, string[]>();
  for (const each of report) {
    const { vendor } = each;
    const measured = of(each);
    if ('skipped' in measured) found.set(measured.skipped, [...(found.get(measured.skipped) ?? []), vendor]);
  }
  return [...found].map(([reason, vendors]) => `  - not for ${vendors.join(', ')}: ${reason}.`);
}

/** What did not hold, a line each. */
export function failuresOf(report: readonly Fidelity[]): string[] {
  return report.flatMap(of =>
    KINDS.flatMap(kind => {
      const measured = of[kind];
      return 'skipped' in measured ? [] : measured.failed.map(each => `- ${of.vendor}, ${kind}: ${each}`);
    }),
  );
}

/** What is ignored and what is constant, by name: who reads an answer can see whether it is one of these. */
function gapList({ vendor, gaps: { ignored, constants } }: Fidelity): string[] {
  const list = (gap: Gap, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', `## ${vendor}: ${gap}`, '', ...lines];
  return [
    ...list(
      'ignored',
      [...grouped(ignored.missing)].map(([of, held]) => `- ${of}: ${held.join(', ')}`),
    ),
    ...list(
      'constants',
      reasonsOf(vendor, constants).map(
        ({ why, fields }) => `- ${fields.map(name => `\`${name}\``).join(', ')}: ${why}.`,
      ),
    ),
  ];
}

const reasonsOf = (vendor: string, { missing }: Counted): typeof CONSTANT_FIELDS =>
  missing.length === 0 ? [] : vendor === 'stripe' ? CONSTANT_FIELDS : (LLM_CONSTANT_FIELDS[vendor] ?? []);

/** `refunds.create: amount` under its operation. */
function grouped(names: readonly string[]): ReadonlyMap<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const [operation = '', parameter = ''] = name.split(': ');
    const of = `\`${operation}\``;
    groups.set(of, [...(groups.get(of) ?? []), `\`${parameter}\``]);
  }
  return groups;
}

export function fidelityPage(report: readonly Fidelity[]): string {
  const failed = failuresOf(report);
  return [
    '# How true the twins are',
    '',
    'Written by `npm run fidelity`. Do not edit. The same for machines: [fidelity.json](fidelity.json); each operation',
    'and its tier: [the list of twins](README.md). A constant, an ignored parameter and an unmodelled part are counted, never hidden.',
    '',
    '| twin | of | modelled | generic | unmodelled | answered | fixtures fired | exchanges compared | objects whole | parameters refused | ignored | constants |',
    '|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...report.map(row),
    '',
    ...KINDS.flatMap(kind => [`- ${MEANT[kind]}`, ...reasons(report, each => each[kind])]),
    ...GAPS.map(gap => `- ${GAP_MEANT[gap]}`),
    ...report.flatMap(gapList),
    ...(failed.length === 0 ? [] : ['', '## What failed', '', ...failed]),
    '',
  ].join('\n');
}
