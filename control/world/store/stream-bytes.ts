// Somebody else's bytes as they come, read whole up to a bound.

/** Null for more than `bytesMax`: the rest is let go of. Throws what the stream throws. */
export const readWhole = async (
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Uint8Array | null> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
};
