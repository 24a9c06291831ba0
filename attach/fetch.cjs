// The runtime's own fetch and WebSocket, on releases that do not read the proxy from the environment.
'use strict';

const net = require('node:net');
const tls = require('node:tls');
const { openTunnel } = require('./tunnel.cjs');

/** Where the fetch inside Node keeps its dispatcher; npm's undici up to 7 shares it. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/** @param {import('./settings.cjs').Settings} settings */
function installFetch(settings) {
  if (typeof globalThis.fetch !== 'function' || readsEnvironment()) return;
  // The dispatcher is made when fetch is first used; this use reaches no network.
  globalThis.fetch('data:,').catch(() => {});
  const Agent = globalThis[GLOBAL_DISPATCHER]?.constructor;
  if (Agent?.name !== 'Agent') return;
  globalThis[GLOBAL_DISPATCHER] = new Agent({ connect: connector(settings) });
}

/** True where Node's fetch goes through the proxy by itself: 22.21 and 24, when asked to. */
function readsEnvironment() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const able = major >= 24 || (major === 22 && minor >= 21);
  return able && process.env.NODE_USE_ENV_PROXY === '1';
}

function connector(settings) {
  return function connect({ hostname, protocol, port: portText, servername }, done) {
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const port = Number(portText || (protocol === 'https:' ? 443 : 80));
    const secure = socket => {
      if (protocol !== 'https:') return done(null, socket);
      const name = servername || (net.isIP(host) ? undefined : host);
      const wrapped = tls.connect({ socket, host, servername: name, ALPNProtocols: ['http/1.1'] });
      once(wrapped, 'secureConnect', done);
    };
    const proxy = settings.proxyFor(protocol, host, port);
    if (proxy === null)
      once(net.connect({ host, port }), 'connect', (error, socket) => (error ? done(error) : secure(socket)));
    else openTunnel(proxy, host, port, (error, socket) => (error ? done(error) : secure(socket)));
  };
}

/** The socket when it is ready, or the error that came first. */
function once(socket, ready, done) {
  const onReady = () => {
    socket.removeListener('error', onError);
    done(null, socket);
  };
  const onError = error => {
    socket.removeListener(ready, onReady);
    done(error);
  };
  socket.once(ready, onReady);
  socket.once('error', onError);
}

module.exports = { installFetch };
