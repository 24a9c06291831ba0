// `wrld world report`: what was done to which vendor, made to be pasted into a pull request. The first screen says what
// happened and what to look at; the rest is folded away.
import type { FieldChange } from '../../control/world/report/fields.ts';
import type { PlannedAction } from '../../control/world/report/planned-actions.ts';
import type { RecordChange } from '../../control/world/report/record-changes.ts';
import type { TwinReport } from '../../control/world/report/reports.ts';
import {
  REPORT_ACTIONS_SHOWN_MAX,
  REPORT_CHARS_MAX,
  REPORT_RECORDS_SHOWN_MAX,
  REPORT_ROWS_SHOWN_MAX,
} from '../limits.ts';
import { code, escaped, folded, htmlText, tableOf } from './markdown-text.ts';
import { many, type ToldReport } from './report.ts';

/** How many of each are told; of the others, how many there are. */
type Bounds = { readonly records: number; readonly rows: number; readonly actions: number };

/** No longer than a code host takes of a comment: of a long one fewer records are told. */
export function reportMarkdown(report: ToldReport): string {
  let bounds: Bounds = {
    records: REPORT_RECORDS_SHOWN_MAX,
    rows: REPORT_ROWS_SHOWN_MAX,
    actions: REPORT_ACTIONS_SHOWN_MAX,
  };
  for (;;) {
    const text = markdownWithin(report, bounds);
    if (text.length <= REPORT_CHARS_MAX || bounds.records + bounds.rows + bounds.actions === 0) return text;
    const { records, rows, actions } = bounds;
    bounds = { records: half(records), rows: half(rows), actions: half(actions) };
  }
}

const half = (count: number): number => Math.floor(count / 2);

function markdownWithin(report: ToldReport, bounds: Bounds): string {
  const { world, branchOf, changeset, from, entriesLeft, twins, refusals } = report;
  const of = changeset === null ? '' : `, changeset ${code(changeset)}`;
  const branch = branchOf === null ? '' : `, a branch of ${code(branchOf)}`;
  const lines: string[] = [
    '## What was done to the vendors',
    '',
    `In ${code(world)}${branch}${of}${from === null ? '' : `, since ${from}`}. Their twins answered.`,
    '',
    ...summary(report),
    '',
  ];
  if (twins.length === 0 && refusals.length === 0) lines.push('Nothing happened.', '');
  for (const twin of twins) lines.push(...twinSection(twin, bounds));
  lines.push(...refusalSection(report, bounds), ...actionSection(report, bounds));
  if (entriesLeft > 0)
    lines.push(`_${entriesLeft} newer entries are not in this report: narrow it with \`--since\`._`, '');
  return `${lines.join('\n').trimEnd()}\n`;
}

function summary({ twins, refusals, actions, actionsLeft }: ToldReport): readonly string[] {
  if (twins.length === 0) return [];
  const rows = twins.map(({ twin, records, recordsLeft, operations, webhooks }) => {
    const fates = ['created', 'changed', 'ended'].map(
      fate => records.filter(each => each.fate === fate).length,
    );
    const requests = operations.reduce((sum, each) => sum + each.requests, 0);
    return [
      code(twin),
      ...fates.map(
        (count, nth) => `${count}${nth === 0 && recordsLeft > 0 ? ` (and ${recordsLeft} records more)` : ''}`,
      ),
      String(requests),
      tiersOf(operations) || 'all modelled',
      webhooks.failed === 0
        ? String(webhooks.delivered)
        : `${webhooks.delivered}, **${webhooks.failed} failed**`,
    ];
  });
  const refused = refusals.reduce((sum, { count }) => sum + count, 0);
  const skipped = actions.filter(action => action.skipped !== null).length;
  const planned = actions.length - skipped + actionsLeft;
  return [
    ...tableOf(['Vendor', 'Created', 'Changed', 'Ended', 'Requests', 'Operations', 'Webhooks'], rows),
    '',
    `A deploy would perform ${many(planned, 'action')}${skipped === 0 ? '' : ` and skip ${skipped}`}.${refused === 0 ? '' : ` **${many(refused, 'request')} refused.**`}`,
  ];
}

function twinSection(report: TwinReport, bounds: Bounds): readonly string[] {
  const { twin, records, recordsLeft, told } = report;
  const lines: string[] = [`### ${code(twin)}`, ''];
  const own = records.filter(({ asked }) => asked);
  const followed = records.filter(({ asked }) => !asked);
  const shown = own.slice(0, bounds.records);
  for (const record of shown) lines.push(...recordLines(record));
  const more = own.length - shown.length + recordsLeft;
  if (more > 0) lines.push(`_and ${more} more records_`, '');
  if (followed.length > 0) {
    const inside = followed.slice(0, bounds.records).flatMap(recordLines);
    const left = followed.length - bounds.records;
    if (left > 0) inside.push(`_and ${left} more records_`);
    lines.push(
      ...folded(
        `${many(followed.length, 'record')} that nobody asked for: what the vendor does by itself`,
        inside,
      ),
    );
  }
  if (told.length > 0)
    lines.push(`Besides: ${told.map(({ type, count }) => `${count} ${code(type)}`).join(', ')}.`, '');
  lines.push(...operationLines(report, bounds), ...webhookLines(report, bounds));
  return lines;
}

const VERBS = { created: 'created', changed: 'changed', ended: 'ended', passed: 'made and ended' } as const;

