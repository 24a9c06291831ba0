// What makes an object the world of a name. The inventory has it first; the object takes it over when it is first asked,
// so that a world is whole however far its making came.
import type { Cut } from '../control/world/past/past.ts';

export type WorldRecord = {
  /** Of this world among all that ever had its name. */
  readonly id: string;
  /** `<org>/<world>`. */
  readonly name: string;
  /** Of the world that the line of branches began with, which is itself for a world that is no branch. */
  readonly root: string;
  readonly vendors: readonly string[];
  /** As the host was called when it was made. */
  readonly baseUrl: string;
  /** The world that it left, and where; null for a world that is no branch. */
  readonly parent: {
    readonly name: string;
    /** Null for one that moved here: its store says it. */
    readonly cut: CutRecord | null;
  } | null;
};

/** With its tokens, which an object is told once and keeps by their hashes. */
export type NewWorld = { readonly record: WorldRecord; readonly tokens: TokenTexts };

export type TokenTexts = { readonly token: string; readonly readToken: string };

/** A cut as JSON. The sources of checks are too long for a row: the branch asks its parent for them. */
export type CutRecord = Omit<Cut, 'ok' | 'positions' | 'review'> & {
  readonly positions: { readonly [twin: string]: number };
};

export const cutRecord = ({ ok: _ok, review: _review, positions, ...rest }: Cut): CutRecord => ({
  ...rest,
  positions: Object.fromEntries(positions),
});

export const cutOf = ({ positions, ...rest }: CutRecord): Omit<Cut, 'ok' | 'review'> => ({
  ...rest,
  positions: new Map(Object.entries(positions)),
});
