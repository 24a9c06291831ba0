// Who deploys a changeset (3): a row of the store, there from the beginning of a deploy until its end. Whoever opens the world
// after a crash finds it, and goes on in the place of the one before.
import type { DurableSql } from '../../ports/durability.ts';
import type { Sql } from '../../ports/sql.ts';

/** `auto`: what was pushed, for the roots that ask for it. `all`: because somebody said so. */
export type DeployMode = 'auto' | 'all';

type Lease = { readonly name: string; readonly mode: DeployMode };

/** On disk before it returns. */
export const takeLease = (sql: DurableSql, { name, mode }: Lease, holder: string): void => {
  sql.durable(() => wantDeploy(sql, { name, mode }, holder));
};

/** Inside a transaction: a deploy that is to begin, whatever happens after. */
export const wantDeploy = (sql: Pick<Sql, 'run'>, { name, mode }: Lease, holder = ''): void => {
  sql.run(
    `INSERT INTO deploying(name, holder, mode) VALUES (?, ?, ?)
     ON CONFLICT(name) DO UPDATE SET holder = excluded.holder, mode = excluded.mode`,
    name,
    holder,
    mode,
  );
};

export const endLease = (sql: Sql, name: string, holder: string): void => {
  sql.transaction(() => sql.run('DELETE FROM deploying WHERE name = ? AND holder = ?', name, holder));
};

/** It may not be deployed, whoever wanted it. */
export const abandonDeploy = (sql: Sql, name: string): void => {
  sql.transaction(() => sql.run('DELETE FROM deploying WHERE name = ?', name));
};

/** Deploys that have not ended. */
export const openLeases = (sql: Pick<Sql, 'all'>): readonly Lease[] =>
  sql.all<Lease & { readonly name: string; readonly mode: DeployMode }>(
    'SELECT deploying.name, mode FROM deploying LEFT JOIN changeset ON changeset.name = deploying.name ORDER BY landed',
  );
