// A connection to a host by CONNECT through the world's proxy, as a plain socket that carries what follows.
'use strict';

const net = require('node:net');
const { TUNNEL_ANSWER_BYTES_MAX, TUNNEL_MS_MAX } = require('./limits.cjs');

/** @param {(error: Error | null, socket?: import('node:net').Socket) => void} done called once */
function openTunnel(proxy, host, port, done) {
  const authority = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
  const socket = net.connect({ host: proxy.host, port: proxy.port });
  let answer = Buffer.alloc(0);
  let over = false;

  const settle = (error, result) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    socket.removeListener('data', onData);
    socket.removeListener('error', settle);
    socket.removeListener('end', onEnd);
    if (error) socket.destroy();
    done(error, result);
  };
  const onData = bytes => {
    answer = Buffer.concat([answer, bytes]);
    const end = answer.indexOf('\r\n\r\n');
    if (end === -1) {
      if (answer.length > TUNNEL_ANSWER_BYTES_MAX)
        settle(new Error(`the proxy's answer to CONNECT ${authority} has no end`));
      return;
    }
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer.toString('latin1', 0, end))?.[1]);
    // A refusal says why in its body: wait for the whole of it.
    if (!(status >= 200 && status < 300)) {
      const length = Number(
        /\r\ncontent-length: *(\d+)/i.exec(answer.toString('latin1', 0, end))?.[1] ?? Infinity,
      );
      if (answer.length >= Math.min(end + 4 + length, TUNNEL_ANSWER_BYTES_MAX)) onEnd();
      return;
    }
    socket.pause();
    const rest = answer.subarray(end + 4);
    if (rest.length > 0) socket.unshift(rest);
    settle(null, socket);
  };
  const onEnd = () => settle(refused(authority, answer));
  const timer = setTimeout(
    () =>
      settle(
        Object.assign(new Error(`no answer from the proxy to CONNECT ${authority}`), { code: 'ETIMEDOUT' }),
      ),
    TUNNEL_MS_MAX,
  );
  // An idle timer alone must not keep a process that has nothing else to do.
  timer.unref();

  socket.on('error', settle);
  socket.on('end', onEnd);
  socket.on('data', onData);
  socket.on('connect', () => {
    const authorization =
      proxy.authorization === null ? '' : `Proxy-Authorization: ${proxy.authorization}\r\n`;
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  });
}

/** 7.1: the refusal's text is the message, its record is at hand, and the code is a socket's. */
function refused(authority, answer) {
  const text = answer.toString('utf8');
  const [head, body = ''] = text.split(/\r\n\r\n([\s\S]*)/);
  const line = /^HTTP\/1\.[01] ([^\r\n]*)/.exec(head)?.[1] ?? 'no answer';
  const error = new Error(`the proxy answered ${line} to CONNECT ${authority}`);
  error.code = 'ECONNREFUSED';
  const at = body.indexOf('{"kind":"wrld-world-refusal"');
  if (at !== -1) {
    try {
      error.worldRefusal = JSON.parse(body.slice(at).split('\n')[0]);
      error.message = body.slice(0, at).trim() || error.message;
    } catch {
      // Cut short: the status line says what is left to say.
    }
  }
  return error;
}

module.exports = { openTunnel };
