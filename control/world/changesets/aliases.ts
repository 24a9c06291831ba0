// Ids that a vendor replaced (3): an app that holds the id a record had before goes on with it. What it sends is exchanged
// at the door, before the twin sees it; a world without such ids has nothing to look at.
import type { Call, CallHeaders } from '../../../twins/kit/call.ts';
import type { Sql } from '../../ports/sql.ts';
import { exchanged, type IdMap } from './id-token.ts';

export class Aliases {
  readonly #sql: Pick<Sql, 'all' | 'run'>;
  /** Null until it is asked for. */
  #kept: Map<string, Map<string, string>> | null = null;

  constructor(sql: Pick<Sql, 'all' | 'run'>) {
    this.#sql = sql;
  }

  /** What was known may have been lost. */
  forget(): void {
    this.#kept = null;
  }

  /** Undefined for a twin of which no id was replaced. */
  of(twin: string): IdMap | undefined {
    return this.#known().get(twin);
  }

  /** Inside the transaction of the entry at `position`; `note` when that is done. */
  write(twin: string, pairs: IdMap, position: number): void {
    for (const [old, now] of pairs)
      this.#sql.run(
        `INSERT INTO alias(twin, old, new, pos) VALUES (?, ?, ?, ?)
         ON CONFLICT(twin, old) DO UPDATE SET new = excluded.new, pos = excluded.pos`,
        twin,
        old,
        now,
        position,
      );
  }

  note(twin: string, pairs: IdMap): void {
    if (pairs.size === 0) return;
    const byTwin = this.#known();
    const known = byTwin.get(twin) ?? new Map<string, string>();
    for (const [old, now] of pairs) known.set(old, now);
    byTwin.set(twin, known);
  }

  #known(): Map<string, Map<string, string>> {
    if (this.#kept !== null) return this.#kept;
    const rows = this.#sql.all<{ twin: string; old: string; new: string }>(
      'SELECT twin, old, new FROM alias',
    );
    const byTwin = new Map<string, Map<string, string>>();
    for (const { twin, old, new: now } of rows) {
      const known = byTwin.get(twin) ?? new Map<string, string>();
      byTwin.set(twin, known.set(old, now));
    }
    this.#kept = byTwin;
    return byTwin;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const TEXTS = /^(?:application\/(?:[a-z0-9.+-]*json|x-www-form-urlencoded))(?:;|$)/i;

/** A call as its twin sees it. Bodies are JSON or forms; in any other, bytes are bytes. `named`: headers that may name ids. */
export const exchangedCall = (call: Call, aliases: IdMap, named: readonly string[] = []): Call => ({
  ...call,
  path: exchanged(call.path, aliases),
  query: exchanged(call.query, aliases),
  headers: exchangedHeaders(call.headers, aliases, named),
  body: exchangedBody(call.body, call.headers['content-type'], aliases),
});

const exchangedHeaders = (headers: CallHeaders, aliases: IdMap, named: readonly string[]): CallHeaders => {
  let told = headers;
  for (const name of named) {
    const value = headers[name];
    if (typeof value !== 'string') continue;
    const now = exchanged(value, aliases);
    if (now !== value) told = { ...told, [name]: now };
  }
  return told;
};

/** The same bytes where they are neither, or name none. */
export const exchangedBody = (
  body: Uint8Array,
  type: string | readonly string[] | undefined,
  aliases: IdMap,
): Uint8Array => {
  if (body.length === 0 || typeof type !== 'string' || !TEXTS.test(type)) return body;
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    return body;
  }
  const told = exchanged(text, aliases);
  return told === text ? body : encoder.encode(told);
};
