// Links (4.7): other vendors' origins that a world forwards to under a name, where no twin stands in for them.
import { isMachineName } from '../../../policy/machine-name.ts';
import { parseVendorOrigin } from '../../../policy/vendor-place.ts';
import type { DurableSql } from '../../ports/durability.ts';
import { LINK_NAME_CHARS_MAX, LINKS_MAX } from '../limits.ts';

export type Link = { readonly name: string; readonly origin: string };

export type LinkResult =
  | { readonly ok: true; readonly link: Link }
  | {
      readonly ok: false;
      readonly why: 'bad-name' | 'bad-origin' | 'name-taken' | 'too-many';
      readonly message: string;
    };

type Parts = {
  readonly sql: DurableSql;
  readonly vendors: readonly string[];
};

const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

export class Links {
  readonly #parts: Parts;
  /** By name; read when it is first asked for. */
  #kept: Map<string, string> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  list(): readonly Link[] {
    return [...this.#read()].map(([name, origin]) => ({ name, origin }));
  }

  originOf(name: string): string | null {
    return this.#read().get(name) ?? null;
  }

  put(name: string, origin: unknown): LinkResult {
    const { sql, vendors } = this.#parts;
    if (name.length > LINK_NAME_CHARS_MAX || !NAME.test(name))
      return no(
        'bad-name',
        `A link’s name is 1 to ${LINK_NAME_CHARS_MAX} lower-case letters, digits and hyphens.`,
      );
    if (vendors.includes(name))
      return no('name-taken', `The world has a twin “${name}”; a link has a name of its own.`);
    const read = typeof origin === 'string' ? parseVendorOrigin('link', origin) : null;
    if (read === null || !read.ok)
      return no(
        'bad-origin',
        `\`origin\` is https:// and a host name${read === null ? '' : `: ${read.why}`}.`,
      );
    if (isMachineName(read.host) || !read.host.includes('.'))
      return no('bad-origin', '`origin` names a machine of this network; a link leads outside of it.');
    const kept = this.#read();
    if (!kept.has(name) && kept.size >= LINKS_MAX)
      return no('too-many', `A world has at most ${LINKS_MAX} links; remove one.`);
    sql.durable(() =>
      sql.run(
        'INSERT INTO link(name, origin) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET origin = excluded.origin',
        name,
        read.origin,
      ),
    );
    this.#kept = null;
    return { ok: true, link: { name, origin: read.origin } };
  }

  /** False when there is none. */
  remove(name: string): boolean {
    if (this.originOf(name) === null) return false;
    const { sql } = this.#parts;
    sql.durable(() => sql.run('DELETE FROM link WHERE name = ?', name));
    this.#kept = null;
    return true;
  }

  /** What was read may not be what is kept any more. */
  forget(): void {
    this.#kept = null;
  }

  #read(): Map<string, string> {
    this.#kept ??= new Map(
      this.#parts.sql
        .all<{ name: string; origin: string }>('SELECT name, origin FROM link ORDER BY name')
        .map(({ name, origin }) => [name, origin]),
    );
    return this.#kept;
  }
}

const no = (why: Extract<LinkResult, { ok: false }>['why'], message: string): LinkResult => ({
  ok: false,
  why,
  message,
});
