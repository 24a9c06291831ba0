// WebSockets of the `ws` library, and so of the SDKs that are built on it: they bring a connection of their own making
// to `http.request`, which no agent sees. Of requests that bring one, these alone are touched: of any other it cannot
// be told where its connection leads.
'use strict';

const http = require('node:http');
const https = require('node:https');
const { syncBuiltinESMExports } = require('node:module');
const { openTunnel } = require('./tunnel.cjs');

/** @param {import('./settings.cjs').Settings} settings */
function installUpgrades(settings) {
  wrap(http, 'http:', 80, settings);
  wrap(https, 'https:', 443, settings);
  syncBuiltinESMExports();
}

function wrap(module, protocol, defaultPort, settings) {
  const direct = module.request;
  module.request = function request(...args) {
    const [options] = args;
    if (bringsConnection(options)) {
      const host = options.host || options.hostname || 'localhost';
      const port = Number(options.port || defaultPort);
      const proxy = settings.proxyFor(protocol, host, port);
      if (proxy !== null) {
        const createConnection = tunnelled({ ...options, protocol, host, port }, proxy);
        args[0] = { ...options, createConnection };
      }
    }
    return Reflect.apply(direct, this, args);
  };
}

function bringsConnection(options) {
  if (typeof options !== 'object' || options === null || typeof options.createConnection !== 'function')
    return false;
  if (options.agent || options.socketPath || options.socket) return false;
  return Object.entries(options.headers || {}).some(
    ([name, value]) => name.toLowerCase() === 'upgrade' && String(value).toLowerCase() === 'websocket',
  );
}

function tunnelled({ protocol, host, port, createConnection }, proxy) {
  return (options, callback) => {
    openTunnel(proxy, host, port, (error, tunnel) => {
      if (error) return callback(error);
      if (protocol === 'https:') return callback(null, createConnection({ ...options, socket: tunnel }));
      callback(null, tunnel);
      // The request takes the socket on the next tick; only then may its bytes flow.
      process.nextTick(() => tunnel.resume());
    });
  };
}

module.exports = { installUpgrades };
