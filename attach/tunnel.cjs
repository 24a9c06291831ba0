// A connection to a host by CONNECT through the world's proxy, as a plain socket that carries what follows.
'use strict';

const net = require('node:net');
const { TUNNEL_ANSWER_BYTES_MAX, TUNNEL_MS_MAX } = require('./limits.cjs');
const { RECORD_HEADER, connectionError, readRecord, refusalError } = require('./refusal.cjs');

/** As Node has it, whatever is made of it here. */
const connectDirectly = net.Socket.prototype.connect;

/**
 * @param {{ proxy: import('./settings.cjs').Proxy, host: string, port: number, told: string }} to
 *   `told`: what the proxy is told of the connection (proxy/core/connect.ts); nothing when empty.
 * @param {(error: Error | null, rest?: Buffer) => void} done called once; the socket is paused, and `rest` came after
 *   the proxy's answer.
 * @returns {import('node:net').Socket} nobody reads it before `done` was called without an error
 */
function openTunnel({ proxy, host, port, told }, done) {
  const authority = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
  const socket = new net.Socket();
  let answer = Buffer.alloc(0);
  let over = false;

  const settle = (error, rest) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    socket.removeListener('data', onData);
    socket.removeListener('end', onEnd);
    if (error) socket.destroy();
    done(error, rest);
  };
  const onData = bytes => {
    answer = answer.length === 0 ? bytes : Buffer.concat([answer, bytes]);
    const end = answer.indexOf('\r\n\r\n');
    if (end === -1) {
      if (answer.length > TUNNEL_ANSWER_BYTES_MAX)
        settle(connectionError(`the proxy's answer to CONNECT ${authority} has no end`));
      return;
    }
    const head = answer.toString('latin1', 0, end);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
    if (status >= 200 && status < 300) {
      socket.pause();
      return settle(null, answer.subarray(end + 4));
    }
    // The proxy's own words are in the body.
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Infinity);
    if (answer.length >= Math.min(end + 4 + length, TUNNEL_ANSWER_BYTES_MAX)) onEnd();
  };
  const onEnd = () => settle(errorOf(authority, answer));
  const timer = setTimeout(
    () =>
      settle(
        Object.assign(new Error(`no answer from the proxy to CONNECT ${authority}`), { code: 'ETIMEDOUT' }),
      ),
    TUNNEL_MS_MAX,
  );
  // An idle timer alone must not keep a process that has nothing else to do.
  timer.unref();

  // Stays for good: an error of a socket that nobody hears ends the process.
  socket.on('error', error => settle(unreachable(proxy, error)));
  socket.on('end', onEnd);
  socket.on('data', onData);
  socket.on('connect', () => {
    const authorization =
      proxy.authorization === null ? '' : `Proxy-Authorization: ${proxy.authorization}\r\n`;
    const attached = told === '' ? '' : `X-Wrld-Attached: ${told}\r\n`;
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}${attached}\r\n`);
  });
  connectDirectly.call(socket, { host: proxy.host, port: proxy.port, noDelay: true });
  return socket;
}

function errorOf(authority, answer) {
  const text = answer.toString('utf8');
  const [head, body = ''] = text.split(/\r\n\r\n([\s\S]*)/);
  const field = new RegExp(`^${RECORD_HEADER}: *(.*)$`, 'im').exec(head)?.[1];
  const record = readRecord(field?.trim() ?? body.trim().split('\n').at(-1));
  if (record !== null) return refusalError(record);
  const line = /^HTTP\/1\.[01] ([^\r\n]*)/.exec(head)?.[1] ?? 'nothing';
  return connectionError(
    `the world's proxy answered ${line} to CONNECT ${authority}${body === '' ? '' : `: ${body.trim()}`}`,
  );
}

/** Its own code stays: programs look at it. */
function unreachable(proxy, error) {
  const fix = 'is the world up? wrld world up, or start the program anew with wrld world run';
  const told = new Error(
    `the world's proxy at ${proxy.host}:${proxy.port} cannot be reached (${error.code ?? error.message}): ${fix}`,
  );
  return Object.assign(told, { code: error.code ?? 'ECONNREFUSED', cause: error });
}

module.exports = { connectDirectly, openTunnel };
