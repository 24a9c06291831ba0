// The runtime's own fetch: it rejects with a refusal itself, which is otherwise the cause of "fetch failed" (7.1).
'use strict';

const { RECORD_HEADER, REFUSED, readRecord, refusalError } = require('./refusal.cjs');

function installFetch() {
  const direct = globalThis.fetch;
  if (typeof direct !== 'function') return;
  const property = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
  function fetch(input, init = undefined) {
    return direct(input, init).then(answered, error => {
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

/** Where fetch is none of undici's (deno, bun), nobody saw the answer before it came here. */
function answered(response) {
  const record = response.status === REFUSED ? readRecord(response.headers.get(RECORD_HEADER)) : null;
  if (record === null) return response;
  response.body?.cancel().catch(() => {});
  throw refusalError(record);
}

module.exports = { installFetch };
