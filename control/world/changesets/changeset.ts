// A changeset (2.6): a run of a world's own entries, and what asks a vendor for the same, made to be read, checked and
// approved by people, pushed to another world and deployed.
import type { Entry } from '../log/entry.ts';

/** A record that does not exist yet where the request goes: its id there stands in this one's place. */
export type Ref = { readonly $ref: { readonly type: string; readonly id: string } };

/** A text with references in it, in the order of its parts. */
export type Templated = readonly (string | Ref)[];

export type ActionRequest = {
  /** Upper case. */
  readonly method: string;
  readonly path: Templated;
  /** Without the `?`. */
  readonly query?: Templated;
  /** The vendor's own, in lower case. */
  readonly headers?: { readonly [name: string]: string };
  readonly body?: Templated;
  /** A body that is no text, or long. */
  readonly blob?: { readonly sha256: string; readonly bytes: number };
};

export type Action = {
  /** `a1`, `a2` …: unique in the changeset, in the order in which they were done. */
  readonly actionId: string;
  /** The vendor. */
  readonly service: string;
  readonly kind: 'create' | 'update' | 'delete' | 'call';
  /** What it is about; null of a call that made, changed and ended nothing that has a name. */
  readonly target: { readonly type: string; readonly id: string } | null;
  readonly request: ActionRequest;
  /** Ids of the entries that it made. */
  readonly entries: readonly string[];
  /** Ids of the actions whose records it names. */
  readonly dependsOn: readonly string[];
};

/** What the hash binds. */
export type ChangesetBody = {
  readonly name: string;
  readonly message: string;
  /** The world that it was cut in, and where each of the twins that it touches stood before. */
  readonly base: { readonly world: string; readonly twins: { readonly [twin: string]: number } };
  /** In the order of the log. */
  readonly changes: readonly { readonly twin: string; readonly entry: Entry }[];
  readonly actions: readonly Action[];
};

export type Approval = {
  readonly hash: string;
  /** Readiness counts persons: a key's approval is its person's. */
  readonly person: string;
  /** As the log names who signed (4.9). */
  readonly via: string;
  readonly note?: string;
  /** ISO 8601, wall time. */
  readonly at: string;
};

export type Verification = {
  readonly hash: string;
  readonly ok: boolean;
  /** ISO 8601, wall time. */
  readonly at: string;
  /** What the world's checks said, each that failed; `entry` is empty where it was the check itself. */
  readonly failures: readonly CheckFailure[];
  /** Failures that are not kept, beyond the first. */
  readonly more?: number;
  /** What checks printed, the beginning of it; those that printed nothing are missing. */
  readonly printed?: readonly { readonly check: string; readonly text: string }[];
};

export type CheckFailure = { readonly check: string; readonly entry: string; readonly message: string };
