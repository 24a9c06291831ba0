// What a connection that is being made will carry, by who makes it. HTTP/1.1 the proxy reads and answers request by
// request; of anything else it is told beforehand, so that a refusal can be told while there is still somebody to hear it.
'use strict';

const channels = require('node:diagnostics_channel');

/** undici says of a connection that it is about to make it, and makes it in the same breath. */
let undiciConnects = false;

function watchUndici() {
  channels.channel('undici:client:beforeConnect').subscribe(() => {
    undiciConnects = true;
    queueMicrotask(() => {
      undiciConnects = false;
    });
  });
}

/**
 * @param {import('node:net').Socket} socket that is to be connected
 * @param {object | null} options of the connection
 * @returns {'raw' | 'http2' | null} null: HTTP/1.1, or it is to be seen
 */
function carries(socket, options) {
  const byUndici = undiciConnects;
  undiciConnects = false;
  if (byUndici || options === null) return null;
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

module.exports = { carries, watchUndici };
