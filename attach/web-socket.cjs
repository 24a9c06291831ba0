// The runtime's own WebSocket tells of a failed handshake in a word of its own and keeps the cause to itself: of a
// refusal, its error event gets the error with the record (7.1).
'use strict';

const { UPGRADES_REFUSED_MAX } = require('./limits.cjs');

/** By the URL that was asked for, until the socket's own event comes in the same breath. */
const refused = new Map();

/** @param {{ origin: string | URL, path: string, upgrade: string | null }} request undici's */
function upgradeRefused(request, error) {
  if (!request.upgrade) return;
  if (refused.size >= UPGRADES_REFUSED_MAX) refused.clear();
  refused.set(`${request.origin}${request.path}`, error);
}

function installWebSocket() {
  const property = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  if (property === undefined || !property.configurable) return;
  const set = value =>
    Object.defineProperty(globalThis, 'WebSocket', {
      value,
      writable: true,
      configurable: true,
      enumerable: property.enumerable,
    });
  // The first look at it loads undici, which is the program's to do.
  Object.defineProperty(globalThis, 'WebSocket', {
    configurable: true,
    enumerable: property.enumerable,
    get() {
      const direct = property.get === undefined ? property.value : property.get.call(globalThis);
      const told = typeof direct === 'function' ? telling(direct) : direct;
      set(told);
      return told;
    },
    set,
  });
}

function telling(direct) {
  return new Proxy(direct, {
    construct(WebSocket, args, target) {
      const socket = Reflect.construct(WebSocket, args, target);
      socket.addEventListener('error', event => {
        const url = new URL(socket.url);
        const asked = `${url.protocol.replace('ws', 'http')}//${url.host}${url.pathname}${url.search}`;
        const error = refused.get(asked);
        if (error === undefined) return;
        refused.delete(asked);
        Object.defineProperty(event, 'error', { value: error, enumerable: true });
        Object.defineProperty(event, 'message', { value: error.message, enumerable: true });
      });
      return socket;
    },
  });
}

module.exports = { installWebSocket, upgradeRefused };
