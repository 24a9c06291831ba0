// The rules of a world's changesets (2.13, 4.5): how many persons must sign, and who writes the message.
import type { Sql } from '../../ports/sql.ts';
import { APPROVALS_MAX } from '../limits.ts';
import type { ChangesetRules } from './readiness.ts';

const KEY = 'rules';

export type RulesResult =
  | { readonly ok: true; readonly rules: ChangesetRules }
  | { readonly ok: false; readonly message: string };

/** `{ changesets: { approvals?, summary? } }`, of anything. */
export const parseRules = (value: unknown): RulesResult => {
  const changesets = isObject(value) ? value['changesets'] : undefined;
  if (!isObject(changesets) || Object.keys(value as object).length !== 1)
    return { ok: false, message: 'Rules are { changesets: { approvals?, summary? } }.' };
  const { approvals, summary, ...more } = changesets;
  const [other] = Object.keys(more);
  if (other !== undefined)
    return { ok: false, message: `There is no rule “${other}”: approvals and summary are.` };
  const counts =
    Number.isSafeInteger(approvals) && (approvals as number) >= 0 && (approvals as number) <= APPROVALS_MAX;
  if (approvals !== undefined && !counts)
    return { ok: false, message: `\`approvals\` is a whole number from 0 to ${APPROVALS_MAX}.` };
  if (summary !== undefined && typeof summary !== 'boolean')
    return { ok: false, message: '`summary` is true or false.' };
  return {
    ok: true,
    rules: {
      ...(approvals === undefined ? {} : { approvals: approvals as number }),
      ...(summary === undefined ? {} : { summary }),
    },
  };
};

export const readRules = (sql: Pick<Sql, 'get'>): ChangesetRules => {
  const kept = sql.get<{ v: string }>('SELECT v FROM meta WHERE k = ?', KEY)?.v;
  return kept === undefined ? {} : (JSON.parse(kept) as ChangesetRules);
};

/** Inside a transaction. */
export const writeRules = (sql: Pick<Sql, 'run'>, rules: ChangesetRules): void => {
  sql.run(
    'INSERT INTO meta(k, v) VALUES (?, ?) ON CONFLICT(k) DO UPDATE SET v = excluded.v',
    KEY,
    JSON.stringify(rules),
  );
};

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
