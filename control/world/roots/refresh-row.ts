// How far the copy of a root is, as its row has it: a restart goes on from there.
import type { Sql } from '../../ports/sql.ts';

export type RefreshRow = {
  /** Of the root that it is the copy of. */
  readonly url: string;
  /** Where the next page begins; null before the first. */
  readonly cursor: string | null;
  /** Counts the passes that told of everything. */
  readonly pass: number;
  /** Records of the pass that is under way, or was last. */
  readonly done: number;
  /** Wall time: when that pass began. */
  readonly began: number | null;
  readonly underWay: boolean;
  /** Wall time: when the last pass ended well. */
  readonly observed: number | null;
  /** Passes since then that did not. */
  readonly failures: number;
  readonly fault: string | null;
  readonly faultAt: number | null;
};

const NEVER: RefreshRow = {
  url: '',
  cursor: null,
  pass: 0,
  done: 0,
  began: null,
  underWay: false,
  observed: null,
  failures: 0,
  fault: null,
  faultAt: null,
};

type Row = {
  readonly url: string;
  readonly cursor: string | null;
  readonly pass: number;
  readonly done: number;
  readonly began: number | null;
  readonly under_way: number;
  readonly observed: number | null;
  readonly failures: number;
  readonly fault: string | null;
  readonly fault_at: number | null;
};

export const readRefresh = (sql: Pick<Sql, 'get'>, twin: string): RefreshRow => {
  const row = sql.get<Row>(
    'SELECT url, cursor, pass, done, began, under_way, observed, failures, fault, fault_at FROM refresh WHERE twin = ?',
    twin,
  );
  if (row === undefined) return NEVER;
  const { under_way: underWay, fault_at: faultAt, ...rest } = row;
  return { ...rest, underWay: underWay === 1, faultAt };
};

/** Inside a transaction: what was seen of a root is of no use for another one. */
export const forgetCopy = (sql: Pick<Sql, 'run'>, twin: string): void => {
  for (const table of ['refresh', 'observed']) sql.run(`DELETE FROM ${table} WHERE twin = ?`, twin);
};

/** Inside a transaction. */
export const writeRefresh = (sql: Pick<Sql, 'run'>, twin: string, row: RefreshRow): void => {
  sql.run(
    'INSERT OR REPLACE INTO refresh VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    twin,
    row.url,
    row.cursor,
    row.pass,
    row.done,
    row.began,
    row.underWay ? 1 : 0,
    row.observed,
    row.failures,
    row.fault,
    row.faultAt,
  );
};
