// What a native run's processes tell each other: whoever started it, and its keeper, the first process of its namespaces.
// Listeners and connections travel as what they are.

/** How the root folder of the run is made. Paths of this machine are absolute and real; `at` is one of the image's. */
export type RootPlan = {
  /** The image's own root, unpacked; null: this machine's system is in the place of its base. */
  readonly base: string | null;
  /** The files of one that is built of its build file, with this machine's system under them; null: its files are `layers` and `files`. */
  readonly made: string | null;
  /** Folders that the image has files of: what is written there is gone with the run. */
  readonly layers: readonly {
    readonly from: string;
    readonly at: string;
    /** What is not there, relative to it. */
    readonly without: readonly string[];
  }[];
  /** Single files of the image, copied. */
  readonly files: readonly { readonly from: string; readonly at: string }[];
  readonly volumes: readonly string[];
  /** Where it begins. */
  readonly workingFolder: string;
  readonly mounts: readonly { readonly from: string; readonly at: string; readonly readOnly: boolean }[];
  /** Files and folders of the world's, read-only, at the paths that they have here. */
  readonly provided: readonly string[];
  /** Certificates that are trusted, over those of the system. */
  readonly bundle: { readonly from: string; readonly over: readonly string[] } | null;
  /** More folders of this machine that stand for the base image's. */
  readonly system: readonly string[];
  /** Never seen, whatever has them: the world's own store, tokens and keys. */
  readonly hidden: readonly string[];
  readonly user: { readonly name: string; readonly uid: number; readonly gid: number; readonly home: string };
  readonly hosts: readonly { readonly name: string; readonly address: string }[];
  readonly hostname: string;
};

export type Limits = {
  readonly processes: number;
  /** Of each process. Bytes. */
  readonly memory: number;
};

/** Where the services are that a run depends on: of 198.18.0.0/15, which is set aside for test networks. */
export const NEIGHBOURS = '198.19.254.0/24';

export function neighbourAddress(nth: number): string {
  return `198.19.254.${nth + 1}`;
}

/** A listener inside whose connections are led elsewhere. */
export type Lead = { readonly address: string; readonly port: number } & (
  | { readonly to: 'world'; readonly target: string }
  | { readonly to: 'service'; readonly service: string }
);

/** What the program asked for and did not get: a connection past the world, a file of this machine's. */
export type Asked =
  | { readonly what: 'connect'; readonly program: string; readonly pid: number; readonly port: number }
  /** Absolute, as the program names it. */
  | { readonly what: 'read'; readonly path: string };

export type RunStart = {
  readonly type: 'start';
  readonly words: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly root: RootPlan;
  readonly limits: Limits;
  /** Of one that makes an image's files: when it has ended well, what it changed is changed in that folder too. */
  readonly saves: { readonly into: string; readonly without: readonly string[] } | null;
  /** Where the system's own programs are. */
  readonly path: string;
  /** Unix socket on which the proxy takes the runs' connections. */
  readonly proxySocket: string;
  /** `<run>:<secret>` */
  readonly credentials: string;
  /** Where the world listens on this machine, and so inside: an IP address, loopback as a rule. */
  readonly worldAddress: string;
  readonly proxyPort: number;
  /** The world's own, each led there as it is. */
  readonly worldPorts: readonly number[];
  /** Of this machine's loopback, each led there as it is. */
  readonly directPorts: readonly number[];
  readonly leads: readonly Lead[];
};

export type ToKeeper =
  | RunStart
  | { readonly type: 'signal'; readonly signal: NodeJS.Signals }
  /** Runs it beside the program, as the program is run, and says how it ended. */
  | { readonly type: 'check'; readonly words: readonly string[]; readonly timeout: number }
  /** The handle that comes with it is for that port of the program's. */
  | { readonly type: 'accepted'; readonly port: number };

export type FromKeeper =
  | { readonly type: 'ready' }
  | { readonly type: 'started' }
  /** The handle that comes with it listens inside: lead its connections to that port of this machine. */
  | { readonly type: 'direct'; readonly address: string; readonly port: number }
  /** The handle that comes with it was accepted inside, for that port of another service. */
  | { readonly type: 'dialled'; readonly service: string; readonly port: number }
  | { readonly type: 'tell'; readonly line: string }
  | { readonly type: 'asked'; readonly asked: Asked }
  | { readonly type: 'checked'; readonly healthy: boolean }
  /** Paths that were written and that nothing declares, as the image names them. */
  | { readonly type: 'kept'; readonly paths: readonly string[]; readonly more: number }
  | { readonly type: 'ended'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly type: 'not-started'; readonly why: string };
