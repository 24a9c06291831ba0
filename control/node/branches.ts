// The branches of the worlds behind one listener: each is a store of its own under `.wrld/branches/<world>/`, and a
// row in its parent's. The row is written last and removed first, so whenever the process ends, the next start
// finds a whole branch or a folder without a row, which it removes.
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sites } from '../http/sites.ts';
import type { Branch, BranchAsk, BranchHost, BranchProblem, MadeBranch } from '../http/surroundings.ts';
import { BRANCHES_MAX } from '../world/limits.ts';
import { BranchList, type BranchRow, branchName, mayRemove } from '../world/past/branch-list.ts';
import { writeBase } from '../world/store/branch-base.ts';
import { formatInstant } from '../world/store/instant.ts';
import { inheritBrowsers } from './browser-files.ts';
import { openEntropy } from './entropy.ts';
import { openSite } from './hosted-site.ts';
import { type HostedWorld, openHostedWorld, type WorldHost } from './hosted-world.ts';
import { TIMER_MS_MAX } from './limits.ts';
import type { RunList } from './runs.ts';
import { openSqlite } from './sqlite.ts';
import type { WorldFiles } from './store-guard.ts';
import { wallClock } from './wall-clock.ts';

type Served = { readonly row: BranchRow; readonly parent: HostedWorld; readonly hosted: HostedWorld };

export type BranchesOptions = {
  readonly host: WorldHost;
  /** `.wrld/branches`. */
  readonly folder: string;
  readonly sites: Sites;
  readonly runs: Pick<RunList, 'of'>;
};

export class Branches implements AsyncDisposable {
  readonly #options: BranchesOptions;
  /** A parent is in front of its branches. */
  readonly #served = new Map<string, Served>();
  #turn: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: BranchesOptions) {
    this.#options = options;
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
    const known = new Set<string>();
    const whole = await this.#openBranchesOf(root, known);
    // A branch that cannot be opened cannot say which folders are its own branches'.
    if (whole) await this.#sweep(known);
    await this.#inTurn(() => this.#expire());
  }

  /** Ends what follows their news, so that the listener does not wait for it. */
  hush(): void {
    for (const { hosted } of this.#served.values()) hosted.world.news.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#turn;
    for (const { hosted } of [...this.#served.values()].reverse()) await hosted[Symbol.asyncDispose]();
    this.#served.clear();
  }

  async #openBranchesOf(parent: HostedWorld, known: Set<string>): Promise<boolean> {
    const { log } = this.#options.host;
    const list = new BranchList(parent.sql);
    let whole = true;
    for (const row of list.all()) {
      known.add(folderOf(row.world));
      // Somebody removed the whole of it; a folder that lacks its store has lost something, and is left as it is.
      if (!(await exists(this.#files(row.world).store))) {
        log.warn({ branch: row.world }, 'the store of a branch is gone, and the branch with it');
        list.remove(row.world);
        continue;
      }
      try {
        const hosted = await this.#serve(row, parent);
        whole = (await this.#openBranchesOf(hosted, known)) && whole;
      } catch (error) {
        log.error({ branch: row.world, err: error }, 'a branch cannot be opened; it is left as it is');
        whole = false;
      }
    }
    return whole;
  }

  async #sweep(known: ReadonlySet<string>): Promise<void> {
    const { folder, host } = this.#options;
    const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    for (const name of found) {
      if (known.has(name)) continue;
      host.log.info({ folder: name }, 'the rest of a branch that is none is removed');
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }

  async #make(parent: HostedWorld, list: BranchList, ask: BranchAsk): Promise<MadeBranch | BranchProblem> {
    if (this.#closed) return branchProblem(409, 'closing', 'The world is shutting down.');
    if (list.size >= BRANCHES_MAX)
      return branchProblem(
        409,
        'too-many-branches',
        `A world has at most ${BRANCHES_MAX} branches; remove some first.`,
      );
    const taken = (name: string): boolean => this.#served.has(name) || list.has(name);
    const named = branchName(parent.name, ask.label, { entropy: openEntropy(), taken });
    if (!named.ok) return branchProblem(400, 'bad-label', named.message);
    const { name } = named;
    const cut = await parent.world.past.cut(ask.at ?? null, ask.live ?? false);
    if (!cut.ok) return branchProblem(400, cut.why, cut.message);
    const created = wallClock.now();
    const expires = ask.ttl === undefined ? null : created + ask.ttl * 1000;
    const files = this.#files(name);
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
      hosted = await this.#host(name, parent);
      list.add(row);
      this.#admit(row, parent, hosted);
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
    const served = this.#served.get(name);
    if (served !== undefined && !mayRemove(served.hosted.sql)) return 'has-branches';
    list.remove(name);
    this.#options.sites.remove(name);
    this.#served.delete(name);
    await served?.hosted[Symbol.asyncDispose]();
    await rm(this.#files(name).store, { recursive: true, force: true });
    if (!parent.world.news.closed) parent.world.news.tell({ kind: 'branches' });
    this.#arm();
    return 'removed';
  }

  /** One that has branches stays until they are gone, however long it has expired. */
  async #expire(): Promise<void> {
    const now = wallClock.now();
    for (const { row, parent } of [...this.#served.values()].reverse()) {
      if (row.expires === null || row.expires > now) continue;
      await this.#remove(parent, new BranchList(parent.sql), row.world);
    }
    this.#arm();
  }

  #arm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#closed) return;
    const expiries = [...this.#served.values()].flatMap(({ row, hosted }) =>
      row.expires !== null && mayRemove(hosted.sql) ? [row.expires] : [],
    );
    if (expiries.length === 0) return;
    const wait = Math.max(Math.min(...expiries) - wallClock.now(), 0);
    this.#timer = setTimeout(
      () => {
        this.#inTurn(() => this.#expire()).catch(error => {
          this.#options.host.log.error({ err: error }, 'a branch that expired could not be removed');
        });
      },
      Math.min(wait, TIMER_MS_MAX),
    ).unref();
  }

  async #serve(row: BranchRow, parent: HostedWorld): Promise<HostedWorld> {
    const hosted = await this.#host(row.world, parent);
    this.#admit(row, parent, hosted);
    return hosted;
  }

  #admit(row: BranchRow, parent: HostedWorld, hosted: HostedWorld): void {
    const { host, sites, runs } = this.#options;
    const { name } = hosted;
    this.#served.set(name, { row, parent, hosted });
    sites.add(
      openSite(hosted, host, {
        // Without the name of a run, the proxy answers for the world it was started for.
        proxyUrl: () => null,
        runs: runs.of(name),
        branches: this.hostOf(hosted),
      }),
    );
  }

  #host(name: string, parent: HostedWorld): Promise<HostedWorld> {
    const { host } = this.#options;
    return openHostedWorld({ host, name, files: this.#files(name), parent: parent.world.past.source });
  }

  #files(name: string): WorldFiles {
    const store = join(this.#options.folder, folderOf(name));
    return {
      store,
      blobs: join(store, 'blobs'),
      database: join(store, 'world.db'),
      tokens: join(store, 'token'),
      browsers: join(store, 'browsers'),
      marks: join(store, 'marks.json'),
      backups: null,
      branches: null,
    };
  }

  /** One after the other: a branch is not removed while it is branched off. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

/** `<org>/<world>` → `<world>`: all are of one org. */
const folderOf = (name: string): string => name.slice(name.indexOf('/') + 1);

const branchProblem = (status: 400 | 409, code: string, message: string): BranchProblem => ({
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

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
