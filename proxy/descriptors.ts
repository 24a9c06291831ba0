// File descriptors are what a proxy runs out of first: a client takes one, and its upstream another. Where the system
// grants few, fewer of both are had at once, so that each client that is let in can be served and the others can be told:
// the system itself tells nobody, it resets who comes when none are left.
import { DESCRIPTORS_KEPT, DESCRIPTORS_KEPT_PER_WORKER, UPSTREAMS_KEPT } from './limits.ts';

/** Of the rest; a client of HTTP/2 has several upstream connections, and some are idle. */
const SHARE_OF_CLIENTS = 0.4;
const SHARE_OF_UPSTREAMS = 0.6;
/** Below this there is no serving anybody, whatever is left. */
const CONNECTIONS_MIN = 4;

/** Connections that all workers together can have open. */
export type Room = {
  readonly clients: number;
  readonly upstreams: number;
  /** Of both: clients that only wait take what no upstream needs. */
  readonly together: number;
};

export function roomOf(descriptors: number, workers: number): Room {
  const free = descriptors - DESCRIPTORS_KEPT - workers * DESCRIPTORS_KEPT_PER_WORKER;
  const most = (connections: number): number => Math.max(CONNECTIONS_MIN, Math.floor(connections));
  return {
    clients: most(Math.max(free * SHARE_OF_CLIENTS, free - UPSTREAMS_KEPT)),
    upstreams: most(free * SHARE_OF_UPSTREAMS),
    together: Math.max(2 * CONNECTIONS_MIN, free),
  };
}