function recordLines({
  type,
  id,
  name,
  fate,
  fields,
  fieldsLeft,
  first,
  last,
  entries,
}: RecordChange): string[] {
  const known = name === null ? '' : ` “${htmlText(name)}”`;
  const where = entries === 1 ? first : `${first} to ${last}, ${many(entries, 'entry', 'entries')}`;
  const title = `<b>${VERBS[fate]}</b> ${htmlText(type)}${known} <code>${htmlText(id)}</code> (${htmlText(where)})`;
  if (fields.length === 0) return [`<p>${title}</p>`, ''];
  const rows = fields.map(change => [code(change.field), sideOf(change, 'before'), sideOf(change, 'after')]);
  const whole =
    fate === 'created'
      ? tableOf(
          ['Field', 'Value'],
          rows.map(([field, , after]) => [field!, after!]),
        )
      : tableOf(['Field', 'Before', 'After'], rows);
  const more = fieldsLeft > 0 ? ['', `_and ${many(fieldsLeft, 'more field')}_`] : [];
  return [...folded(title, [...whole, ...more])];
}

function sideOf(change: FieldChange, side: 'before' | 'after'): string {
  return side in change ? code(valueText(change[side])) : '';
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** How many are not modelled; empty when all are. */
function tiersOf(operations: TwinReport['operations']): string {
  const weak = Map.groupBy(
    operations.filter(({ tier }) => tier !== 'modelled'),
    ({ tier }) => tier,
  );
  return [...weak].map(([tier, { length }]) => `**${length} ${tier}**`).join(', ');
}

function operationLines({ operations, operationsLeft }: TwinReport, bounds: Bounds): readonly string[] {
  if (operations.length === 0) return [];
  const rows = operations
    .slice(0, bounds.rows)
    .map(({ route, tier, requests, errors, unmatched }) => [
      code(route),
      tier === 'modelled' ? tier : `**${tier}**`,
      String(requests),
      String(errors),
      unmatched === 0 ? '' : String(unmatched),
    ]);
  const left = Math.max(0, operations.length - bounds.rows) + operationsLeft;
  const weak = tiersOf(operations).replaceAll('*', '');
  const title = `${many(operations.length + operationsLeft, 'operation')} used${weak === '' ? '' : `: ${weak}`}`;
  return folded(title, [
    ...tableOf(['Operation', 'Tier', 'Requests', 'Errors', 'Unmatched'], rows),
    ...(left > 0 ? ['', `_and ${left} more_`] : []),
    '',
    'Modelled operations behave as the vendor’s, generic ones keep what they are given, unmodelled ones are refused.',
  ]);
}

function webhookLines(
  { webhooks: { delivered, failed, failures } }: TwinReport,
  bounds: Bounds,
): readonly string[] {
  if (delivered + failed === 0) return [];
  if (failed === 0) return [`${many(delivered, 'webhook')} delivered.`, ''];
  const rows = failures
    .slice(0, bounds.rows)
    .map(({ event, url, attempts, why }) => [code(event), code(url), String(attempts), escaped(why)]);
  const left = failed - rows.length;
  return [
    `${many(delivered, 'webhook')} delivered, **${failed} failed**:`,
    '',
    ...tableOf(['Event', 'To', 'Attempts', 'Why'], rows),
    '',
    ...(left > 0 ? [`_and ${left} more_`, ''] : []),
  ];
}

function refusalSection({ refusals, refusalsLeft }: ToldReport, bounds: Bounds): readonly string[] {
  if (refusals.length === 0) return [];
  const rows = refusals
    .slice(0, bounds.rows)
    .map(({ rule, target, reason, count }) => [code(rule), code(target), String(count), escaped(reason)]);
  const left = Math.max(0, refusals.length - bounds.rows) + refusalsLeft;
  return [
    '### Refused',
    '',
    'What the world let nobody ask:',
    '',
    ...tableOf(['Rule', 'Target', 'Times', 'Why, and what would help'], rows),
    '',
    ...(left > 0 ? [`_and ${left} more_`, ''] : []),
  ];
}

function actionSection({ actions, actionsLeft }: ToldReport, bounds: Bounds): readonly string[] {
  if (actions.length === 0) return [];
  const shown = actions.slice(0, bounds.actions);
  const left = actions.length - shown.length + actionsLeft;
  const rows = shown.map(({ actionId, twin, kind, target, method, path, query, skipped }) => [
    actionId,
    code(twin),
    kind,
    target === null ? '' : `${code(target.type)}${target.name === null ? '' : ` ${escaped(target.name)}`}`,
    code(`${method} ${path}${query === undefined ? '' : `?${query}`}`),
    skipped === null ? '' : `skipped: ${escaped(skipped)}`,
  ]);
  return [
    '### What a deploy would perform',
    '',
    ...tableOf(['', 'Vendor', 'Kind', 'Of', 'Request', ''], rows),
    '',
    ...(left > 0 ? [`_and ${left} more_`, ''] : []),
    ...folded('with their fields', shown.flatMap(actionLines)),
  ];
}

function actionLines({ actionId, fields, fieldsLeft, text, blob }: PlannedAction): readonly string[] {
  const lines: string[] = [];
  if (fields.length > 0)
    lines.push(
      ...tableOf(
        [actionId, 'Value'],
        fields.map(change => [code(change.field), sideOf(change, 'after')]),
      ),
    );
  if (fieldsLeft > 0) lines.push('', `_and ${many(fieldsLeft, 'more field')}_`);
  if (text !== undefined) lines.push(`${actionId}: ${code(text)}`);
  if (blob !== undefined) lines.push(`${actionId}: ${blob.bytes} bytes, SHA-256 ${code(blob.sha256)}`);
  return lines.length === 0 ? [] : [...lines, ''];
}
