// What a connection that is being made will carry, by who makes it. HTTP/1.1 the proxy reads and answers request by
// request; of anything else it is told beforehand, so that a refusal can be told while there is still somebody to hear it.
'use strict';

const channels = require('node:diagnostics_channel');

/** undici says of a connection whereto it is about to make it, and makes it in the same breath; null when it is none. */
let undiciConnectsTo = null;

function watchUndici() {
  channels.channel('undici:client:beforeConnect').subscribe(({ connectParams }) => {
    undiciConnectsTo = connectParams.hostname;
    queueMicrotask(() => {
      undiciConnectsTo = null;
    });
  });
}

/** The host of undici's connection that is being made now, where that is one; not to be asked twice. */
function takeUndiciHost() {
  const host = undiciConnectsTo;
  undiciConnectsTo = null;
  return host;
}

/**
 * @param {import('node:net').Socket} socket that is to be connected
 * @param {object | null} options of the connection
 * @param {string | null} undiciHost
 * @returns {'raw' | 'http2' | null} null: HTTP/1.1, or it is to be seen
 */
function carries(socket, options, undiciHost) {
  if (undiciHost !== null || options === null) return null;
  // An agent of node:http marks what it asks for; a request that brings its own connection passes all its options.
  if (options._agentKey !== undefined || typeof options.headers === 'object') return null;
  const protocols = socket.encrypted ? protocolsOf(options.ALPNProtocols) : [];
  if (protocols.includes('http/1.1')) return null;
  return protocols.includes('h2') ? 'http2' : 'raw';
}

/** A list, or what goes over the wire: each name after its length. */
function protocolsOf(given) {
  if (Array.isArray(given)) return given.map(String);
  if (!ArrayBuffer.isView(given)) return [];
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const names = [];
  for (let at = 0; at < bytes.length; at += 1 + bytes[at])
    names.push(bytes.toString('latin1', at + 1, at + 1 + bytes[at]));
  return names;
}

module.exports = { carries, takeUndiciHost, watchUndici };
