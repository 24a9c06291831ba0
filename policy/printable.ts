// Text that a client sent, on its way into a refusal: what a terminal, a log or a page would act on is
// escaped, and its length is bounded.

/** Control characters, lone surrogates, and the marks that reorder or break a line. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202f\u2066-\u2069\ufeff\ud800-\udfff]/g;

/** `text` with everything unprintable as `\xNN` or `\uNNNN`, cut to `limit` characters with `…` at the cut. */
export function printable(text: string, limit: number): string {
  const cut = text.length > limit * 4 ? text.slice(0, limit * 4) : text;
  const safe = cut.replace(UNSAFE, char => {
    const code = char.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return safe.length > limit ? `${safe.slice(0, limit - 1)}…` : safe;
}
