// A world of the edge (4.11): one object, with its store, its alarm and its site. It is opened when it is first asked, by a
// request, by its alarm or by a branch that reads its past, and put away by the platform when nobody has asked for a while.
import { DurableObject } from 'cloudflare:workers';
import type { HostProblem, ImportAsk, Imported } from '../control/hosting/host-worlds.ts';
import { problem } from '../control/http/answer.ts';
import type { Site } from '../control/http/site.ts';
import type { BranchAsk } from '../control/http/surroundings.ts';
import { Secret } from '../control/world/access/secret.ts';
import { openTokens, TOKEN_PREFIX } from '../control/world/access/token.ts';
import type { GivingPlace } from '../control/world/archive/giving.ts';
import type { Placed } from '../control/world/archive/taking.ts';
import { BranchBase, type Review, reviewOf, writeBase } from '../control/world/store/branch-base.ts';
import { describeFault } from '../control/world/store/fault.ts';
import { migrate } from '../control/world/store/schema.ts';
import { ObjectAlarms } from './alarms.ts';
import { AnswerCounts } from './answer-counts.ts';
import { openBlobs } from './blobs.ts';
import { type BranchMade, BranchMaker, type NamedBranch } from './branch-maker.ts';
import { openBrowsers } from './browsers.ts';
import { digest } from './digest.ts';
import { entropy } from './entropy.ts';
import { type Env, inventoryOf, worldOf } from './env.ts';
import { arrivedOf, exchange } from './exchange.ts';
import { answerPast, farHistory, type PastQuestion } from './far-history.ts';
import { HibernatingSockets } from './hibernating-sockets.ts';
import { blobPrefix, type HostedWorld, openHostedWorld, wall } from './hosted-world.ts';
import {
  ABSENCE_MS_MAX,
  ANSWERING_LOOK_MS,
  ANSWERING_MS_MAX,
  STANDING_MS_MAX,
  UNUSABLE_SECONDS,
} from './limits.ts';
import { openLog } from './log.ts';
import { askOriginBy } from './origin-asking.ts';
import { hostsOf, ownOriginOf } from './own-origin.ts';
import { openSmtp } from './smtp.ts';
import { INTERNAL_ERROR } from './socket-wire.ts';
import { Sockets } from './sockets.ts';
import { openSql } from './sql.ts';
import { readState } from './state-files.ts';
import {
  type GivenStore,
  type PlaceAsk,
  pause,
  type SettleAsk,
  Standing,
  StoredArchive,
} from './stored-archive.ts';
import { tellTwins } from './twins-told.ts';
import { cutOf, type NewWorld, type TokenTexts, type WorldRecord } from './world-record.ts';

/** An answer with this says that there is no such world: what is said of that is the worker's to say. */
export const NO_WORLD = 'x-wrld-no-world';

const RECORD = 'record';
const CODE: readonly (readonly [string, string])[] = [['x-wrld-world-code', WRLD_CODE]];

type Opened = HostedWorld & { readonly branches: BranchMaker };

