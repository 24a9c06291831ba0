// A world as its endpoints know it: what each of them asks is put to the part that answers it, and leaves over the
// threshold.
import type { Call } from '../../twins/kit/call.ts';
import type { Features } from '../../twins/kit/generative.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import { type Aliases, exchangedCall } from './changesets/aliases.ts';
import type { Changesets } from './changesets/changesets.ts';
import type { Deploys } from './changesets/deploy.ts';
import type { Pushes } from './changesets/push.ts';
import type { Checks } from './checks/checks.ts';
import type { EntryPage } from './log/entry.ts';
import type { Newsroom } from './log/news.ts';
import { readTimeline, type TimelineQuery, type TimelineResult } from './log/timeline.ts';
import type { Resolution } from './origin/conflict.ts';
import type { Origin, Pulled } from './origin/origin.ts';
import type { Past, PastPoint } from './past/past.ts';
import type { Recordings } from './recordings/recordings.ts';
import type { Reports } from './report/reports.ts';
import type { LookedAt } from './requests/looked-at.ts';
import { type RequestReport, reportRequests } from './requests/report.ts';
import type { Forward, ForwardResult } from './roots/forward.ts';
import type { IngestResult } from './roots/ingest.ts';
import type { LinkResult } from './roots/links.ts';
import type { RootedTwins } from './roots/rooted-twins.ts';
import { type MapEntry, type TwinStatus, twinStatus } from './roots/status.ts';
import type { Vendors } from './roots/vendors.ts';
import type { Conversations } from './story/conversations.ts';
import type { Find } from './story/find.ts';
import type { Story } from './story/story.ts';
import type { VendorAnswers } from './story/vendor-answer.ts';
import { type KeptSocket, type OpenSocket, openSocket, resumeSocket } from './work/open-socket.ts';
import type { Seat } from './work/seat.ts';
import { type Seed, type SeedResult, seedTwin } from './work/seeding.ts';
import type { Webhooks } from './work/webhooks.ts';
import type { ClockReading, ClockResult } from './work/world-clock.ts';
import type { World } from './world.ts';
import type { WorldParts } from './world-parts.ts';

export class RunningWorld implements World {
  readonly name: string;
  readonly #parts: WorldParts;

  constructor(name: string, parts: WorldParts) {
    this.name = name;
    this.#parts = parts;
  }

  get vendors(): readonly string[] {
    return this.#parts.vendors;
  }

  get news(): Newsroom {
    return this.#parts.news;
  }

  get changesets(): Changesets {
    return this.#parts.changesets;
  }

  get real(): Vendors {
    return this.#parts.real;
  }

  get roots(): RootedTwins {
    return this.#parts.roots;
  }

  get checks(): Checks {
    return this.#parts.checks;
  }

  get reports(): Reports {
    return this.#parts.reports;
  }

  get recordings(): Recordings {
    return this.#parts.recordings;
  }

  get deploys(): Deploys {
    return this.#parts.deploys;
  }

  get pushes(): Pushes {
    return this.#parts.pushes;
  }

  get origin(): Origin {
    return this.#parts.origin;
  }

  pullOrigin(resolutions: readonly Resolution[] = []): Promise<Pulled> {
    return this.#parts.origin.pull(work => this.rewrite(work), resolutions);
  }

  get past(): Past {
    return this.#parts.past;
  }

  get vendorAnswers(): VendorAnswers {
    return this.#parts.vendorAnswers;
  }

  get story(): Story {
    return this.#parts.story;
  }

  get find(): Find {
    return this.#parts.find;
  }

  get conversations(): Conversations {
    return this.#parts.conversations;
  }

  get webhooks(): Webhooks {
    return this.#parts.webhooks;
  }

  get lookedAt(): LookedAt {
    return this.#parts.lookedAt;
  }

  manifest(vendor: string): Manifest | undefined {
    const manifest = this.#parts.seats.get(vendor)?.twin.manifest;
    return manifest === undefined || this.#parts.roots.get(vendor) === null
      ? manifest
      : { ...manifest, root: true };
  }

