// A world: its twins, their log, its clock. This type is what the endpoints (control/http) and the hosts
// (control/node, edge) know of it. What it tells and answers lasts by then: no crash can undo it (store/threshold.ts).
import type { Call } from '../../twins/kit/call.ts';
import type { Features } from '../../twins/kit/generative.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { Changesets } from './changesets/changesets.ts';
import type { Deploys } from './changesets/deploy.ts';
import type { Pushes } from './changesets/push.ts';
import type { Checks } from './checks/checks.ts';
import type { EntryPage } from './log/entry.ts';
import type { Newsroom } from './log/news.ts';
import type { TimelineQuery, TimelineResult } from './log/timeline.ts';
import type { Resolution } from './origin/conflict.ts';
import type { Origin, Pulled } from './origin/origin.ts';
import type { Past, PastPoint } from './past/past.ts';
import type { Recordings } from './recordings/recordings.ts';
import type { Reports } from './report/reports.ts';
import type { LookedAt } from './requests/looked-at.ts';
import type { RequestReport } from './requests/report.ts';
import type { Forward, ForwardResult } from './roots/forward.ts';
import type { IngestResult } from './roots/ingest.ts';
import type { LinkResult } from './roots/links.ts';
import type { RootedTwins } from './roots/rooted-twins.ts';
import type { MapEntry, TwinStatus } from './roots/status.ts';
import type { Vendors } from './roots/vendors.ts';
import type { Conversations } from './story/conversations.ts';
import type { Find } from './story/find.ts';
import type { Story } from './story/story.ts';
import type { VendorAnswers } from './story/vendor-answer.ts';
import type { KeptSocket, OpenSocket } from './work/open-socket.ts';
import type { Seed, SeedResult } from './work/seeding.ts';
import type { Webhooks } from './work/webhooks.ts';
import type { ClockReading, ClockResult } from './work/world-clock.ts';

export type World = {
  /** `<org>/<world>`. */
  readonly name: string;
  readonly vendors: readonly string[];
  /** What changed, as it does; a host closes it before it drains its listeners. */
  readonly news: Newsroom;
  manifest(vendor: string): Manifest | undefined;
  /** Drains what is due, then lets the twin answer (its own `/twin` endpoints and handlers included). */
  call(vendor: string, call: Call): Promise<Reply>;
  /** What generative matchers see of a call; null where its twin sees nothing to answer by a model. */
  features(vendor: string, call: Call): Promise<Features | null>;
  /** A webhook of the real vendor's, as it came (4.6, 6.2). */
  ingest(vendor: string, call: Call): Promise<IngestResult>;
  /** A link (4.7); its origin is in force when it resolves. */
  putLink(name: string, origin: unknown): Promise<LinkResult>;
  /** With what was sealed for it; false when there is none. */
  removeLink(name: string): Promise<boolean>;
  /** To a link's vendor and back. */
  forward(name: string, asked: Forward): Promise<ForwardResult>;
  /** Answers the handshake of a WebSocket at a path of the twin's `upgrades`; a reply refuses it. */
  openSocket(vendor: string, call: Call): Promise<OpenSocket | Reply>;
  /** One that was put away, as `OpenSocket.kept` told of it. */
  resumeSocket(vendor: string, kept: KeptSocket): Promise<OpenSocket | Reply>;
  clock(): Promise<ClockReading>;
  setClock(at: string): Promise<ClockResult>;
  advanceClock(by: string): Promise<ClockResult>;
  /** Entries after a position, oldest first, at most `LOG_PAGE_ENTRIES_MAX`; `next` is the `after` that follows. */
  log(twin: string, after: number): Promise<EntryPage | null>;
  timeline(query: TimelineQuery): Promise<TimelineResult>;
  /** As it is now, or as it was at a point. */
  map(point?: PastPoint | null): Promise<readonly MapEntry[]>;
  twinStatus(vendor: string): Promise<TwinStatus | null>;
  /** What was, and from where branches leave (4.4, 4.9). */
  readonly past: Past;
  /** What happened, in the words of the twins. */
  readonly story: Story;
  readonly vendorAnswers: VendorAnswers;
  /** What somebody looks for, in the words of the twins and in all that is kept. */
  readonly find: Find;
  /** What its models were asked, and what they answered. */
  readonly conversations: Conversations;
  /** What was sent to whom, and what came of it. */
  readonly webhooks: Webhooks;
  /** Its requests, as people look at them. */
  readonly lookedAt: LookedAt;
  /** What is recorded of the real vendors while apps ask its twins. */
  readonly recordings: Recordings;
  /** The real vendors behind its twins (2.8). */
  readonly roots: RootedTwins;
  /** What it has to push and to deploy (2.6). */
  readonly changesets: Changesets;
  /** The real vendors behind it: where they are, and what is shown to them (2.9, 4.6, 4.7). */
  readonly real: Vendors;
  /** What looks at changesets before they may be deployed (4.7). */
  readonly checks: Checks;
  /** What was done in it, for those who review it. */
  readonly reports: Reports;
  /** What of that is done at the real vendors. */
  readonly deploys: Deploys;
  /** What other worlds bring. */
  readonly pushes: Pushes;
  /** The world whose history it shares (4.7); `pullOrigin` moves it onto what that has, and throws `OriginFault`. */
  readonly origin: Pick<Origin, 'status' | 'name' | 'push'>;
  pullOrigin(resolutions?: readonly Resolution[]): Promise<Pulled>;
  /**
   * The report of requests over the last hours of wall time (4.4). The time of a request is the world's own: letting
   * what is due happen, the twin, and the commit; not the network, and not a handler's `delayMs`.
   */
  requests(hours: number): Promise<RequestReport>;
  /**
   * Changes the world under itself (past/rewind.ts): `work` is done at once, in a transaction of its own, and whatever
   * the world remembered is read anew.
   */
  rewrite(work: () => void): Promise<void>;
  /** A twin's state that is brought from elsewhere, where the twin has no history yet (4.11 import). */
  seed(vendor: string, seed: Seed): Promise<SeedResult>;
  /** Resolves when all that the world was asked by now is in its store, lines of the journal too. */
  kept(): Promise<void>;
  /** Resolves when no webhook is waiting for its first attempt. For tests and orderly shutdown. */
  settled(): Promise<void>;
  close(): Promise<void>;
};
