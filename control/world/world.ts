// A world: its twins, their log, its clock. This type is what the endpoints (control/http) and the hosts
// (control/node, edge) know of it.
import type { Call } from '../../twins/kit/call.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { Entry } from './log/entry.ts';
import type { Newsroom } from './log/news.ts';
import type { Past } from './past/past.ts';
import type { RequestReport } from './requests/report.ts';
import type { OpenSocket } from './work/open-socket.ts';

/** `{ at, frozen }` of 2.13; `at` is ISO 8601. */
export type ClockReading = { readonly at: string; readonly frozen: boolean };

export type ClockResult =
  | { readonly ok: true; readonly clock: ClockReading }
  | {
      readonly ok: false;
      readonly why: 'would-move-back' | 'clock-unset' | 'not-an-instant' | 'not-a-duration';
      readonly message: string;
    };

export type EntryPage = { readonly entries: readonly Entry[]; readonly next: string | null };

/** 2.13 timeline entry. */
export type TimelineEntry = {
  readonly twin: string;
  readonly position: number;
  readonly entry: Entry;
  readonly caller?: string;
};

export type TimelineQuery = {
  readonly limit?: number;
  readonly before?: string;
  readonly twin?: string;
  readonly trace?: string;
};

export type TimelineResult =
  | { readonly ok: true; readonly entries: readonly TimelineEntry[]; readonly next: string | null }
  | { readonly ok: false; readonly why: 'bad-cursor'; readonly message: string };

/** 2.13 map entry. */
export type MapEntry = {
  readonly twin: string;
  readonly position: number;
  readonly screens: Manifest['screens'];
  readonly root: null;
  readonly resources: readonly { readonly type: string; readonly count: number }[];
};

/** 2.7, the fields a world without roots has. */
export type TwinStatus = {
  readonly twin: string;
  readonly identity: {
    readonly mounted: { readonly package: string; readonly version: string | null } | null;
    readonly pinned: string | null;
  };
  readonly execution: { readonly rootConnected: boolean; readonly deploy: null };
  readonly dataOrigin: 'shared-history' | 'vendor-refresh' | 'unrecorded';
  readonly protocol: Manifest['protocol'];
  readonly screens: Manifest['screens'];
  readonly root: null;
  readonly credential: { readonly sealed: boolean };
  readonly refresh: { readonly lastAt: string | null };
  readonly position: number;
  readonly receipt: null;
};

export type World = {
  /** `<org>/<world>`. */
  readonly name: string;
  readonly vendors: readonly string[];
  /** What changed, as it does; a host closes it before it drains its listeners. */
  readonly news: Newsroom;
  manifest(vendor: string): Manifest | undefined;
  /** Drains what is due, then lets the twin answer (its own `/twin` endpoints and handlers included). */
  call(vendor: string, call: Call): Promise<Reply>;
  /** Answers the handshake of a WebSocket at a path of the twin's `upgrades`; a reply refuses it. */
  openSocket(vendor: string, call: Call): Promise<OpenSocket | Reply>;
  /** Null when what was read and written lasts; else no answer leaves before it resolves (ports/sql.ts). */
  lasting(): Promise<void> | null;
  clock(): ClockReading;
  setClock(at: string): Promise<ClockResult>;
  advanceClock(by: string): Promise<ClockResult>;
  /** Entries after a position, oldest first, at most `LOG_PAGE_ENTRIES_MAX`; `next` is the `after` that follows. */
  log(twin: string, after: number): Promise<EntryPage | null>;
  timeline(query: TimelineQuery): Promise<TimelineResult>;
  map(): Promise<readonly MapEntry[]>;
  twinStatus(vendor: string): Promise<TwinStatus | null>;
  /** What was, and from where branches leave (4.4, 4.9). */
  readonly past: Past;
  /**
   * The report of requests over the last hours of wall time (4.4). The time of a request is the world's own: letting
   * what is due happen, the twin, and the commit; not the network, and not a handler's `delayMs`.
   */
  requests(hours: number): Promise<RequestReport>;
  /** Resolves when no webhook is waiting for its first attempt. For tests and orderly shutdown. */
  settled(): Promise<void>;
  close(): Promise<void>;
};
