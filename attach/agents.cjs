// node:http and node:https: every Agent, the process's own and those an SDK makes, gets its connections here.
'use strict';

const http = require('node:http');
const https = require('node:https');
const { openTunnel } = require('./tunnel.cjs');

/** @param {import('./settings.cjs').Settings} settings */
function installAgents(settings) {
  wrap(http.Agent.prototype, 'http:', 80, settings);
  wrap(https.Agent.prototype, 'https:', 443, settings);
}

function wrap(prototype, protocol, defaultPort, settings) {
  const direct = prototype.createConnection;
  prototype.createConnection = function createConnection(...args) {
    const [options, callback] = args;
    // Called by hand with (port, host), or for a local socket, or by an agent that Node itself points at the
    // proxy: not ours.
    const ours = typeof options === 'object' && options !== null && typeof callback === 'function';
    if (!ours || options.socketPath || options.socket || this.options?.proxyEnv) {
      return Reflect.apply(direct, this, args);
    }
    const host = options.host || 'localhost';
    const port = Number(options.port || defaultPort);
    const proxy = settings.proxyFor(protocol, host, port);
    if (proxy === null) return Reflect.apply(direct, this, args);
    openTunnel(proxy, host, port, (error, tunnel) => {
      if (error) return callback(error);
      if (options.keepAlive) tunnel.setKeepAlive(true, options.keepAliveInitialDelay);
      if (protocol === 'http:') {
        callback(null, tunnel);
        // The request takes the socket on the next tick; only then may its bytes flow.
        return process.nextTick(() => tunnel.resume());
      }
      // Node's own function still makes the TLS: sessions, ALPN and the caller's options stay as they were.
      callback(null, direct.call(this, { ...options, socket: tunnel }));
    });
    return undefined;
  };
}

module.exports = { installAgents };