export class WorldObject extends DurableObject<Env> {
  readonly #sql = openSql(this.ctx.storage);
  readonly #kv = this.ctx.storage.kv;
  #log = openLog();
  #alarms = this.#newAlarms();
  #opening: Promise<Opened | null> | null = null;
  #absentUntil = 0;
  readonly #hibernating = new HibernatingSockets({
    ctx: this.ctx,
    kv: this.#kv,
    site: async () => {
      const record = this.#record();
      return record === null ? null : ((await this.#opened(record.name))?.site ?? null);
    },
    log: () => this.#log,
    rouse: at => this.#alarms.rouse(at),
  });
  #sockets = new Sockets(this.#log, { smtp: openSmtp }, this.#hibernating);
  readonly #counts = new AnswerCounts(async counts => {
    const record = this.#record();
    if (record !== null) await inventoryOf(this.env).counted(record.name, record.id, counts);
  });
  /** Requests that have no answer yet. */
  #answering = 0;
  #standing: Standing | null = null;
  /** As who asked last names the host. */
  #askedAt: string | null = null;

  override async fetch(request: Request): Promise<Response> {
    if (this.#standing !== null && !(await this.#standing.within(STANDING_MS_MAX)))
      return exchange({ at: 'answered', reply: STANDS_STILL }, request, { log: this.#log, headers: CODE });
    this.#answering += 1;
    try {
      const answer = await this.#answer(request);
      // Of a name that is no world's nothing is counted, and a socket is no answer.
      if (!answer.headers.has(NO_WORLD) && answer.status !== 101) this.#counts.answered(answer.status);
      return answer;
    } finally {
      this.#answering -= 1;
    }
  }

  async #answer(request: Request): Promise<Response> {
    const name = this.ctx.id.name ?? '';
    this.#askedAt = new URL(request.url).origin;
    let opened: Opened | null;
    try {
      opened = await this.#opened(name);
    } catch {
      const reply = problem(503, 'world-unusable', UNUSABLE, {
        headers: [['retry-after', String(UNUSABLE_SECONDS)]],
      });
      return exchange({ at: 'answered', reply }, request, { log: this.#log, headers: CODE });
    }
    if (opened === null) return new Response(null, { status: 404, headers: { [NO_WORLD]: name } });
    const { site } = opened;
    if (Sockets.asksForOne(request)) return this.#upgrade(site, request);
    const answer = await exchange(site.admit(arrivedOf(request)), request, { log: this.#log, headers: CODE });
    if (MAY_SET_ROOTS.test(`${request.method} ${request.url}`)) await this.#tellTwins(opened);
    return answer;
  }

  async #upgrade(site: Site, request: Request): Promise<Response> {
    const taken = await this.#sockets.take(site, arrivedOf(request));
    if ('at' in taken) return taken.response;
    return exchange({ at: 'answered', reply: taken }, request, { log: this.#log, headers: CODE });
  }

  override async alarm(): Promise<void> {
    const record = this.#record();
    if (record === null) return;
    try {
      // Opening it looks by itself for what is due.
      const opened = await this.#opened(record.name);
      this.#alarms.fired();
      if (opened !== null) this.#hibernating.look(opened.site);
    } catch {
      // It is in the log; the platform would try again at once.
      await this.ctx.storage.setAlarm(Date.now() + UNUSABLE_SECONDS * 1000);
    }
  }

  override webSocketMessage(ws: WebSocket, message: string | ArrayBuffer): Promise<void> {
    return this.#hibernating.message(ws, message);
  }

  override webSocketClose(ws: WebSocket, code: number): Promise<void> {
    return this.#hibernating.closed(ws, code);
  }

  override webSocketError(ws: WebSocket): Promise<void> {
    return this.#hibernating.closed(ws, INTERNAL_ERROR);
  }

  /** Opens it, so that what is wrong with it is known to who makes it. */
  async ready(name: string): Promise<boolean> {
    this.#absentUntil = 0;
    return (await this.#opened(name)) !== null;
  }

  async rotate(name: string): Promise<TokenTexts | null> {
    const opened = await this.#opened(name);
    if (opened === null) return null;
    const { write, read } = await opened.tokens.renew();
    opened.world.news.tell({ kind: 'keys' });
    return { token: write.reveal(), readToken: read.reveal() };
  }

  async branch(name: string, ask: BranchAsk, named: NamedBranch): Promise<BranchMade | null> {
    const opened = await this.#opened(name);
    return opened === null ? null : opened.branches.make(ask, named);
  }

  async branchGone(name: string): Promise<void> {
    const record = this.#record();
    if (record === null) return;
    (await this.#opened(record.name))?.branches.gone(name);
  }

  /** For the worlds that left this one. */
  async past(name: string, asked: PastQuestion): Promise<unknown> {
    const opened = await this.#opened(name);
    if (opened === null) throw new Error('the world is gone');
    return answerPast(opened.world.past, asked);
  }

  async import(name: string, { twin, files }: ImportAsk): Promise<Imported | HostProblem | null> {
    const opened = await this.#opened(name);
    if (opened === null) return null;
    const read = readState(files);
    if (!read.ok) return { ok: false, status: 400, code: 'bad-state', message: read.message };
    const done = await opened.world.seed(twin, read.seed);
    if (done.ok) return done;
    const status = done.why === 'no-such-twin' ? 404 : done.why === 'has-history' ? 409 : 400;
    return { ok: false, status, code: done.why, message: done.message };
  }

  /** What an archive has of it. It stands still from here on, until `given`. */
  async give(name: string, branches: boolean): Promise<GivenStore> {
    if (this.#standing !== null) throw new Error('it is read by somebody else');
    const opened = await this.#opened(name);
    if (opened === null) throw new Error('the world is gone');
    const archive = this.#archive(opened.record);
    this.#standing = new Standing(archive, () => this.given());
    try {
      await this.#answered();
      this.#sockets.close();
      await opened.close();
    } finally {
      this.#opening = null;
    }
    return archive.give(name, branches);
  }

  async #answered(): Promise<void> {
    for (let waited = 0; this.#answering > 0 && waited < ANSWERING_MS_MAX; waited += ANSWERING_LOOK_MS)
      await pause(ANSWERING_LOOK_MS);
  }

  async givePart(name: string, place: GivingPlace): ReturnType<StoredArchive['givePart']> {
    if (this.#standing === null) throw new Error('it stood still for too long, and goes on');
    this.#standing.keep();
    return this.#standing.archive.givePart(name, place);
  }

  given(): void {
    const standing = this.#standing;
    this.#standing = null;
    standing?.end();
  }

  /** Lines of an archive, for a world that is not there yet. */
  place(record: WorldRecord, part: PlaceAsk): Promise<Placed> {
    return this.#archive(record).place(part);
  }

  /** All of the archive is there. What is wrong with it; with nothing wrong it is a world when the inventory says so. */
  settle(record: WorldRecord, ask: SettleAsk): Promise<readonly string[]> {
    return this.#archive(record).settle(ask);
  }

  /** It is in the inventory. */
  async moved(name: string): Promise<void> {
    this.#absentUntil = 0;
    const opened = await this.#opened(name);
    if (opened !== null) await this.#tellTwins(opened);
  }

  /** What the work of its branches is held against. */
  review(): Review {
    return reviewOf(this.#sql);
  }

  browserNames(): Promise<readonly string[]> {
    return openBrowsers(this.#kv).names();
  }

  browser(name: string): Promise<string | null> {
    return openBrowsers(this.#kv).read(name);
  }

  /** Everything of the world of that id: rows, large bytes, alarm. */
  async wipe(id: string): Promise<void> {
    this.given();
    const opened = await this.#opening?.catch(() => null);
    this.#opening = null;
    this.#absentUntil = 0;
    if (opened !== null) await opened?.close();
    this.#alarms.close();
    this.#sockets.close();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#alarms = this.#newAlarms();
    // Last: it is no world any more, whether the bucket answers or not.
    const blobs = openBlobs(this.env.BLOBS, blobPrefix({ id }));
    for (const sha256 of await blobs.list()) await blobs.remove(sha256);
  }

  #newAlarms(): ObjectAlarms {
    return new ObjectAlarms({
      storage: this.ctx.storage,
      wall,
      failed: error => this.#log.error({ fault: describeFault(error) }, 'an alarm could not be set'),
    });
  }

  #record(): WorldRecord | null {
    return this.#kv.get<WorldRecord>(RECORD) ?? null;
  }

  #archive({ id }: Pick<WorldRecord, 'id'>): StoredArchive {
    return new StoredArchive({ sql: this.#sql, kv: this.#kv, bucket: this.env.BLOBS, id });
  }

  /** Null when there is no such world; rejects when it cannot be opened. */
  #opened(name: string): Promise<Opened | null> {
    if (this.#standing !== null) return this.#standing.over.then(() => this.#opened(name));
    if (this.#opening === null && wall.now() < this.#absentUntil) return Promise.resolve(null);
    if (this.#opening !== null) return this.#opening;
    const opening = this.#open(name);
    this.#opening = opening;
    const over = (): void => {
      if (this.#opening === opening) this.#opening = null;
    };
    opening.then(
      opened => {
        if (opened !== null) {
          this.#counts.opened(true);
          return;
        }
        this.#absentUntil = wall.now() + ABSENCE_MS_MAX;
        over();
      },
      error => {
        over();
        this.#counts.opened(false);
        this.#log.error(
          { world: name, fault: describeFault(error) },
          'the world cannot be opened; it is left as it is',
        );
      },
    );
    return opening;
  }

  async #open(name: string): Promise<Opened | null> {
    let record = this.#record();
    if (record === null) {
      const made = await inventoryOf(this.env).newWorld(name);
      if (made === null) return null;
      record = await this.#begin(made);
    }
    this.#log = openLog({ world: record.name });
    this.#sockets = new Sockets(this.#log, { smtp: openSmtp }, this.#hibernating);
    this.#hibernating.dropRows();
    const { parent } = record;
    let branches: BranchMaker | undefined;
    const hosted = await openHostedWorld({
      record,
      env: this.env,
      sql: this.#sql,
      kv: this.#kv,
      alarms: this.#alarms,
      log: this.#log,
      baseUrl: () => this.env.BASE_URL ?? this.#askedAt ?? record.baseUrl,
      ownOrigin: ownOriginOf(record, this.env),
      parent:
        parent === null ? null : farHistory(asked => worldOf(this.env, parent.name).past(parent.name, asked)),
      branches: own => (branches = new BranchMaker({ env: this.env, sql: this.#sql, hosted: own })),
      askOrigin: askOriginBy(this.env, () => hostsOf(record, this.env, this.#askedAt)),
      tell: tokens => inventoryOf(this.env).setTokens(record.name, record.id, tokens),
    });
    const { site, world } = hosted;
    world.news.follow(({ kind }) => kind === 'keys' && this.#hibernating.look(site));
    await branches!.dropRest();
    return { ...hosted, branches: branches! };
  }

  /** Takes over what the inventory says; what was begun and broke off is begun again. */
  async #begin({ record, tokens: { token, readToken } }: NewWorld): Promise<WorldRecord> {
    const { parent } = record;
    let review: Review | undefined;
    // One that moved here has all of that.
    if (parent?.cut != null) {
      const left = worldOf(this.env, parent.name);
      review = await left.review();
      const own = openBrowsers(this.#kv);
      for (const each of await left.browserNames()) {
        const text = await left.browser(each);
        if (text !== null) await own.write(each, text);
      }
    }
    // From here on nothing is waited for: the platform writes all of it or nothing.
    migrate(this.#sql);
    if (parent?.cut != null && new BranchBase(this.#sql).origin === null)
      writeBase(this.#sql, { ...cutOf(parent.cut), ...(review !== undefined && { review }) });
    const tokens = openTokens({ sql: this.#sql, entropy, digest });
    const pair = { write: new Secret(token), read: new Secret(readToken) };
    if (token.startsWith(TOKEN_PREFIX.write) && readToken.startsWith(TOKEN_PREFIX.read)) tokens.restore(pair);
    else {
      const adopted = tokens.adopt(pair);
      if (!adopted.ok) throw new Error(adopted.message);
    }
    this.#kv.put(RECORD, record);
    return record;
  }

  #tellTwins({ world, record }: Opened): Promise<void> {
    const tell = (twins: string): Promise<unknown> =>
      inventoryOf(this.env).setTwins(record.name, record.id, twins);
    return tellTwins({ world, kv: this.#kv, tell, log: this.#log });
  }
}

const MAY_SET_ROOTS = /^(?:PUT|POST) [^?]*\/twins\/[^/?]+\/root(?:\?|$)/;
const STANDS_STILL = problem(503, 'being-moved', 'This world is being read to be moved; ask again.', {
  headers: [['retry-after', String(UNUSABLE_SECONDS)]],
});
const UNUSABLE = 'This world cannot be opened; the host’s log says why.';
