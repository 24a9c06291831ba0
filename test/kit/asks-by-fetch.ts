// How a root is asked over real sockets, in a test: with a credential that the test knows, and the bounds that are given.
import type { VendorAnswered, VendorAsks } from '../../control/world/roots/vendor-asks.ts';

export function asksByFetch(url: () => string, headers: readonly (readonly [string, string])[]): VendorAsks {
  return {
    ask: async (_twin, request, { timeoutMs, bodyBytesMax }): Promise<VendorAnswered> => {
      const no = (why: 'no-answer' | 'too-large', message: string): VendorAnswered => ({
        ok: false,
        why,
        message,
        sent: true,
      });
      try {
        const answer = await fetch(`${url()}${request.path}`, {
          method: request.method,
          headers: [...request.headers, ...headers].map(([name, value]): [string, string] => [name, value]),
          body: request.body as string | Uint8Array<ArrayBuffer> | null,
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
        });
        const parts: Uint8Array[] = [];
        let bytes = 0;
        for await (const part of answer.body ?? []) {
          bytes += part.length;
          // Leaving the loop gives the rest up.
          if (bytes > bodyBytesMax) return no('too-large', `the answer is longer than ${bodyBytesMax} bytes`);
          parts.push(part);
        }
        const body = new Uint8Array(Buffer.concat(parts));
        return { ok: true, ms: 1, status: answer.status, headers: [...answer.headers], body };
      } catch (error) {
        return no('no-answer', (error as Error).message);
      }
    },
  };
}
