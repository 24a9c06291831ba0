// What the world acknowledged, as its clients know it: the truth that a killed world is held against.

export type Branch = { readonly name: string; readonly token: string };

export type Acknowledged = {
  /** Customer → the last number that an acknowledged write gave it. */
  readonly customers: Map<string, number>;
  /** Customer → a number that was asked for and never answered: the world may have either. */
  readonly asked: Map<string, number>;
  readonly subscriptions: Set<string>;
  /** The clock is at least here. ISO 8601. */
  clock: string | null;
  readonly branches: Map<string, Branch>;
  /** Removals that were never answered: the branch may be there or not. */
  readonly doubtfulBranches: Set<string>;
  /** Files of backups that were made and are still to be checked, and how many customers were known before. */
  readonly backups: { readonly file: string; readonly known: number }[];
  /** The one host that the config grants. */
  granted: string;
  /** The log was held against its rules up to here. */
  position: number;
};

export function nothingYet(): Acknowledged {
  return {
    customers: new Map(),
    asked: new Map(),
    subscriptions: new Set(),
    clock: null,
    branches: new Map(),
    doubtfulBranches: new Set(),
    backups: [],
    granted: 'first.example',
    position: 0,
  };
}
