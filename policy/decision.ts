// What `decide` answers. A closed union: each arm carries only what its executor needs.

import type { Scheme } from './ask.ts';
import type { Host } from './authority.ts';
import type { RefusalRecord } from './refusal.ts';

declare const permitBrand: unique symbol;

/**
 * Leave to dial one origin. Only `decide` makes one, and the dialler takes nothing else, so a connection
 * that policy did not allow cannot be written.
 */
export type Permit = {
  readonly [permitBrand]: true;
  readonly scheme: Scheme;
  readonly host: Host;
  readonly port: number;
  /** The address the name is pinned to (`runtime.extraHosts`), else null: one DNS look-up. */
  readonly address: string | null;
  /** True where the address asked for may itself be a loopback one (own loopback, or a pinned address). */
  readonly loopback: boolean;
  /** The name may lead to public addresses only: a real vendor is in none of the machine's own networks. */
  readonly outside?: true;
};

export type Decision =
  | { readonly to: 'twin'; readonly vendor: string; readonly path: string }
  /** Raw bytes to a TCP twin's host and port: the twin's stream of that id (2.4 `streams`). */
  | { readonly to: 'stream'; readonly vendor: string; readonly stream: string }
  /** The world's own endpoints; `permit` leads to the one of `Snapshot.endpoints` that was asked for. */
  | { readonly to: 'world'; readonly permit: Permit; readonly path: string }
  /** The application under test; `permit` leads to its `runtime.app.upstream`. */
  | { readonly to: 'app'; readonly permit: Permit; readonly path: string }
  | { readonly to: 'service'; readonly permit: Permit; readonly path: string }
  /** `path` is the resolved target to forward, never the raw one. */
  | { readonly to: 'egress'; readonly permit: Permit; readonly path: string }
  | { readonly to: 'tunnel'; readonly permit: Permit }
  | { readonly to: 'refuse'; readonly refusal: RefusalRecord };
