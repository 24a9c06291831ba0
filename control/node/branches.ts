// The branches of the worlds behind one listener: each is a store of its own under `.wrld/branches/<world>/`, and a
// row in its parent's. The row is written last and removed first, so whenever the process ends, the next start
// finds a whole branch or a folder without a row, which it removes. Which of them are open is the shelf's
// (branch-shelf.ts).
import { mkdir, rm } from 'node:fs/promises';
import type { Site } from '../http/site.ts';
import type { Branch, BranchAsk, BranchHost, BranchProblem, MadeBranch } from '../http/surroundings.ts';
import { BRANCHES_MAX } from '../world/limits.ts';
import { BranchList, type BranchRow, branchName, mayRemove } from '../world/past/branch-list.ts';
import { writeBase } from '../world/store/branch-base.ts';
import { formatInstant } from '../world/store/instant.ts';
import { writeBranchNote } from './branch-note.ts';
import { BranchShelf, type BranchShelfOptions } from './branch-shelf.ts';
import { inheritBrowsers } from './browser-files.ts';
import { openEntropy } from './entropy.ts';
import { openSite } from './hosted-site.ts';
import type { HostedWorld } from './hosted-world.ts';
import { BRANCH_LIMITS, TIMER_MS_MAX } from './limits.ts';
import type { RunList } from './runs.ts';
import { openSqlite } from './sqlite.ts';
import { wallClock } from './wall-clock.ts';

export type BranchesOptions = Omit<BranchShelfOptions, 'siteOf' | 'inTurn'> & {
  readonly runs: Pick<RunList, 'of'>;
};

