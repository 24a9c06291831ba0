// What the endpoints know of their host beside the world itself. The Node host and the edge each make one.
import type { RefusalRecord } from '../../policy/refusal.ts';
import type { Declaration } from '../../policy/run.ts';
import type { NetworkGrants } from '../../policy/snapshot.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { LoadResult } from '../../twins/kit/twin.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Log } from '../ports/log.ts';
import type { TokenPair } from '../world/access/token.ts';
import type { Browsers } from '../world/browsers/browsers.ts';
import type { SitePlace } from '../world/config/site-label.ts';
import type { Outside } from '../world/requests/outside.ts';
import type { Gate } from './gate.ts';
import type { PageFiles } from './page-files.ts';
import type { CallFunctions, Prompter } from './prompter.ts';

/** A refusal that a client of the proxy got. */
export type SeenRefusal = {
  /** Counted from 1, since the world is up. */
  readonly nth: number;
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly run: string;
  /** What the client calls itself (its User-Agent); null where it says nothing. */
  readonly agent: string | null;
  readonly record: RefusalRecord;
};

/** The credentials of a run's proxy URL; the secret is told once. */
export type OpenedRun = { readonly name: string; readonly secret: string };

/** Instants are ISO 8601, wall time. */
export type SeenRun = { readonly name: string; readonly openedAt: string; readonly closedAt: string | null };

export type Runs = {
  /** Newest first: those that are open, and the last ones that were. */
  seen(): readonly SeenRun[];
  /** Resolves when the proxy judges by it; null when there are too many. */
  open(declaration: Declaration): Promise<OpenedRun | null>;
  /** Of all that are open: who asks a twin at its own URL may be any of them. */
  declarations(): readonly Declaration[];
  /** False when there is no such run. */
  close(name: string): Promise<boolean>;
};

/** 2.12; instants are ISO 8601. */
export type Branch = {
  /** `<org>/<world>`. */
  readonly name: string;
  /** The world it was made of. */
  readonly from: string;
  /** The instant at which its history leaves that world's. */
  readonly at: string;
  /** Wall time. */
  readonly createdAt: string;
  /** Wall time; null when it stays until it is removed. */
  readonly expiresAt: string | null;
};

/** The tokens are told once. */
export type MadeBranch = {
  readonly ok: true;
  readonly name: string;
  readonly token: string;
  readonly readToken: string;
  readonly expiresAt: string | null;
};

export type BranchAsk = {
  /** ISO 8601; now when absent. */
  readonly at?: string;
  /** Seconds. */
  readonly ttl?: number;
  readonly live?: boolean;
  readonly label?: string;
};

/** What the caller asked for cannot be done; `status` says whose matter that is. */
export type BranchProblem = {
  readonly ok: false;
  /** 503: not yet; the same may be asked again. */
  readonly status: 400 | 409 | 503;
  readonly code: string;
  readonly message: string;
};

/** Makes branches of one world (4.9). */
export type BranchHost = {
  list(): readonly Branch[];
  make(ask: BranchAsk): Promise<MadeBranch | BranchProblem>;
  /** `name`: `<org>/<world>`. `unknown` when it is no branch of this world. */
  remove(name: string): Promise<'removed' | 'unknown' | 'has-branches'>;
};

/** A call to a twin with its answer, as a test looks at it. */
export type SeenCall = {
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly twin: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  /** Lower-case names; credentials are left out. */
  readonly headers: { readonly [name: string]: string };
  /** What JSON or a form holds, else the text; null for none. */
  readonly body: unknown;
  /** 0: the connection was cut instead. */
  readonly status: number;
  readonly ms: number;
  /** Neither a handler nor an operation of the twin answered it. */
  readonly unmatched: boolean;
};

/** What a world becomes: nothing, how it was at an instant or when it was kept last, or what a backup or a branch of that name holds. */
export type ResetAsk =
  | { readonly to: 'nothing' }
  | { readonly to: 'instant'; readonly instant: string }
  | { readonly to: 'name'; readonly name: string }
  | { readonly to: 'savepoint' };

export type ResetOutcome =
  | {
      readonly ok: true;
      /** `nothing`, `savepoint`, the instant, or what the name led to. */
      readonly to: string;
      /** By twin. */
      readonly positions: { readonly [twin: string]: number };
    }
  | {
      readonly ok: false;
      readonly why:
        | 'has-branches'
        | 'not-an-instant'
        | 'not-yet'
        | 'no-such-name'
        | 'no-savepoint'
        | 'is-branch';
      readonly message: string;
    };

