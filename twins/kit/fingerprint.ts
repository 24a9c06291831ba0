// Whether two texts are the same, where neither may be kept: the requests under one idempotency key may hold a card
// number, and a memo is kept for a day. Not a security boundary, so no cryptography: the caller who could forge a
// collision is the one who chose both.

/** 106 bits of mixing over UTF-16 units, and the length. */
export function digest(text: string): string {
  return `${mix(text, 0x9e37).toString(36)}${mix(text, 0x85eb).toString(36)}.${text.length.toString(36)}`;
}

function mix(text: string, seed: number): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (0x1fffff & low) + (high >>> 0);
}
