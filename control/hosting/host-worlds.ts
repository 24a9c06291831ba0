// What a host of many worlds provides for its own endpoints (4.10). The Node host has one, and the edge another.
import type { PageFiles } from '../http/page-files.ts';
import type { Log } from '../ports/log.ts';
import type { HostArchives } from './host-archives.ts';

/** A twin as the inventory has it (2.13). */
export type InventoryTwin = {
  readonly vendor: string;
  /** Null where it is not known before the world is opened: a module of the world's own. */
  readonly protocol: string | null;
  readonly root: unknown;
};

/** 2.13 inventory row. */
export type InventoryRow = {
  readonly org: string;
  readonly world: string;
  /** `<org>/<world>` */
  readonly name: string;
  /** The world's URL. */
  readonly base: string;
  readonly owner?: string;
  /** Null for a world whose tokens cannot be read, which `fault` tells of. */
  readonly token: string | null;
  readonly readToken: string | null;
  readonly twins: readonly InventoryTwin[];
  /** Why the world cannot be served as it stands. */
  readonly fault?: string;
};

export type MakeAsk = {
  readonly org: string;
  readonly world: string;
  readonly vendors: readonly string[];
  readonly owner?: string;
  /** `<org>/<world>` of which it is to be a branch (4.11); a host that takes none is never given one. */
  readonly from?: string;
  /** Credentials that the callers hold already (4.11), in the place of minted ones; as `from`. */
  readonly token?: string;
  readonly readToken?: string;
};

/** The state files of a v1 namespace, by `.wrld/world/<state>/<file>`. */
export type ImportAsk = {
  /** Of the world. */
  readonly twin: string;
  readonly files: { readonly [path: string]: string };
};

export type Imported = {
  readonly ok: true;
  /** The twin's, with what was imported. */
  readonly position: number;
  readonly records: number;
};

/** What was asked for cannot be done; `status` says whose matter that is. */
export type HostProblem = {
  readonly ok: false;
  readonly status: 400 | 404 | 409 | 413 | 503;
  readonly code: string;
  readonly message: string;
};

export type HostHealth = {
  /** `draining`: it answers what it has been asked, and takes no more. */
  readonly status: 'up' | 'draining';
  readonly worlds: number;
  readonly open: number;
  /** Of a host whose worlds are in several processes. */
  readonly shards?: readonly ShardHealth[];
};

export type ShardHealth = {
  readonly shard: number;
  /** `held-up`: it does not answer; `down`: it ended; `starting`: it is started again. */
  readonly status: 'starting' | 'up' | 'held-up' | 'down';
  readonly worlds: number;
  readonly open: number;
};

export type HostWorlds = {
  /** Sorted. */
  names(): readonly string[] | Promise<readonly string[]>;
  /** JSON of the rows, sorted by name, with commas between them: in pieces, cut anywhere, as they are read. */
  inventory(): AsyncIterable<Uint8Array>;
  /** Sorted. */
  vendors(): readonly string[];
  make(ask: MakeAsk): Promise<{ readonly ok: true; readonly row: InventoryRow } | HostProblem>;
  /** 409 where another org is recorded. */
  own(name: string, owner: string): Promise<{ readonly ok: true } | HostProblem>;
  /** The old tokens, every session and every key have ended when it resolves. */
  rotate(
    name: string,
  ): Promise<{ readonly ok: true; readonly token: string; readonly readToken: string } | HostProblem>;
  /** With its rows, blobs and timers; 409 for one with branches. */
  remove(name: string): Promise<{ readonly ok: true } | HostProblem>;
  health(): HostHealth | Promise<HostHealth>;
  /** In the text format of Prometheus. */
  metrics(): string | Promise<string>;
  /** Worlds that move here, and from here. */
  readonly archives: HostArchives;
  /** Places a twin's state files (4.11); absent where the host takes none, nor `from` and tokens of the callers'. */
  import?(name: string, ask: ImportAsk): Promise<Imported | HostProblem>;
};

/** What the host's own endpoints know besides. */
export type HostAround = {
  readonly worlds: HostWorlds;
  /** `https://worlds.example.com`, without a slash at its end. */
  readonly baseUrl: string;
  /** Whether a presented credential is the admin token. */
  readonly isAdmin: (credential: string) => boolean;
  /** A sentence: where who runs the host finds that token. */
  readonly adminTokenPlace: string;
  /** Whether a request's Host is of the form of a world's own origin (5.3-2), which serves that world alone. */
  readonly isWorldHost: (host: string) => boolean;
  /** The console's; a host without one has none. */
  readonly pageFile: PageFiles;
  readonly log: Log;
};
