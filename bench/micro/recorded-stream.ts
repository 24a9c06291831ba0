// How near to its recorded times a stream is replayed: 300 pieces, 10 ms apart, of one stream and of 20 at once. Told are the
// median, the 99th percentile and the largest distance, in milliseconds. Run by hand:
// node bench/micro/recorded-stream.ts
import { rawBody } from '../../twins/kit/raw-reply.ts';

const PIECES = 300;
const APART_MS = 10;

const chunks = Array.from({ length: PIECES }, (_, at) => ({ atMs: at * APART_MS, text: `data: ${at}\n\n` }));

async function distances(): Promise<readonly number[]> {
  const stream = rawBody({ chunks }) as AsyncIterable<Uint8Array>;
  const from = performance.now();
  const found: number[] = [];
  for await (const _piece of stream)
    found.push(Math.abs(performance.now() - from - chunks[found.length]!.atMs));
  return found;
}

for (const streams of [1, 20]) {
  const all = (await Promise.all(Array.from({ length: streams }, distances))).flat().sort((a, b) => a - b);
  const at = (share: number): string =>
    all[Math.min(all.length - 1, Math.floor(all.length * share))]!.toFixed(2);
  console.log(`${streams} at once: median ${at(0.5)}, 99 % ${at(0.99)}, largest ${at(1)} ms`);
}
