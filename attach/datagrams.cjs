// UDP: nothing that a world has reads datagrams, so what leaves the machine is refused, with the record that the proxy
// has for the destination.
'use strict';

const dgram = require('node:dgram');
const { openTunnel } = require('./tunnel.cjs');
const { connectionError } = require('./refusal.cjs');

/** @param {import('./settings.cjs').Settings} settings */
function installDatagrams(settings) {
  const { prototype } = dgram.Socket;
  for (const name of ['send', 'connect']) {
    const direct = prototype[name];
    prototype[name] = function (...args) {
      const { port, host } = name === 'send' ? sentTo(args) : connectedTo(args);
      const proxy = typeof host === 'string' && host !== '' ? settings.proxyFor(host, Number(port)) : null;
      if (proxy === null) return Reflect.apply(direct, this, args);
      const callback = args.findLast(each => typeof each === 'function');
      refuse(this, { proxy, host, port, told: 'datagram' }, callback);
      return undefined;
    };
  }
}

/** (message, [offset, length,] [port,] [address,] [callback]); without an address it goes to this machine. */
function sentTo([, second, third, fourth, fifth]) {
  const parts = typeof second === 'number' && typeof third === 'number';
  return parts ? { port: fourth, host: fifth } : { port: second, host: third };
}

function connectedTo([port, host]) {
  return { port, host };
}

function refuse(socket, to, callback) {
  const carrier = openTunnel(to, error => {
    carrier.destroy();
    const why = error ?? connectionError(`datagrams to ${to.host} cannot be carried by the world's proxy`);
    if (callback !== undefined) callback(why);
    else socket.emit('error', why);
  });
}

module.exports = { installDatagrams };
