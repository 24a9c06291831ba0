// The branches that a world on the edge makes (4.9, 4.11): each is an object of its own, with a row in its parent's store
// and one in the inventory. The parent's row is first: what breaks off after it leaves a row without a world, which is
// dropped when the parent opens again.
import type { BranchAsk, BranchHost, BranchProblem, MadeBranch } from '../control/http/surroundings.ts';
import { BRANCHES_MAX } from '../control/world/limits.ts';
import { BranchList, branchName } from '../control/world/past/branch-list.ts';
import { formatInstant } from '../control/world/store/instant.ts';
import { entropy } from './entropy.ts';
import { type Env, inventoryOf, worldOf } from './env.ts';
import type { HostedWorld } from './hosted-world.ts';
import { wall } from './hosted-world.ts';
import { BRANCH_NAME_TRIES_MAX } from './limits.ts';
import { inventoryTwins, newTokens } from './new-world.ts';
import type { EdgeSql } from './sql.ts';
import { cutRecord, type TokenTexts } from './world-record.ts';

/** What a branch is asked to be besides, by the admin (4.11). */
export type NamedBranch = {
  /** `<org>/<world>`. */
  readonly name: string;
  readonly vendors: readonly string[];
  readonly owner: string | null;
  readonly tokens: Partial<TokenTexts>;
};

export type BranchMade = MadeBranch | BranchProblem;

type Parts = { readonly env: Env; readonly sql: EdgeSql; readonly hosted: () => HostedWorld };

export class BranchMaker implements BranchHost {
  readonly #parts: Parts;
  readonly #list: BranchList;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#list = new BranchList(parts.sql);
  }

  list(): ReturnType<BranchHost['list']> {
    const from = this.#parts.hosted().record.name;
    return this.#list.all().map(({ world, at, created, expires }) => ({
      name: world,
      from,
      at: formatInstant(at),
      createdAt: formatInstant(created),
      expiresAt: expires === null ? null : formatInstant(expires),
    }));
  }

  make(ask: BranchAsk, named?: NamedBranch): Promise<BranchMade> {
    const done = this.#turn.then(() => this.#make(ask, named ?? null));
    this.#turn = done.catch(() => {});
    return done;
  }

  async remove(name: string): ReturnType<BranchHost['remove']> {
    const removed = await inventoryOf(this.#parts.env).remove(name, this.#parts.hosted().record.name);
    if (removed === 'unknown' || removed === 'has-branches') return removed;
    this.gone(name);
    this.#tell();
    return 'removed';
  }

  /** Its object and its row in the inventory are gone. */
  gone(name: string): void {
    this.#list.remove(name);
  }

  /** Rows of branches that came to nothing. */
  async dropRest(): Promise<void> {
    if (this.#list.size === 0) return;
    const { env, hosted } = this.#parts;
    const known = new Set(await inventoryOf(env).branchesOf(hosted().record.name));
    for (const { world } of this.#list.all()) if (!known.has(world)) this.#list.remove(world);
  }

  async #make(ask: BranchAsk, named: NamedBranch | null): Promise<BranchMade> {
    const { env, hosted } = this.#parts;
    const { world, record } = hosted();
    if (this.#list.size >= BRANCHES_MAX)
      return no(409, 'too-many-branches', `A world has at most ${BRANCHES_MAX} branches; remove some first.`);
    const cut = await world.past.cut(ask.at ?? null, ask.live ?? false);
    if (!cut.ok) return no(cut.why === 'catching-up' ? 503 : 400, cut.why, cut.message);
    const created = wall.now();
    const expires = ask.ttl === undefined ? null : created + ask.ttl * 1000;
    const tokens = newTokens(named?.tokens);
    const vendors = named?.vendors ?? record.vendors;
    for (let tries = 0; tries < BRANCH_NAME_TRIES_MAX; tries++) {
      const name = named === null ? this.#draw(ask.label) : { ok: true as const, name: named.name };
      if (!name.ok) return no(400, 'bad-label', name.message);
      const row = { world: name.name, at: cut.origin.at, created, expires, positions: cut.positions };
      if (!this.#list.has(name.name)) this.#list.add(row);
      const added = await inventoryOf(env).add({
        record: {
          id: crypto.randomUUID(),
          name: name.name,
          root: record.root,
          vendors,
          baseUrl: record.baseUrl,
          parent: { name: record.name, cut: cutRecord(cut) },
        },
        ...tokens,
        owner: named?.owner ?? null,
        twins: inventoryTwins(vendors),
        expires,
      });
      if (added === 'added') {
        await worldOf(env, name.name).ready(name.name);
        this.#tell();
        return {
          ok: true,
          name: name.name,
          ...tokens,
          expiresAt: expires === null ? null : formatInstant(expires),
        };
      }
      if (!(await inventoryOf(env).branchesOf(record.name)).includes(name.name)) this.#list.remove(name.name);
      if (added === 'no-parent') return no(409, 'going', 'The world is being removed.');
      if (named !== null) return no(409, 'taken', `${named.name} is there already; take another name.`);
    }
    return no(503, 'no-name', 'No name was found for the branch; ask again, with a label.');
  }

  #draw(label: string | undefined): ReturnType<typeof branchName> {
    const { root } = this.#parts.hosted().record;
    return branchName(root, label, { entropy, taken: each => this.#list.has(each) });
  }

  #tell(): void {
    const { news } = this.#parts.hosted().world;
    if (!news.closed) news.tell({ kind: 'branches' });
  }
}

function no(status: BranchProblem['status'], code: string, message: string): BranchProblem {
  return { ok: false, status, code, message };
}
