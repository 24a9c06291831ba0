// A WebSocket of undici's (the runtime's own is one) tells of a failed handshake in a word of its own and keeps the
// cause to itself: of a refusal, its error event gets the error with the record (7.1).
'use strict';

const { UPGRADES_REFUSED_MAX } = require('./limits.cjs');

/** By the URL that was asked for, until the socket's own event comes. */
const refused = new Map();
let telling = false;

/** @param {{ origin: string | URL, path: string, upgrade: string | null }} request undici's */
function upgradeRefused(request, error) {
  if (!request.upgrade) return;
  if (refused.size >= UPGRADES_REFUSED_MAX) refused.clear();
  refused.set(`${request.origin}${request.path}`, error);
  if (telling) return;
  telling = true;
  // Not before there is something to tell: a look at the global WebSocket alone would load all of undici.
  const direct = EventTarget.prototype.dispatchEvent;
  EventTarget.prototype.dispatchEvent = function dispatchEvent(event) {
    if (event?.type === 'error' && refused.size > 0) tell(this, event);
    return Reflect.apply(direct, this, [event]);
  };
}

function tell({ url: text }, event) {
  if (typeof text !== 'string' || !text.startsWith('ws')) return;
  const { protocol, host, pathname, search } = new URL(text);
  const asked = `${protocol.replace('ws', 'http')}//${host}${pathname}${search}`;
  const error = refused.get(asked);
  if (error === undefined) return;
  refused.delete(asked);
  Object.defineProperty(event, 'error', { value: error, enumerable: true });
  Object.defineProperty(event, 'message', { value: error.message, enumerable: true });
}

module.exports = { upgradeRefused };
