// Cutting (4.5): the entries of the world's own that are in no changeset yet become one.
import type { Sql } from '../../ports/sql.ts';
import { CHANGESET_MESSAGE_CHARS_MAX } from '../limits.ts';

/** As it stands in its row. */
export type Head = {
  readonly message: string;
  /** Where each of the twins that it touches stood before. */
  readonly twins: { readonly [twin: string]: number };
  /** Where it was cut; absent: here. */
  readonly world?: string;
  /** ISO 8601, wall time. */
  readonly at: string;
};

export type Cut = {
  readonly message?: string | undefined;
  readonly name?: string | undefined;
  /** As the log names who asked (2.6). */
  readonly by: string;
  /** Whose it is; null where nobody is named. */
  readonly owner: string | null;
};

export type CutFailure = {
  readonly ok: false;
  readonly why: 'nothing-to-cut' | 'message-required' | 'bad-message' | 'bad-name' | 'name-taken';
  readonly message: string;
};

export type CutResult = { readonly ok: true; readonly name: string } | CutFailure;

/** As a branch's and a browser's, so that it stands in a path as it is. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const nameFault = (name: string): CutFailure | null =>
  NAME.test(name)
    ? null
    : {
        ok: false,
        why: 'bad-name',
        message: 'A name is 1 to 63 lower-case letters, digits and hyphens, a hyphen neither first nor last.',
      };

export const messageFault = (message: string | undefined, bySummary: boolean): CutFailure | null => {
  if (message === undefined || message.trim() === '')
    return bySummary
      ? null
      : {
          ok: false,
          why: 'message-required',
          message:
            'A changeset says what it is for: `message`. (Rules with `summary` make it by themselves.)',
        };
  return message.length <= CHANGESET_MESSAGE_CHARS_MAX && message.isWellFormed()
    ? null
    : {
        ok: false,
        why: 'bad-message',
        message: `A message has at most ${CHANGESET_MESSAGE_CHARS_MAX} characters, all of them whole.`,
      };
};

/** What a root, a webhook or another world brought is not this world's own. */
const UNCUT = "changeset IS NULL AND actor IN ('client', 'system')";

/** Of the entries that no changeset has, by twin: how many, and the position before the first. */
export const uncut = (sql: Pick<Sql, 'all'>): readonly { twin: string; base: number; entries: number }[] =>
  sql.all(`SELECT twin, min(pos) - 1 AS base, count(*) AS entries FROM entry WHERE ${UNCUT} GROUP BY twin`);

/** Of a row that is inserted, by wall time: later than any before it, so that their order is known. */
export const LANDED = 'max(?, coalesce((SELECT max(landed) + 1 FROM changeset), 0))';

/** Inside a transaction. */
export const markCut = (sql: Pick<Sql, 'run'>, name: string): void => {
  sql.run(`UPDATE entry SET changeset = ? WHERE ${UNCUT}`, name);
};

/** `3 customer.created, 1 customer.deleted in stripe`. */
export const summaryOf = (sql: Pick<Sql, 'all'>): string => {
  const kinds = sql.all<{ twin: string; kind: string; n: number }>(
    `SELECT twin, kind, count(*) AS n FROM entry WHERE changeset IS NULL AND actor = 'client'
     GROUP BY twin, kind ORDER BY twin, n DESC, kind LIMIT 20`,
  );
  return [...Map.groupBy(kinds, ({ twin }) => twin)]
    .map(([twin, group]) => `${group.map(({ kind, n }) => `${n} ${kind}`).join(', ')} in ${twin}`)
    .join('; ');
};
