// Base64 of bytes of any length, on every runtime that the package runs on: the younger ones alone have a method for it.

const CHUNK_BYTES = 32_768;

export function toBase64(bytes: Uint8Array): string {
  let marks = '';
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES)
    marks += String.fromCharCode(...bytes.subarray(from, from + CHUNK_BYTES));
  return btoa(marks);
}
