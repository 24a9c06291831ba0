// The runtime's own fetch: it rejects with a refusal itself, which is otherwise the cause of "fetch failed" (7.1).
'use strict';

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

module.exports = { installFetch };
