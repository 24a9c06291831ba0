// Every TCP connection that this process makes, whoever makes it: `net.Socket.prototype.connect` is where http, https,
// http2, tls, undici and whatever is built on them come together. A connection that leaves the machine is made to the
// world's proxy by CONNECT, and the socket that asked for it goes on with the tunnel's handle, as Node itself does when
// the first of several addresses of a host did not answer (`autoSelectFamily`).
'use strict';

const net = require('node:net');
const { carries, takeUndiciHost, watchUndici } = require('./carries.cjs');
const { connectionError, nativeDirectError } = require('./refusal.cjs');
const { connectDirectly, openTunnel } = require('./tunnel.cjs');
const { installWorldKey } = require('./world-key.cjs');

/** A method of Node's own, by what its releases call it (18.13 was the first). */
const REINITIALIZE =
  symbolOf(net.Socket.prototype, 'kReinitializeHandle') ??
  symbolOf(net.Socket.prototype, 'reinitializeHandle');

/** @param {import('./settings.cjs').Settings} settings */
function installSockets(settings) {
  watchUndici();
  const { world } = settings;
  const keyForHttp = world === null ? null : installWorldKey(world);
  net.Socket.prototype.connect = function connect(...args) {
    const options = optionsOf(args);
    const host = options === null ? null : String(options.host || 'localhost');
    const undiciHost = takeUndiciHost();
    // In the clear undici names the Host of its request for a bare address, so that of its proxy or of loopback too.
    const proxy = host === null ? null : settings.proxyFor(undiciHost ?? host, Number(options.port));
    const carried = carries(this, options, undiciHost);
    if (proxy === null && carried === null && keyForHttp !== null) keyForHttp();
    if (proxy === null || this._parent?.connecting) return Reflect.apply(connectDirectly, this, args);
    if (settings.nativeDirect !== null && carried === 'raw' && !settings.policyUnreadable) {
      const to = meant(host, options);
      const target = `${net.isIPv6(to) ? `[${to}]` : to}:${options.port}`;
      const error = nativeDirectError(settings.nativeDirect(target), options);
      process.nextTick(() => this.destroy(error));
      return this;
    }
    const callback = args.flat().findLast(each => typeof each === 'function');
    if (callback !== undefined) this.once('connect', callback);
    // Every connection of a contained run is read for what it is; by another port than HTTP's own nobody would ask in HTTP.
    const read = settings.contained && carried === 'raw' && this.encrypted && Number(options.port) === 443;
    const told = [read ? null : carried, settings.policyUnreadable ? 'policy-unreadable' : null].filter(
      Boolean,
    );
    tunnel(this, { proxy, host: meant(host, options), port: Number(options.port), told: told.join(', ') });
    return this;
  };
}

/** Null where the connection leads to no host: to a local socket, or nowhere that Node would connect to either. */
function optionsOf(args) {
  let [first] = args;
  // As `net.connect` passes them on: options and callback in a list.
  if (Array.isArray(first)) [first] = first;
  if (typeof first === 'object' && first !== null)
    return first.path || first.port === undefined || first.port === null ? null : first;
  const port = Number(first);
  if (first === '' || !Number.isInteger(port) || port < 0) return null;
  return { port, host: typeof args[1] === 'string' ? args[1] : undefined };
}

function tunnel(socket, to) {
  if (socket.destroyed) {
    // A socket that is used again after it was closed.
    socket._handle = null;
    socket._peername = socket._sockname = null;
    socket._undestroy();
  }
  socket.connecting = true;
  socket._unrefTimer();
  if (REINITIALIZE === undefined || process.versions.bun !== undefined) {
    const why =
      'a socket of this runtime cannot be attached to a world: Node 18.13 and newer and deno can; bun reaches it by fetch';
    return process.nextTick(() => socket.destroy(connectionError(why)));
  }
  const carrier = openTunnel(to, (error, rest) => {
    socket.removeListener('close', giveUp);
    if (error) return void socket.destroy(error);
    if (socket.destroyed) return void carrier.destroy();
    adopt(socket, carrier);
    connected(socket, rest);
  });
  const giveUp = () => carrier.destroy();
  socket.once('close', giveUp);
}

/** The carrier's connection becomes the socket's own. */
function adopt(socket, carrier) {
  const handle = carrier._handle;
  carrier._handle = null;
  carrier.destroy();
  handle.readStop();
  handle.reading = false;
  const owner = symbolOf(handle, 'owner_symbol');
  if (owner !== undefined) handle[owner] = socket;
  const before = socket._handle;
  socket[REINITIALIZE](handle);
  // Whoever took a socket's handle before it was connected (msw, nock) hears of the socket's events, and reads in vain.
  if (before) for (const name of ['readStart', 'readStop']) before[name] = () => 0;
}

/** As Node's own `afterConnect`. */
function connected(socket, rest) {
  socket.connecting = false;
  socket._sockname = null;
  socket._unrefTimer();
  const set = name => socket[symbolOf(socket, name)];
  if (set('kSetNoDelay')) socket._handle.setNoDelay?.(true);
  if (set('kSetKeepAlive')) socket._handle.setKeepAlive?.(true, set('kSetKeepAliveInitialDelay') ?? 0);
  socket.emit('connect');
  socket.emit('ready');
  if (rest.length > 0) socket.push(rest);
  if (!socket.destroyed && !socket.isPaused()) socket.read(0);
}

function symbolOf(object, description) {
  for (let at = object; at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertySymbols(at).find(symbol => symbol.description === description);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Some clients look a name up by themselves and connect to its address (nodemailer): TLS tells the name. */
function meant(host, { servername }) {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  const named = typeof servername === 'string' && servername !== '' && net.isIP(servername) === 0;
  return named && net.isIP(bare) !== 0 ? servername : bare;
}

module.exports = { installSockets };
