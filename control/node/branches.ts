// The branches of the worlds behind one listener: each is a store of its own under `.wrld/branches/<world>/`, and a
// row in its parent's. The row is written last and removed first, so whenever the process ends, the next start
// finds a whole branch or a folder without a row, which it removes. Which of them are open is the shelf's
// (world-shelf.ts).
import { mkdir, rm } from 'node:fs/promises';
import type { Site } from '../http/site.ts';
import type {
  Branch,
  BranchAsk,
  BranchHost,
  BranchProblem,
  MadeBranch,
  Surroundings,
} from '../http/surroundings.ts';
import { openTokens } from '../world/access/token.ts';
import { BRANCHES_MAX } from '../world/limits.ts';
import { BranchList, type BranchRow, branchName, mayRemove } from '../world/past/branch-list.ts';
import { writeBase } from '../world/store/branch-base.ts';
import { formatInstant } from '../world/store/instant.ts';
import { branchFiles } from './branch-files.ts';
import { writeBranchNote } from './branch-note.ts';
import { inheritBrowsers } from './browser-files.ts';
import { digest } from './digest.ts';
import { openEntropy } from './entropy.ts';
import { openSite } from './hosted-site.ts';
import type { HostedWorld, WorldHost } from './hosted-world.ts';
import type { Opened } from './known-worlds.ts';
import { BRANCH_LIMITS, TIMER_MS_MAX, WORLDS_LOOKED_AFTER_AT_ONCE_MAX } from './limits.ts';
import { beginStore } from './new-store.ts';
import type { RunList } from './runs.ts';
import { tokensFor } from './token-file.ts';
import { wallClock } from './wall-clock.ts';
import { openBranch, WorldShelf, type WorldShelfOptions } from './world-shelf.ts';

export type BranchesOptions = Omit<WorldShelfOptions, 'siteOf' | 'inTurn'> & {
  /** Null where the host runs no proxy. */
  readonly runs: Pick<RunList, 'of'> | null;
  /** Hears of a branch that was made, before who asked for it does. */
  readonly made?: (world: string) => Promise<void>;
  /** Those of the world whose branches they are. */
  readonly grants?: NonNullable<Surroundings['grants']>;
};

