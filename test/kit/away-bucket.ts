// A bucket that is away when a test says so: between the worker of the edge and its bucket stands one that asks first.
import { Response, type WorkerOptions } from 'miniflare';

const SCRIPT = `export default env => {
  const asked = method => async (...given) => {
    const { ok } = await env.STATE.fetch('http://state/');
    if (!ok) throw new Error(method + ': We encountered an internal error. Please try again. (10001)');
    return env.BUCKET[method](...given);
  };
  return Object.fromEntries(['put', 'get', 'head', 'delete', 'list'].map(method => [method, asked(method)]));
}`;

export const awayBucket = (isAway: () => boolean): WorkerOptions & { readonly name: string } => ({
  name: 'bucket',
  modules: [{ type: 'ESModule', path: 'bucket.js', contents: SCRIPT }],
  r2Buckets: ['BUCKET'],
  serviceBindings: { STATE: () => new Response(null, { status: isAway() ? 503 : 200 }) },
});
