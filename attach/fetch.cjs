// The runtime's own fetch: it rejects with a refusal itself, which is otherwise the cause of "fetch failed". And where
// the runtime was told to use a proxy by itself (NODE_USE_ENV_PROXY), its connections are made here like all others:
// what the proxy is told of a connection must not depend on the release of Node.
'use strict';

/** Where undici keeps its dispatcher, of its releases up to 7 and of 8: one in the process, npm's and Node's own. */
const DISPATCHERS = ['undici.globalDispatcher.2', 'undici.globalDispatcher.1'].map(name => Symbol.for(name));

function installFetch() {
  const direct = globalThis.fetch;
  if (typeof direct !== 'function') return;
  const property = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
  function fetch(input, init = undefined) {
    return direct(input, init).catch(error => {
      throw error?.cause?.worldRefusal === undefined ? error : error.cause;
    });
  }
  Object.defineProperty(globalThis, 'fetch', {
    value: fetch,
    writable: true,
    configurable: true,
    enumerable: property?.enumerable ?? true,
  });
}

function installOwnProxy() {
  let agent = null;
  for (const key of DISPATCHERS) {
    const dispatcher = globalThis[key];
    if (dispatcher === undefined) continue;
    // undici 8 stands in for older ones by a wrapper of its own dispatcher.
    if (dispatcher.constructor.name === 'Dispatcher1Wrapper') {
      if (agent !== null) globalThis[key] = new dispatcher.constructor(agent);
      continue;
    }
    const direct = Object.getOwnPropertySymbols(dispatcher).find(
      symbol => symbol.description === 'no proxy agent',
    );
    if (direct !== undefined) agent = globalThis[key] = dispatcher[direct];
  }
  // Nobody has used a dispatcher yet, so the runtime itself set it, and with it the agents of node:http.
  if (agent === null) return;
  for (const name of ['node:http', 'node:https']) {
    const module = require(name);
    const { keepAlive, scheduling, timeout } = module.globalAgent.options;
    module.globalAgent = new module.Agent({ keepAlive, scheduling, timeout });
  }
}

module.exports = { installFetch, installOwnProxy };