/** `.wrld/world.json`, where whoever asks may be at the machine that it lies on. */
export type ConfigFile = {
  text(): Promise<string>;
  /** In the place of what it `was`; resolves when it is in force. */
  put(edit: {
    readonly was: string;
    readonly text: string;
  }): Promise<'in-force' | 'not-in-force' | 'changed-meanwhile'>;
};

/** The handlers document of a twin, where it is kept. */
export type ScenarioFile = {
  /** JSON; null for none. */
  readonly text: string | null;
  /** Null: none from now on. In force from the next call on, or nothing is changed. */
  put(text: string | null): Promise<LoadResult>;
};

/** What `runtime.network` of this world, or of a parent, lists. */
export type GrantLayer = Pick<NetworkGrants, 'egress' | 'writes' | 'ownLoopback'>;

/** Where a recording is kept. */
export type RecordingFile =
  | {
      readonly ok: true;
      /** For people. */
      readonly name: string;
      /** What is in it; null where it is not there. */
      readonly text: string | null;
      /** In the place of that. With faults nothing is changed; rejects when it cannot be written. */
      put(text: string): Promise<{ readonly ok: true } | Extract<LoadResult, { ok: false }>>;
    }
  | { readonly ok: false; readonly message: string };

export type Surroundings = {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly baseUrl: string;
  /** `{docs_url}` (2.1). */
  readonly docsUrl: string;
  /** `http://<world>--<org>.localhost:<port>`: the world's own origin (5.3-2); null where the host gives it none. */
  readonly ownOrigin: string | null;
  /** Where the addresses of its sites are, seen from there (4.3, rule 1). */
  readonly siteForm: SitePlace['form'];
  /** The authority the attacher trusts, PEM. */
  readonly ca: string;
  /** Null where the host runs no proxy (the edge). */
  readonly proxyUrl: () => string | null;
  /** Runs with a declaration of their own; null where the host runs no proxy. */
  readonly runs: Runs | null;
  /** Null where the host makes no branches (the plain serve command). */
  readonly branches: BranchHost | null;
  /** Null where the host cannot bring a world back. */
  readonly reset: ((ask: ResetAsk) => Promise<ResetOutcome>) | null;
  /** Keeps how the world is now, for a reset to come back to; null where the host cannot. */
  readonly savepoint: (() => Promise<void>) | null;
  /** The handlers document of a twin that declares a file for it; null for another, and where the host has none. */
  readonly scenario: ((vendor: string) => ScenarioFile | null) | null;
  /** The file for a recording of a twin, by its name in the world's folder, or the twin's own; absent where the host has none. */
  readonly recordingFile?: (vendor: string, to: string | null) => Promise<RecordingFile>;
  /** Absent where the world has none on this machine. */
  readonly config?: ConfigFile;
  /** What a twin's functions say to a call; null, or absent, where it has none. */
  readonly functions?: (vendor: string) => CallFunctions | null;
  /** Where programs on this machine reach the stream of a TCP twin; null, or absent, where nothing listens for it. */
  readonly streamAt?: (vendor: string) => { readonly host: string; readonly port: number } | null;
  readonly browsers: Browsers;
  /** In force now: this world's, then each parent's, all of which a request must pass. Absent where the host grants nothing. */
  readonly grants?: () => readonly GrantLayer[];
  /** Newest first. */
  readonly refusals: () => readonly SeenRefusal[];
  /** What went through the proxy to no twin; absent where the host runs none. */
  readonly outside?: Outside;
  /** Oldest first; absent where the host keeps none. */
  readonly calls?: () => readonly SeenCall[];
  /** Absent in a world that is no test's. */
  readonly prompter?: Prompter;
  /** Tokens, keys and sessions: who gets in (5). */
  readonly gate: Gate;
  /** New tokens, in force everywhere when it resolves; the old ones, every session and every key have ended. */
  readonly rotate: () => Promise<TokenPair>;
  readonly pageFile: PageFiles;
  /** An error in the vendor's own shape, for what the world answers in a twin's place. */
  readonly vendorError: (vendor: string, status: number, code: string, message: string) => Reply | null;
  readonly entropy: Entropy;
  readonly log: Log;
};
