// How much was said, in tokens. No vendor's tokenizer: four characters are a token, which is near for English, and
// the same text always counts the same.

const CHARS_PER_TOKEN = 4;
/** What a message costs besides its text. */
const MESSAGE_TOKENS = 4;

export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

export function messageTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + MESSAGE_TOKENS + tokensOf(text), 0);
}

/** The text as far as so many tokens go. */
export function withinTokens(
  text: string,
  tokens: number | null,
): { readonly text: string; readonly cut: boolean } {
  if (tokens === null || tokensOf(text) <= tokens) return { text, cut: false };
  return { text: text.slice(0, tokens * CHARS_PER_TOKEN), cut: true };
}

/** The text before the first stop sequence in it. */
export function beforeStop(
  text: string,
  stops: readonly string[],
): { readonly text: string; readonly stop: string | null } {
  let found: { at: number; stop: string } | null = null;
  for (const stop of stops) {
    const at = stop === '' ? -1 : text.indexOf(stop);
    if (at >= 0 && (found === null || at < found.at)) found = { at, stop };
  }
  return found === null ? { text, stop: null } : { text: text.slice(0, found.at), stop: found.stop };
}

/** Tells one text from another (FNV-1a, 64 bits, in hex). */
export function textDigest(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let at = 0; at < text.length; at += 1) {
    low = (low ^ text.charCodeAt(at)) >>> 0;
    // × 0x100000001b3, in halves that a double holds exactly.
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 0x1_0000_0000) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}
