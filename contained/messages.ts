// What the processes of a contained run tell each other, over the channels that Node gives to a child. Listeners and
// connections travel as what they are: a socket keeps the network namespace that it was made in.
import type { BundlesOptions } from './bundles.ts';
import type { Mount } from './mounts.ts';
import type { Settings } from './settings.ts';

/** Whom the program and its relay are to be: everything that is known of the run once its world is up. */
export type RunStart = {
  readonly type: 'start';
  readonly command: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  /** Of whoever started the run, where the namespaces were made without privilege; null where it has the right to. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** Unix socket on which the proxy takes contained runs. */
  readonly proxySocket: string;
  /** `<run>:<secret>` */
  readonly credentials: string;
  /** Where the variables say that the proxy is, on this machine's loopback. */
  readonly proxyPort: number;
  /** Of this machine's loopback, each led there as it is: the world's own endpoints and the streams of its twins. */
  readonly directPorts: readonly number[];
  /** At which every address answers, on top of the usual ones. */
  readonly ports: readonly number[];
  readonly mounts: readonly Mount[];
  readonly trust: RunTrust;
};

/** Files that are seen where programs have bundles of their own. */
export type RunTrust = {
  /** In PEM. */
  readonly bundle: string;
  /** In the JVM’s format; null where there is none. */
  readonly java: string | null;
};

export type ToRelay =
  | RunStart
  | { readonly type: 'signal'; readonly signal: NodeJS.Signals }
  /** The handle that comes with it listens on this machine. */
  | { readonly type: 'opened'; readonly address: string; readonly port: number }
  | { readonly type: 'not-opened'; readonly address: string; readonly port: number }
  /** The handle that comes with it was accepted on this machine before its listener was handed over. */
  | { readonly type: 'accepted'; readonly address: string; readonly port: number };

export type FromRelay =
  /** The namespaces are there. */
  | { readonly type: 'ready' }
  | { readonly type: 'started' }
  /** The program listens there: open the same on this machine. */
  | { readonly type: 'open'; readonly address: string; readonly port: number }
  /** The handle that comes with it listens inside: lead its connections to that port of this machine. */
  | { readonly type: 'direct'; readonly address: string; readonly port: number }
  | { readonly type: 'tell'; readonly line: string }
  | { readonly type: 'ended'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly type: 'not-started'; readonly why: string };

/** The first word to the relay's process, before it is one. */
export type RelayMake = {
  /** What is answered for at once. */
  readonly ask: GateAsk;
  /** Of the namespace that the run is started in. */
  readonly settings: Settings;
  /** Where bundles of certificates are looked for. */
  readonly bundles: BundlesOptions;
  /** The URL of the module that is the relay. */
  readonly relay: string;
  readonly cacheFolder: string | undefined;
};

/** What the gate is asked for: after the last it is not needed any more. */
export type GateAsk = {
  readonly tcp: readonly number[];
  readonly udp: readonly string[];
  readonly last: boolean;
};

/** What it hands over: a listener with each, and in the end nothing. */
export type FromGate =
  | { readonly type: 'tcp'; readonly port: number }
  | { readonly type: 'udp' }
  | { readonly type: 'done' };
