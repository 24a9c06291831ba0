// Base64 of bytes of any length, on every runtime that the package runs on: the younger ones alone have a method for it.

const CHUNK_BYTES = 32_768;

export function toBase64(bytes: Uint8Array): string {
  let marks = '';
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES)
    marks += String.fromCharCode(...bytes.subarray(from, from + CHUNK_BYTES));
  return btoa(marks);
}

/** Null for what is no Base64. */
export function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), mark => mark.charCodeAt(0));
  } catch {
    return null;
  }
}