  async call(vendor: string, call: Call): Promise<Reply> {
    const { seats, wall, hydration, requests, exchanges } = this.#parts;
    const seat = seats.get(vendor);
    if (seat === undefined) return NO_SUCH_TWIN;
    const at = wall.now();
    const from = performance.now();
    const unable = hydration?.complete === false ? await this.#hydrate(seat) : null;
    const running = unable ?? this.#answer(seat, call);
    const reply = running instanceof Promise ? await running : running;
    requests.add({
      at,
      name: vendor,
      method: call.method,
      path: call.path,
      route: reply.route,
      status: reply.fault === undefined ? reply.status : 0,
      ms: performance.now() - from,
      unmatched: reply.unmatched === true,
      caller: call.caller,
      trace: call.trace.traceId,
      span: call.trace.spanId,
      answered: namedIn(reply, seat),
    });
    return exchanges.keep(call, reply);
  }

  /** By the twin, which sees the ids that its vendor replaced as they are now. */
  #answer(seat: Seat, call: Call): Reply | Promise<Reply> {
    const { acts, aliases } = this.#parts;
    let ids: ReturnType<Aliases['of']>;
    try {
      ids = aliases.of(seat.id);
    } catch (error) {
      return acts.lossReply(seat, error);
    }
    const placed = ids === undefined ? call : exchangedCall(call, ids, seat.twin.keeps?.headers);
    return acts.run(seat, placed, (seen, tx) => seat.mounted.respond(seen, tx));
  }

  async features(vendor: string, call: Call): Promise<Features | null> {
    const { seats, acts } = this.#parts;
    const seat = seats.get(vendor);
    const { generative } = seat?.twin ?? {};
    if (seat === undefined || generative === undefined) return null;
    const read = await acts.run(seat, call, (seen, tx) => ({ features: generative.features(seen, tx) }));
    return 'features' in read ? read.features : null;
  }

  async ingest(vendor: string, call: Call): Promise<IngestResult> {
    const { real, hydration, threshold } = this.#parts;
    const ready = async (seat: Seat): Promise<void> => {
      if (hydration?.complete === false) await this.#hydrate(seat);
    };
    return threshold.pass(real.ingest.take(vendor, call, ready));
  }

  async putLink(name: string, origin: unknown): Promise<LinkResult> {
    const { links, places } = this.#parts.real;
    const put = links.put(name, origin);
    if (put.ok) await places.tell();
    return put;
  }

  async removeLink(name: string): Promise<boolean> {
    const { links, places, credentials } = this.#parts.real;
    if (!links.remove(name)) return false;
    credentials.remove(name);
    await places.tell();
    return true;
  }

  forward(name: string, asked: Forward): Promise<ForwardResult> {
    return this.#parts.real.forwarder.forward(name, asked);
  }

  async seed(vendor: string, seed: Seed): Promise<SeedResult> {
    const seat = this.#parts.seats.get(vendor);
    if (seat !== undefined) return seedTwin(this.#parts, seat, seed);
    return { ok: false, why: 'no-such-twin', message: `The world has no twin “${vendor.slice(0, 64)}”.` };
  }

  async openSocket(vendor: string, call: Call): Promise<OpenSocket | Reply> {
    const { seats, hydration, acts } = this.#parts;
    const seat = seats.get(vendor);
    if (seat === undefined) return NO_SUCH_TWIN;
    const unable = hydration?.complete === false ? await this.#hydrate(seat) : null;
    return unable ?? openSocket({ seat, call, acts });
  }

  async resumeSocket(vendor: string, { call, state }: KeptSocket): Promise<OpenSocket | Reply> {
    const { seats, hydration, acts } = this.#parts;
    const seat = seats.get(vendor);
    if (seat === undefined) return NO_SUCH_TWIN;
    const unable = hydration?.complete === false ? await this.#hydrate(seat) : null;
    return unable ?? resumeSocket({ seat, call: { ...call, body: new Uint8Array(0) }, acts }, state);
  }

  /**
   * What the call will touch is here when it resolves, or is on its way and waited for when it is needed; those whose
   * events come before it follow with them. An answer where the store could not take it.
   */
  async #hydrate(seat: Seat): Promise<Reply | null> {
    const { ending, hydration, catchUp, acts } = this.#parts;
    if (ending.signal.aborted) return null;
    try {
      await hydration!.due();
      // What falls due is the twin's to do, all of it at once.
      await (catchUp.progress() === null ? hydration!.soon(seat.id) : hydration!.twin(seat.id));
      return null;
    } catch (error) {
      return acts.lossReply(seat, error);
    }
  }

  async clock(): Promise<ClockReading> {
    const { clock, threshold } = this.#parts;
    return threshold.pass(this.#withProgress(clock.reading()));
  }

  #withProgress(clock: ClockReading): ClockReading {
    const { catchUp, ending } = this.#parts;
    const catchingUp = ending.signal.aborted ? null : catchUp.progress();
    return catchingUp === null ? clock : { ...clock, catchingUp };
  }

  async setClock(at: string): Promise<ClockResult> {
    return this.#arrive(this.#parts.clock.set(at));
  }

  async advanceClock(by: string): Promise<ClockResult> {
    return this.#arrive(this.#parts.clock.advance(by));
  }

  async #arrive(result: ClockResult): Promise<ClockResult> {
    const { catchUp, threshold } = this.#parts;
    // What comes of it is the log's to keep; that it was set is told only when it was not lost meanwhile.
    await threshold.waiting();
    if (result.ok) await catchUp.all();
    return threshold.pass(result);
  }

  async log(twin: string, after: number): Promise<EntryPage | null> {
    const { seats, history, threshold } = this.#parts;
    return seats.has(twin) ? threshold.pass(history.page(twin, after)) : null;
  }

  async timeline(query: TimelineQuery): Promise<TimelineResult> {
    const { history, threshold } = this.#parts;
    return threshold.pass(readTimeline(asked => history.newest(asked), query));
  }

  map(point: PastPoint | null = null): Promise<readonly MapEntry[]> {
    const { vendors, log, seats, roots, history, threshold } = this.#parts;
    const entries = vendors.map(async (twin): Promise<MapEntry> => {
      const position = point === null ? log.tip(twin) : (point.positions.get(twin) ?? 0);
      return {
        twin,
        position,
        screens: seats.get(twin)!.twin.manifest.screens,
        root: roots.get(twin),
        resources: await (point === null ? history.resources(twin) : history.counts(twin, position)),
      };
    });
    return threshold.pass(Promise.all(entries));
  }

  async twinStatus(vendor: string): Promise<TwinStatus | null> {
    const { sql, seats, log, roots, origin: shared, threshold } = this.#parts;
    const seat = seats.get(vendor);
    if (seat === undefined) return null;
    const { id, package: origin, twin } = seat;
    const seated = { id, manifest: twin.manifest, package: origin };
    const known = { sql, root: roots.get(id), refresh: roots.standing(id), position: log.tip(id) };
    const status = twinStatus(seated, known);
    return threshold.pass(shared.shares(id) ? { ...status, dataOrigin: 'shared-history' } : status);
  }

  requests(hours: number): Promise<RequestReport> {
    const { wall, requests, counts, threshold } = this.#parts;
    requests.flush();
    const { failures } = requests;
    return threshold.pass(reportRequests(counts, { to: wall.now(), hours, failures }));
  }

  async rewrite(work: () => void): Promise<void> {
    const { seats, threshold, requests, exchanges, forget, history, deliveries, catchUp, news, log, roots } =
      this.#parts;
    requests.flush();
    exchanges.clear();
    await threshold.waiting();
    try {
      work();
    } finally {
      forget();
      history.forget();
      deliveries.restart();
      roots.restart();
    }
    for (const { reindex } of seats.values()) await reindex();
    catchUp.arm();
    await threshold.waiting();
    news.tell({ kind: 'clock' });
    for (const twin of seats.keys()) news.tell({ kind: 'entry', twin, position: log.tip(twin) });
  }

  async kept(): Promise<void> {
    const { requests, threshold } = this.#parts;
    requests.flush();
    await threshold.waiting();
  }

  async settled(): Promise<void> {
    const { threshold, deliveries, deploys } = this.#parts;
    await threshold.waiting();
    await deploys.settled();
    await deliveries.settled();
    // What came of them is told when it lasts.
    await threshold.waiting();
  }

  async close(): Promise<void> {
    const { ending, news, hydration, roots, deploys, catchUp, threshold, deliveries } = this.#parts;
    const { requests, blobs, recordings } = this.#parts;
    ending.abort();
    news.close();
    await roots.close();
    await hydration?.close();
    await deploys.close();
    await recordings.close();
    await catchUp.close();
    // Those who wait for it have been told if it is lost.
    await threshold.waiting()?.catch(() => {});
    deliveries.close();
    requests.close();
    blobs.close();
  }
}

const NO_SUCH_TWIN: Reply = {
  status: 404,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({ error: { code: 'no-such-twin', message: 'The world has no such twin.' } }),
};

/** What the vendor calls the request in its answer. */
const namedIn = ({ headers }: Reply, { twin }: Seat): string | null => {
  const named = twin.keeps?.answered;
  return named === undefined ? null : (headers.find(([name]) => name === named)?.[1] ?? null);
};