export class Branches implements AsyncDisposable {
  readonly #options: BranchesOptions;
  readonly #shelf: BranchShelf;
  /** Of every branch's name: the world that all of them come from. */
  #stem = '';
  #turn: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: BranchesOptions) {
    this.#options = options;
    this.#shelf = new BranchShelf({
      ...options,
      siteOf: hosted => this.#siteOf(hosted),
      inTurn: work => this.#inTurn(work).finally(() => this.#arm()),
    });
  }

  /** The branches that one world makes and lists. */
  hostOf(parent: HostedWorld): BranchHost {
    const list = new BranchList(parent.sql);
    return {
      list: () => list.all().map(row => branchOf(row, parent.name)),
      make: ask => this.#inTurn(() => this.#make(parent, list, ask)),
      remove: name => this.#inTurn(() => this.#remove(parent, list, name)),
    };
  }

  /** Serves what is there of this world's branches and theirs; removes what expired meanwhile and what is no branch. */
  async open(root: HostedWorld): Promise<void> {
    this.#stem = root.name;
    await this.#shelf.fill(root);
    await this.#inTurn(() => this.#expire());
    // What they have to do by themselves is looked for beside the requests.
    void this.#shelf.lookIntoAll().then(() => this.#look());
  }

  /** Ends what follows their news, so that the listener does not wait for it. */
  hush(): void {
    for (const { open } of this.#shelf.all) open?.hosted.world.news.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#turn;
    await this.#shelf[Symbol.asyncDispose]();
  }

  async #make(parent: HostedWorld, list: BranchList, ask: BranchAsk): Promise<MadeBranch | BranchProblem> {
    if (this.#closed) return branchProblem(409, 'closing', 'The world is shutting down.');
    if (list.size >= BRANCHES_MAX)
      return branchProblem(
        409,
        'too-many-branches',
        `A world has at most ${BRANCHES_MAX} branches; remove some first.`,
      );
    const taken = (name: string): boolean => this.#shelf.isTaken(name) || list.has(name);
    const named = branchName(this.#stem, ask.label, { entropy: openEntropy(), taken });
    if (!named.ok) return branchProblem(400, 'bad-label', named.message);
    const { name } = named;
    const cut = await parent.world.past.cut(ask.at ?? null, ask.live ?? false);
    if (!cut.ok) return branchProblem(cut.why === 'catching-up' ? 503 : 400, cut.why, cut.message);
    const created = wallClock.now();
    const expires = ask.ttl === undefined ? null : created + ask.ttl * 1000;
    const files = this.#shelf.files(name);
    let hosted: HostedWorld | null = null;
    try {
      await mkdir(files.store, { recursive: true, mode: 0o700 });
      const sql = openSqlite(files.database);
      try {
        writeBase(sql, cut);
      } finally {
        sql.close();
      }
      await inheritBrowsers(parent.files.browsers, files.browsers);
      const row = { world: name, at: cut.origin.at, created, expires };
      await writeBranchNote(files.store, { parent: parent.name, row });
      hosted = await this.#shelf.host(name, parent);
      list.add({ ...row, positions: cut.positions });
      this.#shelf.put(row, parent.name, hosted);
    } catch (error) {
      await hosted?.[Symbol.asyncDispose]();
      await rm(files.store, { recursive: true, force: true });
      throw error;
    }
    this.#arm();
    parent.world.news.tell({ kind: 'branches' });
    const { write, read } = hosted.tokens;
    return {
      ok: true,
      name,
      token: write.reveal(),
      readToken: read.reveal(),
      expiresAt: expires === null ? null : formatInstant(expires),
    };
  }

  async #remove(
    parent: HostedWorld,
    list: BranchList,
    name: string,
  ): Promise<'removed' | 'unknown' | 'has-branches'> {
    if (!list.has(name)) return 'unknown';
    // What it says itself of its branches counts; one that cannot be opened has none that could be.
    const hosted = await this.#shelf.open(name).catch(() => undefined);
    if (hosted === undefined ? this.#shelf.hasBranches(name) : !mayRemove(hosted.sql)) return 'has-branches';
    list.remove(name);
    await this.#shelf.drop(name);
    await rm(this.#shelf.files(name).store, { recursive: true, force: true });
    if (!parent.world.news.closed) parent.world.news.tell({ kind: 'branches' });
    this.#arm();
    return 'removed';
  }

  /** One that has branches stays until they are gone, however long it has expired. */
  async #expire(): Promise<void> {
    const now = wallClock.now();
    for (const { row, parent } of this.#shelf.all) {
      if (row.expires === null || row.expires > now || this.#shelf.hasBranches(row.world)) continue;
      const left = await this.#shelf.open(parent);
      if (left !== undefined) await this.#remove(left, new BranchList(left.sql), row.world);
    }
  }

  /** What is to be done by now: branches that expired, have something to do by themselves, or are asked no more. */
  #look(): void {
    if (this.#closed) return;
    this.#inTurn(async () => {
      await this.#expire();
      await this.#shelf.wake();
      await this.#shelf.rest();
    })
      .catch(error => this.#options.host.log.error({ err: error }, 'the branches could not be looked after'))
      .finally(() => this.#arm());
  }

  #arm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#closed) return;
    const now = wallClock.now();
    const next = this.#shelf.all.flatMap(({ row }) =>
      row.expires !== null && !this.#shelf.hasBranches(row.world) ? [row.expires] : [],
    );
    const { wakesAt, hasOpen } = this.#shelf;
    if (wakesAt !== null) next.push(wakesAt);
    if (hasOpen) next.push(now + (this.#options.limits?.idleMs ?? BRANCH_LIMITS.idleMs));
    if (next.length === 0) return;
    const wait = Math.max(Math.min(...next) - now, 0);
    this.#timer = setTimeout(() => this.#look(), Math.min(wait, TIMER_MS_MAX)).unref();
  }

  #siteOf(hosted: HostedWorld): Site {
    const { host, runs } = this.#options;
    return openSite(hosted, host, {
      // Without the name of a run, the proxy answers for the world it was started for.
      proxyUrl: () => null,
      runs: runs.of(hosted.name),
      branches: this.hostOf(hosted),
    });
  }

  /** One after the other: a branch is not removed while it is branched off. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

const branchProblem = (status: BranchProblem['status'], code: string, message: string): BranchProblem => ({
  ok: false,
  status,
  code,
  message,
});

const branchOf = ({ world, at, created, expires }: BranchRow, from: string): Branch => ({
  name: world,
  from,
  at: formatInstant(at),
  createdAt: formatInstant(created),
  expiresAt: expires === null ? null : formatInstant(expires),
});
