// Changesets on their way to the origin (4.7), oldest first. That one is on its way is kept before it is sent: an answer
// that is lost leaves it to be asked for, and what the origin has it is not sent again.
import type { WallClock } from '../../ports/clock.ts';
import type { DurableSql } from '../../ports/durability.ts';
import { bodyText } from '../changesets/body-text.ts';
import type { ChangesetRecord, Changesets } from '../changesets/changesets.ts';
import type { Receipt } from '../log/entry.ts';
import { type OriginClient, wordsOf } from './client.ts';
import { OriginFault } from './origin-fault.ts';
import { printOf, readRemote } from './remote-entry.ts';
import type { SharedHistory } from './shared-history.ts';

type Parts = {
  readonly sql: DurableSql;
  readonly wall: WallClock;
  readonly changesets: Changesets;
  readonly shared: SharedHistory;
};

const STATUSES: readonly string[] = ['deployed', 'landed', 'refused', 'failed', 'skipped'];

export class Sending {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Of this world's own, those that the origin has not got, oldest first. */
  get unsent(): readonly string[] {
    return this.#parts.sql
      .all<{ name: string }>(
        `SELECT name FROM changeset WHERE NOT EXISTS (
           SELECT 1 FROM sent_changeset AS sent WHERE sent.name = changeset.name AND sent.state = 'sent')
         ORDER BY landed, (SELECT max(pos) FROM entry WHERE changeset = changeset.name)`,
      )
      .map(({ name }) => name);
  }

  /** What was on its way when the world ended, or whose answer was lost: the origin says whether it came. */
  async settle(client: OriginClient): Promise<void> {
    const { sql, changesets, shared } = this.#parts;
    for (const [name, state] of shared.sent) {
      if (state === 'sent') continue;
      const own = await changesets.get(name);
      const { status, value } = await client.get(`changesets/${name}`);
      const { contentHash } = (value ?? {}) as { readonly contentHash?: unknown };
      if (own !== null && status === 200 && contentHash === own.contentHash)
        await this.#arrived(client, own, value);
      else sql.durable(() => shared.mark(name, null));
    }
  }

  /** Throws `OriginFault`; what came before it is there. */
  async send(client: OriginClient, name: string): Promise<ChangesetRecord> {
    const { sql, changesets, shared } = this.#parts;
    const own = (await changesets.get(name))!;
    if (own.contentHash !== own.currentHash)
      throw new OriginFault(
        'hash-changed',
        `The changeset ${name} was changed outside of the world since it was cut; it is not pushed.`,
      );
    sql.durable(() => shared.mark(name, 'sending'));
    const { status, value } = await client.post('push', bodyText(changesets, own));
    if (status === 200) {
      await this.#arrived(client, own, value);
      return (await changesets.get(name))!;
    }
    sql.durable(() => shared.mark(name, null));
    const { error } = (value ?? {}) as {
      readonly error?: { readonly details?: { readonly drift?: unknown } };
    };
    const drift = error?.details?.drift;
    throw new OriginFault(
      status === 409 && drift !== undefined ? 'origin-moved' : 'origin-refuses',
      `The origin did not take ${name} (${status}): ${wordsOf(value)}`,
      drift === undefined ? {} : { drift },
    );
  }

  async #arrived(client: OriginClient, { name, base }: ChangesetRecord, value: unknown): Promise<void> {
    const { sql, shared } = this.#parts;
    const prints = new Map<string, { readonly pos: number; readonly print: string }>();
    for (const twin of Object.keys(base.twins)) {
      const pos = sql.get<{ pos: number | null }>(
        'SELECT max(pos) AS pos FROM entry WHERE changeset = ? AND twin = ?',
        name,
        twin,
      )?.pos;
      if (pos == null) continue;
      const { value: page } = await client.get(`log/${encodeURIComponent(twin)}?after=${pos - 1}`);
      const { entries } = (page ?? {}) as { readonly entries?: readonly unknown[] };
      const there = readRemote(entries?.[0], twin, pos);
      if (there === null)
        throw new OriginFault('no-world', `The origin took ${name}, and its log of ${twin} lacks it.`);
      prints.set(twin, { pos, print: printOf(there) });
    }
    const receipts = receiptsIn(value);
    const confirmed = receipts.some(({ status }) => status === 'deployed');
    sql.durable(() => {
      shared.mark(name, 'sent');
      sql.run('UPDATE changeset SET applied = ? WHERE name = ?', confirmed ? 'confirmed' : 'replayed', name);
      for (const [twin, place] of prints) shared.put({ ...shared.share(twin), ...place });
      for (const receipt of receipts) this.#keep(name, receipt);
    });
  }

  /** One that is settled stays as it is. */
  #keep(name: string, { actionId, service, status, at, externalId, url, reason }: Receipt): void {
    this.#parts.sql.run(
      `INSERT INTO receipt(name, action, service, status, external, url, reason, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT(name, action) DO UPDATE SET status = excluded.status, external = excluded.external,
         url = excluded.url, reason = excluded.reason, at = excluded.at WHERE receipt.status = 'landed'`,
      name,
      actionId,
      service,
      status,
      externalId ?? null,
      url ?? null,
      reason ?? null,
      Date.parse(at) || this.#parts.wall.now(),
    );
  }
}

const receiptsIn = (value: unknown): readonly Receipt[] => {
  const { deployed } = (value ?? {}) as { readonly deployed?: unknown };
  if (!Array.isArray(deployed)) return [];
  return deployed.filter(
    (each): each is Receipt =>
      typeof each === 'object' &&
      each !== null &&
      [each.actionId, each.service, each.at].every(text => typeof text === 'string') &&
      STATUSES.includes(each.status) &&
      [each.externalId, each.url, each.reason].every(text => text === undefined || typeof text === 'string'),
  );
};
