// File descriptors are what a proxy runs out of first: a client takes one, and its upstream another. Where the system
// grants few, fewer of both are had at once, so that each client that is let in can be served and the others can be told:
// the system itself tells nobody, it resets who comes when none are left.
import { DESCRIPTORS_KEPT, DESCRIPTORS_KEPT_PER_WORKER } from './limits.ts';

/** Of the rest; a client of HTTP/2 has several upstream connections, and some are idle. */
const SHARE_OF_CLIENTS = 0.4;
const SHARE_OF_UPSTREAMS = 0.6;
/** Below this there is no serving anybody, whatever is left. */
const CONNECTIONS_MIN = 4;

/** Client connections that all workers together can serve with so many descriptors. */
export function connectionsFor(descriptors: number, workers: number): number {
  return Math.max(CONNECTIONS_MIN, Math.floor(freeOf(descriptors, workers) * SHARE_OF_CLIENTS));
}

/** Upstream connections that all workers together can have open beside those clients. */
export function upstreamsFor(descriptors: number, workers: number): number {
  return Math.max(CONNECTIONS_MIN, Math.floor(freeOf(descriptors, workers) * SHARE_OF_UPSTREAMS));
}

function freeOf(descriptors: number, workers: number): number {
  return descriptors - DESCRIPTORS_KEPT - workers * DESCRIPTORS_KEPT_PER_WORKER;
}
