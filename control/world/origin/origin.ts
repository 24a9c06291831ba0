// The origin of a world (2.13, 4.7): another world whose history this one shares and goes on from. (The world that a branch
// left is its base, and another matter.) One thing at a time is done with it.
import type { WallClock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { DurableSql } from '../../ports/durability.ts';
import { Secret } from '../access/secret.ts';
import type { ChangesetRecord, Changesets } from '../changesets/changesets.ts';
import { ORIGIN_CONFLICTS_MAX, ORIGIN_LOOK_MS_MAX } from '../limits.ts';
import type { Entry } from '../log/entry.ts';
import type { EntryLog } from '../log/entry-log.ts';
import { ORIGIN_REF, type Seals } from '../seals/seals.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { BranchBase } from '../store/branch-base.ts';
import { formatInstant } from '../store/instant.ts';
import type { Threshold } from '../store/threshold.ts';
import { turn } from '../store/turn.ts';
import type { Ledger } from '../work/ledger.ts';
import type { Seat } from '../work/seat.ts';
import type { WorldClock } from '../work/world-clock.ts';
import { type AskOrigin, parsePlace } from './asking.ts';
import { branchesOn } from './branches-on.ts';
import { OriginClient } from './client.ts';
import type { Resolution } from './conflict.ts';
import { Fetching } from './fetching.ts';
import { Moving } from './moving.ts';
import { OriginFault } from './origin-fault.ts';
import { printOf } from './remote-entry.ts';
import { Sending } from './sending.ts';
import { SharedHistory } from './shared-history.ts';

export type OriginStatus =
  | { readonly origin: null }
  | {
      readonly origin: string;
      /** What this world has and the origin has not. */
      readonly ahead: { readonly changes: number; readonly changesets: number };
      /** Entries that the origin has and this world has not, of each twin that lacks any. */
      readonly behind: { readonly [twin: string]: number };
      /** When the origin was last asked; ISO 8601, wall time. */
      readonly asOf: string | null;
    };

export type Pulled = {
  /** Entries of the origin's that came, of each twin. */
  readonly pulled: { readonly [twin: string]: number };
  /** Entries of this world's own that have other positions now. */
  readonly moved: { readonly [twin: string]: number };
};

type Parts = {
  readonly sql: DurableSql;
  readonly blobs: BlobStore;
  readonly base: BranchBase;
  readonly digest: Digest;
  readonly wall: WallClock;
  readonly log: EntryLog;
  readonly clock: WorldClock;
  readonly ledger: Ledger;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly changesets: Changesets;
  readonly threshold: Threshold;
  /** Null on a host that seals nothing. */
  readonly seals: Seals | null;
  readonly ask: AskOrigin;
};

/** Does what changes the past, and has the world see it (World.rewrite). */
export type Rewrite = (work: () => void) => Promise<void>;

export class Origin {
  readonly #parts: Parts;
  readonly #shared: SharedHistory;
  readonly #fetching: Fetching;
  readonly #moving: Moving;
  readonly #sending: Sending;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    const shared = new SharedHistory(parts.sql);
    this.#shared = shared;
    this.#fetching = new Fetching({ ...parts, shared });
    this.#moving = new Moving({ ...parts, shared });
    this.#sending = new Sending({ ...parts, shared });
  }

  /** Whether the history of a twin is the origin's up to some position. */
  shares(twin: string): boolean {
    return this.#shared.share(twin).pos > 0;
  }

  /** The origin is asked how far it is; where it does not answer, what it said last. */
  async status(): Promise<OriginStatus> {
    const { threshold } = this.#parts;
    if (this.#shared.named?.off !== false) return { origin: null };
    await this.#look().catch(error => {
      if (!(error instanceof OriginFault)) throw error;
    });
    return threshold.pass(this.#told());
  }

  /** Names it and seals the token; null forgets both, and keeps the history. What it has is pulled apart from this. */
  name(url: string | null, token: string | null): Promise<void> {
    return this.#inTurn(() => this.#name(url, token));
  }

  /** Throws `OriginFault`. */
  pull(rewrite: Rewrite, resolutions: readonly Resolution[] = []): Promise<Pulled> {
    return this.#inTurn(() => this.#pull(rewrite, resolutions));
  }

  /** Throws `OriginFault`, whose `pushed` says what went before. */
  push(): Promise<readonly ChangesetRecord[]> {
    return this.#inTurn(() => this.#push());
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  #told(): OriginStatus {
    const { sql, seats, log } = this.#parts;
    const shared = this.#shared;
    const { url, asOf } = shared.named!;
    let changes = 0;
    const behind: { [twin: string]: number } = {};
    for (const twin of seats.keys()) {
      const { pos, head } = shared.share(twin);
      changes += Math.max(log.tip(twin) - pos, 0);
      if (head > pos) behind[twin] = head - pos;
    }
    const { n: changesets } = sql.get<{ n: number }>(
      `SELECT count(*) AS n FROM changeset WHERE name NOT IN (SELECT name FROM sent_changeset WHERE state = 'sent')`,
    )!;
    return { origin: url, ahead: { changes, changesets }, behind, asOf };
  }

  async #name(url: string | null, token: string | null): Promise<void> {
    const { sql, seals, base, threshold, seats } = this.#parts;
    const shared = this.#shared;
    const { named } = shared;
    if (url === null) {
      seals?.remove(ORIGIN_REF);
      if (named !== null) sql.durable(() => shared.name({ ...named, off: true }));
      return;
    }
    if (base.origin !== null)
      throw new OriginFault(
        'is-branch',
        'This is a branch: its history is that of the world it left, which may have an origin.',
      );
    const place = parsePlace(url);
    if (place === null)
      throw new OriginFault(
        'bad-url',
        '`url` is https://<host>/<org>/<world>, or http:// with an address of this machine in figures (127.0.0.1).',
      );
    if (token === null || token === '' || !/^[\x21-\x7e]{1,512}$/.test(token))
      throw new OriginFault('bad-token', '`token` is the token that opens the origin.');
    if (seals === null)
      throw new OriginFault(
        'no-sealer',
        'This host seals nothing, and a token is kept sealed or not at all.',
      );
    if (named !== null && named.url !== place.url && shared.shares.some(({ pos }) => pos > 0))
      throw new OriginFault(
        'other-origin',
        `This world shares its history with ${named.url}; make another world for another origin.`,
      );
    const client = new OriginClient(this.#parts.ask, { ...place, token });
    const heads = await headsOf(client);
    for (const twin of seats.keys()) await this.#fetching.isAnother(client, twin, this.#firstPrint(twin));
    const credential = { shown: { as: 'key', key: new Secret(token) }, signingSecret: null } as const;
    const seen = (): void => this.#seen(place.url, heads);
    if (!(await seals.put(ORIGIN_REF, credential, place.origin, seen)))
      throw new OriginFault('seal-away', 'Whoever seals does not answer now; ask again.');
    await threshold.waiting();
  }

  /** Of an entry that may be the origin's first too; null where there is nothing to be compared. */
  #firstPrint(twin: string): string | null {
    if (this.#shared.share(twin).pos > 0) return null;
    const [line] = this.#parts.log.page(twin, 0, 1).lines;
    return line === undefined ? null : printOf(JSON.parse(line.json) as Entry);
  }

  async #pull(rewrite: Rewrite, resolutions: readonly Resolution[]): Promise<Pulled> {
    const { seats, threshold, log } = this.#parts;
    const { client, url } = await this.#client();
    await this.#sending.settle(client);
    const before = new Map([...seats.keys()].map(twin => [twin, this.#shared.share(twin).pos]));
    for (const twin of seats.keys()) await this.#fetching.twin(client, twin);
    this.#parts.sql.transaction(() =>
      this.#seen(url, new Map([...seats.keys()].map(twin => [twin, this.#shared.fetched(twin)]))),
    );
    const moved: { [twin: string]: number } = {};
    for (let waiting = this.#moving.waiting; waiting.length > 0; waiting = this.#moving.waiting) {
      if (waiting.some(twin => this.#moving.hasOwn(twin))) {
        await this.#onto(rewrite, waiting, resolutions, moved);
        break;
      }
      for (const twin of waiting) {
        while (this.#moving.append(twin)) {
          this.#keepUp();
          await turn();
        }
        this.#keepUp();
      }
    }
    this.#keepUp();
    await threshold.waiting();
    log.forgetLines();
    const pulled: { [twin: string]: number } = {};
    for (const [twin, pos] of before) {
      const came = this.#shared.share(twin).pos - pos;
      if (came > 0) pulled[twin] = came;
    }
    return { pulled, moved };
  }

  /** Of several twins, at once: the origin's entries before this world's own. */
  async #onto(
    rewrite: Rewrite,
    twins: readonly string[],
    resolutions: readonly Resolution[],
    moved: { [twin: string]: number },
  ): Promise<void> {
    const { sql, changesets } = this.#parts;
    for (const name of this.#sending.unsent) {
      const { contentHash, currentHash } = (await changesets.get(name))!;
      if (contentHash !== currentHash)
        throw new OriginFault(
          'hash-changed',
          `The changeset ${name} was changed outside of the world since it was cut; moving it would hide that.`,
        );
    }
    await rewrite(() => {
      const moves = twins.map(twin => this.#moving.plan(twin, resolutions));
      const conflicts = moves.flatMap(move => move.conflicts);
      if (conflicts.length > 0)
        throw new OriginFault(
          'conflict',
          `The origin and this world changed the same ${conflicts.length === 1 ? 'field' : 'fields'}: ${conflicts
            .slice(0, 3)
            .map(({ twin, type, id, field }) => `${twin} ${type} ${id}${field === '' ? '' : ` ${field}`}`)
            .join(
              ', ',
            )}${conflicts.length > 3 ? ` and ${conflicts.length - 3} more` : ''}. Say of each which is to be.`,
          { conflicts: conflicts.slice(0, ORIGIN_CONFLICTS_MAX) },
        );
      const standing = branchesOn(
        sql,
        moves.filter(({ own }) => own.length > 0),
      );
      if (standing.length > 0)
        throw new OriginFault(
          'branch-stands-on',
          `Entries that the origin has not got would move, and ${standing.join(', ')} ${standing.length === 1 ? 'stands' : 'stand'} on them: remove the branch, or push first.`,
        );
      this.#moving.apply(moves);
      for (const { twin, own } of moves) if (own.length > 0) moved[twin] = own.length;
    });
    for (const name of this.#sending.unsent) await changesets.get(name);
  }

  /** The clock is not behind what has happened. */
  #keepUp(): void {
    const { clock, log } = this.#parts;
    if (clock.frozen && clock.now() < log.lastAt) clock.set(formatInstant(log.lastAt));
  }

  async #push(): Promise<readonly ChangesetRecord[]> {
    const { threshold, log } = this.#parts;
    const { client } = await this.#client();
    await this.#sending.settle(client);
    const pushed: ChangesetRecord[] = [];
    for (const name of this.#sending.unsent) {
      try {
        pushed.push(await this.#sending.send(client, name));
      } catch (error) {
        if (!(error instanceof OriginFault)) throw error;
        throw new OriginFault(error.why, error.message, {
          ...error.details,
          pushed: pushed.map(each => each.name),
        });
      }
    }
    log.forgetLines();
    await threshold.waiting();
    return pushed;
  }

  async #look(): Promise<void> {
    const { client, url } = await this.#client();
    const heads = await headsOf(client);
    this.#parts.sql.transaction(() => this.#seen(url, heads));
  }

  /** Inside a transaction. */
  #seen(url: string, heads: ReadonlyMap<string, number>): void {
    const { seats, wall } = this.#parts;
    this.#shared.name({ url, asOf: formatInstant(wall.now()), off: false });
    for (const [twin, head] of heads)
      if (seats.has(twin)) this.#shared.put({ ...this.#shared.share(twin), head });
  }

  async #client(): Promise<{ readonly client: OriginClient; readonly url: string }> {
    const { named } = this.#shared;
    if (named === null || named.off)
      throw new OriginFault('no-origin', 'This world has no origin; name one: wrld world origin set <url>');
    const place = parsePlace(named.url)!;
    const opened = await this.#parts.seals?.open(ORIGIN_REF, place.origin);
    if (opened?.ok && opened.credential.shown.as === 'key') {
      const token = opened.credential.shown.key.reveal();
      return { client: new OriginClient(this.#parts.ask, { ...place, token }), url: place.url };
    }
    if (opened?.ok === false && opened.why === 'away')
      throw new OriginFault('seal-away', 'The origin’s token cannot be opened now; ask again.');
    throw new OriginFault(
      'seal-unreadable',
      `The origin’s token is not to be opened here; set it again: wrld world origin set ${named.url}`,
    );
  }
}

/** How far each twin is there. Throws `OriginFault`. */
const headsOf = async (client: OriginClient): Promise<ReadonlyMap<string, number>> => {
  const { status, value } = await client.get('map', { timeoutMs: ORIGIN_LOOK_MS_MAX });
  const { twins } = (value ?? {}) as { readonly twins?: unknown };
  if (status !== 200 || !Array.isArray(twins))
    throw new OriginFault('no-world', `What is at that URL is no world (it answers ${status}).`);
  const heads = new Map<string, number>();
  for (const each of twins as readonly { readonly twin?: unknown; readonly position?: unknown }[])
    if (typeof each?.twin === 'string' && Number.isSafeInteger(each.position))
      heads.set(each.twin, each.position as number);
  return heads;
};
