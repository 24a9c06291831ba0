// The grants of one world, as look-ups that take the same time for ten grants and for a hundred thousand.
import type { Scheme } from './ask.ts';
import type { Permit } from './decision.ts';
import type { Grant } from './grant.ts';
import { PrefixMap } from './prefix-map.ts';

/** The paths granted on one origin, for reads or for writes. */
export class PathGrants {
  #whole = false;
  #exact: Set<string> | null = null;
  #subtrees: PrefixMap<true> | null = null;

  get whole(): boolean {
    return this.#whole;
  }

  add(grant: Grant): void {
    if (grant.kind === 'origin') this.#whole = true;
    else if (grant.kind === 'exact') (this.#exact ??= new Set()).add(grant.path);
    else (this.#subtrees ??= new PrefixMap()).add(grant.path, true);
  }

  /** The path is `target` up to `end`; a query is not part of a grant. */
  permits(target: string, end: number): boolean {
    if (this.#whole) return true;
    if (this.#exact?.has(end === target.length ? target : target.slice(0, end))) return true;
    return this.#subtrees?.longest(target, end) === true;
  }
}

/** What one world grants on one origin. */
export type OriginGrants = {
  readonly permit: Permit;
  egress: PathGrants | null;
  writes: PathGrants | null;
  passthrough: boolean;
};

export class GrantTable {
  readonly #hosts = new Map<string, Map<number, OriginGrants>>();
  #size = 0;

  /** How many grants it was given. */
  get size(): number {
    return this.#size;
  }

  add(list: 'egress' | 'writes' | 'passthrough', grant: Grant, permit: (grant: Grant) => Permit): void {
    this.#size++;
    let origins = this.#hosts.get(grant.host);
    if (origins === undefined) this.#hosts.set(grant.host, (origins = new Map()));
    const key = portKey(grant.scheme, grant.port);
    let origin = origins.get(key);
    if (origin === undefined) {
      origin = { permit: permit(grant), egress: null, writes: null, passthrough: false };
      origins.set(key, origin);
    }
    if (list === 'passthrough') origin.passthrough = true;
    else (origin[list] ??= new PathGrants()).add(grant);
  }

  find(scheme: Scheme, host: string, port: number): OriginGrants | undefined {
    return this.#hosts.get(host)?.get(portKey(scheme, port));
  }
}

/** A scheme and a port as one small integer: no text is put together to look an origin up. */
function portKey(scheme: Scheme, port: number): number {
  return scheme === 'https' ? port * 2 + 1 : port * 2;
}