export class Branches implements AsyncDisposable {
  readonly #options: BranchesOptions;
  /** All worlds that are known here, those that are no branches too. */
  readonly shelf: WorldShelf;
  /** By the world that a line of branches began with. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: BranchesOptions) {
    this.#options = options;
    this.shelf = new WorldShelf({
      ...options,
      siteOf: opened => this.#siteOf(opened),
      inTurn: (root, work) => this.inTurn(root, work).finally(() => this.#arm()),
    });
  }

  /** The branches that one world makes and lists. */
  hostOf(parent: HostedWorld): BranchHost {
    const list = new BranchList(parent.sql);
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      const root = this.shelf.known.get(parent.name)?.root.name ?? parent.name;
      return this.inTurn(root, work);
    };
    return {
      list: () => list.all().map(row => branchOf(row, parent.name)),
      make: ask => inTurn(() => this.#make(parent, list, ask)),
      remove: name => inTurn(() => this.#remove(parent, list, name)),
    };
  }

  /** Serves what is there of this world's branches and theirs; removes what expired meanwhile and what is no branch. */
  async open({
    hosted,
    host,
    folder,
  }: {
    hosted: HostedWorld;
    host: WorldHost;
    folder: string;
  }): Promise<void> {
    const root = this.shelf.hold({ hosted, host }, folder);
    await this.shelf.fill(root);
    await this.inTurn(root.name, () => this.#expire(root.name));
    this.lookAfter();
  }

  /** What the closed ones have to do by themselves is looked for beside the requests, and from then on waited for. */
  lookAfter(): void {
    void this.shelf.lookIntoAll().then(() => this.#look());
  }

  /** A branch, by whoever looks after all worlds here. */
  async remove(name: string): Promise<'removed' | 'unknown' | 'has-branches'> {
    const { root, parent = null } = this.shelf.known.get(name) ?? {};
    if (root === undefined || parent === null) return 'unknown';
    return this.inTurn(root.name, async () => {
      const left = await this.shelf.opened(parent);
      if (left === undefined) return 'unknown';
      return this.#remove(left.hosted, new BranchList(left.hosted.sql), name);
    });
  }

  /** Ends what follows their news, so that the listener does not wait for it. */
  hush(): void {
    for (const { open } of this.shelf.known.open) open?.hosted.world.news.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await Promise.all(this.#turns.values());
    await this.shelf[Symbol.asyncDispose]();
  }

  async #make(parent: HostedWorld, list: BranchList, ask: BranchAsk): Promise<MadeBranch | BranchProblem> {
    if (this.#closed) return branchProblem(409, 'closing', 'The world is shutting down.');
    if (list.size >= BRANCHES_MAX)
      return branchProblem(
        409,
        'too-many-branches',
        `A world has at most ${BRANCHES_MAX} branches; remove some first.`,
      );
    const at = this.shelf.known.get(parent.name);
    if (at?.open?.hosted !== parent) return branchProblem(503, 'opening', 'The world was closed; ask again.');
    const { root } = at;
    const taken = (name: string): boolean => this.shelf.isTaken(name, root) || list.has(name);
    const named = branchName(root.name, ask.label, { entropy: openEntropy(), taken });
    if (!named.ok) return branchProblem(400, 'bad-label', named.message);
    const { name } = named;
    const cut = await parent.world.past.cut(ask.at ?? null, ask.live ?? false);
    if (!cut.ok) return branchProblem(cut.why === 'catching-up' ? 503 : 400, cut.why, cut.message);
    const created = wallClock.now();
    const expires = ask.ttl === undefined ? null : created + ask.ttl * 1000;
    const files = branchFiles(root, name);
    let hosted: HostedWorld | null = null;
    try {
      await mkdir(files.store, { recursive: true, mode: 0o700 });
      await beginStore(files.database, async sql => {
        writeBase(sql, cut);
        await tokensFor(openTokens({ sql, entropy: openEntropy(), digest }), files.tokens);
      });
      await inheritBrowsers(parent.files.browsers, files.browsers);
      const row = { world: name, at: cut.origin.at, created, expires };
      await writeBranchNote(files.store, { parent: parent.name, row });
      hosted = await openBranch(name, root, at.open);
      list.add({ ...row, positions: cut.positions });
      await parent.sql.onDisk();
      this.shelf.put(row, at, hosted);
    } catch (error) {
      unlist(list, name);
      await hosted?.[Symbol.asyncDispose]();
      await rm(files.store, { recursive: true, force: true });
      throw error;
    }
    this.#arm();
    parent.world.news.tell({ kind: 'branches' });
    await this.#options.made?.(name);
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
    const opened = await this.shelf.opened(name).catch(() => undefined);
    if (opened === undefined ? this.shelf.known.hasBranches(name) : !mayRemove(opened.hosted.sql))
      return 'has-branches';
    const root = this.shelf.known.get(parent.name)?.root;
    list.remove(name);
    await parent.sql.onDisk();
    opened?.hosted.sql.forsake();
    await this.shelf.drop(name);
    if (root !== undefined) await rm(branchFiles(root, name).store, { recursive: true, force: true });
    if (!parent.world.news.closed) parent.world.news.tell({ kind: 'branches' });
    this.#arm();
    return 'removed';
  }

  /** One that has branches stays until they are gone, however long it has expired. */
  async #expire(line: string): Promise<void> {
    const now = wallClock.now();
    for (const { name, root, row, parent } of this.shelf.known.all) {
      if (root.name !== line || parent === null || row === null) continue;
      if (row.expires === null || row.expires > now || this.shelf.known.hasBranches(name)) continue;
      const left = await this.shelf.opened(parent);
      if (left !== undefined) await this.#remove(left.hosted, new BranchList(left.hosted.sql), name);
    }
  }

  /** What is to be done by now: branches that expired, worlds that have something to do by themselves, or are asked no more. */
  #look(): void {
    if (this.#closed) return;
    const lines = this.shelf.known.rootsToLookAfter.values();
    const look = async (): Promise<void> => {
      for (const line of lines)
        await this.inTurn(line, async () => {
          await this.#expire(line);
          await this.shelf.wake(line);
          await this.shelf.rest(line);
        }).catch(error =>
          this.#options.log.error(
            { world: line, err: error },
            'the world and its branches could not be looked after',
          ),
        );
    };
    const all = Array.from({ length: WORLDS_LOOKED_AFTER_AT_ONCE_MAX }, look);
    void Promise.all(all).finally(() => this.#arm());
  }

  #arm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#closed) return;
    const now = wallClock.now();
    const { wakesAt, expiresAt, hasOpen } = this.shelf.known;
    const idle = hasOpen ? now + (this.#options.limits?.idleMs ?? BRANCH_LIMITS.idleMs) : null;
    const next = [wakesAt, expiresAt, idle].filter(at => at !== null);
    if (next.length === 0) return;
    const wait = Math.max(Math.min(...next) - now, 0);
    this.#timer = setTimeout(() => this.#look(), Math.min(wait, TIMER_MS_MAX)).unref();
  }

  #siteOf({ hosted, host, rotated }: Opened): Site {
    const { runs, grants } = this.#options;
    return openSite(hosted, host, {
      // Without the name of a run, the proxy answers for the world it was started for.
      proxyUrl: () => null,
      runs: runs?.of(hosted.name) ?? null,
      branches: this.hostOf(hosted),
      ...(grants && { grants }),
      ...(rotated && { rotated }),
    });
  }

  /** One after the other: a branch is not removed while it is branched off. */
  inTurn<T>(root: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#turns.get(root) ?? Promise.resolve()).then(work);
    const turn = done.then(
      () => {},
      () => {},
    );
    this.#turns.set(root, turn);
    void turn.then(() => {
      if (this.#turns.get(root) === turn) this.#turns.delete(root);
    });
    return done;
  }
}

/** What could not be made is no branch. Where the disk takes not even that, the parent drops it when it is opened next. */
function unlist(list: BranchList, name: string): void {
  try {
    if (list.has(name)) list.remove(name);
  } catch {
    // Whoever asked for the branch is told why it could not be made.
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
