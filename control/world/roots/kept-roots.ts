// The roots of a world's twins as its store has them (2.8).
import { parseJson } from '../../../policy/json-text.ts';
import type { Sql } from '../../ports/sql.ts';
import type { Root } from './root.ts';
import type { Rooted } from './vendor-places.ts';

const keyOf = (twin: string): string => `root:${twin}`;

export const keptRoots = (sql: Pick<Sql, 'get'>): Rooted => ({
  rootOf: twin => {
    const kept = sql.get<{ v: string }>('SELECT v FROM meta WHERE k = ?', keyOf(twin))?.v;
    const read = kept === undefined ? null : parseJson(kept);
    return read?.ok === true ? (read.value as Root) : null;
  },
});

/** Inside a transaction. */
export const keepRoot = (sql: Pick<Sql, 'run'>, twin: string, root: Root): void => {
  sql.run(
    'INSERT INTO meta(k, v) VALUES (?, ?) ON CONFLICT(k) DO UPDATE SET v = excluded.v',
    keyOf(twin),
    JSON.stringify(root),
  );
};
