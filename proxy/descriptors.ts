// File descriptors are what a proxy runs out of first: a client takes one, and its upstream another. Where the system
// grants few, fewer clients are let in, so that each that is let in can be served and the others can be told.
import { DESCRIPTORS_KEPT, DESCRIPTORS_KEPT_PER_WORKER } from './limits.ts';

/** Of the rest: clients, and as much for what they ask for; what is left over is for idle upstream connections. */
const SHARE_OF_CLIENTS = 0.4;
/** Below this there is no serving anybody, whatever is left. */
const CONNECTIONS_MIN = 4;

/** Client connections that all workers together can serve with so many descriptors. */
export function connectionsFor(descriptors: number, workers: number): number {
  const free = descriptors - DESCRIPTORS_KEPT - workers * DESCRIPTORS_KEPT_PER_WORKER;
  return Math.max(CONNECTIONS_MIN, Math.floor(free * SHARE_OF_CLIENTS));
}
