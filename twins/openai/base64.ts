// Bytes as base64, in slices that `String.fromCharCode` takes.
const SLICE_BYTES = 8_192;

export function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += SLICE_BYTES)
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  return btoa(binary);
}
