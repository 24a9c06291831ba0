// A request as a world is given it, by whoever measures in the world's own process.
import type { Call } from '../twins/kit/call.ts';

export const BENCH_CALL: Call = {
  method: 'GET',
  host: 'bench.test',
  via: 'host',
  path: '/',
  query: '',
  headers: {},
  body: new Uint8Array(),
  caller: 'token',
  scope: 'write',
  trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
};
