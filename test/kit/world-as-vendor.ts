// A world in the place of a real vendor: it answers as the vendor does, and knows nothing of the world that asks it.
import type { VendorAsks } from '../../control/world/roots/vendor-asks.ts';
import type { World } from '../../control/world/world.ts';
import type { VendorAnswer, VendorRequest } from '../../twins/kit/real-vendor.ts';

export type AskedVendor = VendorAsks & {
  /** As they were asked: `GET /v1/customers?limit=100`. */
  readonly asked: string[];
};

/** `instead`: an answer in the place of the world's, or null. */
export function worldAsVendor(
  world: () => World,
  {
    key,
    instead,
  }: {
    readonly key: string;
    readonly instead?: (request: VendorRequest) => Promise<Awaited<ReturnType<VendorAsks['ask']>> | null>;
  },
): AskedVendor {
  const asked: string[] = [];
  return {
    asked,
    ask: async (twin, request) => {
      asked.push(`${request.method} ${request.path}`);
      const other = await instead?.(request);
      if (other !== undefined && other !== null) return other;
      const [path = '', query = ''] = request.path.split('?');
      const headers = Object.fromEntries(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
      const reply = await world().call(twin, {
        method: request.method,
        host: 'vendor.test',
        via: 'host',
        path,
        query,
        headers: { ...headers, authorization: `Bearer ${key}` },
        body: new Uint8Array(),
        caller: null,
        scope: 'write',
        trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: null },
      });
      return {
        ok: true,
        ms: 1,
        status: reply.status,
        headers: reply.headers,
        body: new TextEncoder().encode(typeof reply.body === 'string' ? reply.body : ''),
      } satisfies VendorAnswer & { ok: true; ms: number };
    },
  };
}
