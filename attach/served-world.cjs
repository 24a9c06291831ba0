// A program with WRLD_WORLD and WRLD_WORLD_TOKEN and nothing else of a run (4.2): its world is served elsewhere. Before
// the program's first line `wrld-world attach --hold` is started beside it, which reads the world's manifest, listens
// for its streams, and stands in for a proxy where the world has none; its variables become the program's. It ends with
// the program.
'use strict';

const { readFileSync } = require('node:fs');
const {
  getEnvironmentData,
  MessageChannel,
  receiveMessageOnPort,
  setEnvironmentData,
  Worker,
} = require('node:worker_threads');
const { ATTACH_MS_MAX } = require('./limits.cjs');

/** The world's authority, for this process's other threads. */
const TRUSTED = 'wrld.attach.trusted';

/** Changes `process.env`; ends the process where it cannot be attached: what it would reach is the real vendor. */
function attachToServedWorld() {
  const { WRLD_WORLD: url, WRLD_WORLD_TOKEN: token, ...env } = process.env;
  // A node of its own, and nothing of this module.
  for (const name of ['NODE_OPTIONS', 'WRLD_RUN_VARIABLES']) delete env[name];
  const done = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(require.resolve('./served-world-worker.cjs'), {
    workerData: { url, env: { ...env, WRLD_WORLD_TOKEN: token }, done, port: port2 },
    transferList: [port2],
    env: { ...env },
    execArgv: [],
  });
  // The program's end is not this thread's to wait for; where it ends, what it started ends.
  worker.unref();
  const why =
    Atomics.wait(done, 0, 0, ATTACH_MS_MAX) === 'timed-out'
      ? `no answer within ${ATTACH_MS_MAX / 1000} s`
      : adopt(receiveMessageOnPort(port1)?.message);
  port1.close();
  if (why === null) return;
  console.error(`wrld: this process is not attached to ${url}, and so not started: ${why}`);
  process.exit(1);
}

/** Null, or why there is nothing to adopt. */
function adopt(message) {
  if (message?.env === undefined) return message?.why ?? 'nothing was said';
  Object.assign(process.env, message.env);
  setEnvironmentData(TRUSTED, readFileSync(message.env.NODE_EXTRA_CA_CERTS, 'utf8'));
  trustInThread();
  return null;
}

/** NODE_EXTRA_CA_CERTS is read as a process starts, and this one has: each of its threads does it by itself. */
function trustInThread() {
  const pem = getEnvironmentData(TRUSTED);
  if (pem === undefined) return;
  const tls = require('node:tls');
  if (typeof tls.setDefaultCACertificates === 'function') {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), pem]);
    return;
  }
  const direct = tls.createSecureContext;
  tls.createSecureContext = options => {
    const secure = direct(options);
    secure.context.addCACert(pem);
    return secure;
  };
}

module.exports = { attachToServedWorld, trustInThread };
