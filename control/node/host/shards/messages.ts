// What the front of a host and its shards tell each other, over the channel that a process has with the one that started it.
// The requests of a world's clients do not go this way: they are HTTP on the shard's socket, as they came.

import type { Counts } from '../../../hosting/host-metrics.ts';
import type { HostProblem, HostWorlds, InventoryRow, MakeAsk } from '../../../hosting/host-worlds.ts';
import type { BudgetLimits } from '../../../world/access/budget.ts';
import type { BranchLimits } from '../../limits.ts';
import type { LogLevel } from '../../log.ts';
import type { Looking } from '../directory.ts';
import type { InventoryPage } from '../inventory-page.ts';

/**
 * Of what follows, as a number that is another wherever a front and a shard of two releases would not understand each other: a
 * front outlives an upgrade of its shards.
 */
export const SHARD_PROTOCOL = 3;

/** The first that a shard hears: which worlds are its own, and what its host was started with. */
export type Begin = {
  readonly kind: 'begin';
  /** From 0 to `of - 1`. */
  readonly shard: number;
  readonly of: number;
  /** Of the host: absolute and real. */
  readonly directory: string;
  /** The file of its notes of closed worlds (wake-notes.ts). */
  readonly wakes: string;
  /** The unix socket that it listens on; its folder is open to this user alone. */
  readonly socket: string;
  /** Where the front listens. */
  readonly listens: { readonly host: string; readonly port: number };
  readonly baseUrl: string;
  /** As the host was given it; null for none. */
  readonly givenBaseUrl: string | null;
  readonly suffix: string | null;
  readonly trust: readonly string[];
  readonly budget: BudgetLimits | null;
  readonly limits: Partial<BranchLimits>;
  readonly logLevel: LogLevel;
  /** Worlds that are not opened for so long from now, and why. */
  readonly barred: readonly BarredWorld[];
};

export type BarredWorld = { readonly world: string; readonly why: string; readonly forMs: number };

/** What the front asks of a shard, and what it is answered. */
export type Asks = {
  /** How it is. Its answer says that it is not held up. */
  readonly pulse: { readonly ask: null; readonly answer: Pulse };
  readonly counts: { readonly ask: null; readonly answer: Counts };
  /** Rows of its worlds whose names come after that one, sorted; fewer than asked for at the end alone. */
  readonly inventory: {
    readonly ask: { readonly after: string; readonly most: number; readonly seen: string | null };
    /** Null for the page of the stamp that was seen. */
    readonly answer: { readonly page: InventoryPage | null; readonly last: string | null };
  };
  readonly make: { readonly ask: MakeAsk; readonly answer: Awaited<ReturnType<HostWorlds['make']>> };
  /** A world and its branches that moved into the directory. */
  readonly arrived: {
    readonly ask: { readonly names: readonly string[] };
    readonly answer: readonly InventoryRow[];
  };
  readonly own: {
    readonly ask: { readonly name: string; readonly owner: string };
    readonly answer: { readonly ok: true } | HostProblem;
  };
  readonly rotate: { readonly ask: { readonly name: string }; readonly answer: Rotated };
  readonly remove: {
    readonly ask: { readonly name: string };
    readonly answer: { readonly ok: true } | HostProblem;
  };
};

export type Rotated = Awaited<ReturnType<HostWorlds['rotate']>>;

export type Pulse = { readonly worlds: number; readonly open: number };

export type AskKind = keyof Asks;

export type Ask = {
  readonly [K in AskKind]: { readonly of: K; readonly with: Asks[K]['ask'] };
}[AskKind];

export type ToShard =
  | Begin
  /** In the place of a beginning: it says what it speaks, and is ended. */
  | { readonly kind: 'speak' }
  | { readonly kind: 'ask'; readonly id: number; readonly ask: Ask }
  /** The front knows the names that came with that number. */
  | { readonly kind: 'known'; readonly id: number }
  /** What is open without an end ends, so that the front can drain. */
  | { readonly kind: 'hush' }
  /** Nobody asks it any more: it closes its worlds, and ends. */
  | { readonly kind: 'close' };

export type FromShard =
  | { readonly kind: 'speaks'; readonly protocol: number }
  /** Before it is up: how far it is with its part of the directory. */
  | { readonly kind: 'looking'; readonly looking: Looking }
  /** It listens, and has told its worlds. */
  | { readonly kind: 'up' }
  /** Why it does not start. */
  | { readonly kind: 'failed'; readonly why: string }
  /** Worlds of its that came and went, branches among them; with a number it waits to hear that they are known. */
  | {
      readonly kind: 'names';
      readonly id: number | null;
      /** These are all that it has. */
      readonly all: boolean;
      readonly come: readonly string[];
      readonly gone: readonly string[];
    }
  /** It is about to open a world, or has. */
  | { readonly kind: 'opening'; readonly name: string; readonly is: boolean }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Asks[AskKind]['answer'] }
  /** It failed at what was asked; its log says how. */
  | { readonly kind: 'fault'; readonly id: number };
