// The rows of an inventory as they arrive: a host has thousands, and the first are shown before the last was read.

/** @typedef {{ vendor: string; protocol: string | null; root: unknown }} Twin */
/**
 * 2.13
 * @typedef {{ org: string; world: string; name: string; base: string; owner?: string; token: string | null;
 *   readToken: string | null; twins: readonly Twin[]; fault?: string }} Row
 */

/** Where the rows are: in the list inside of the answer. */
const DEPTH_OF_ROWS = 2;

/**
 * Of `{ "worlds": [ … ] }`. Throws when the answer ends before its end.
 *
 * @param {ReadableStream<Uint8Array>} stream
 * @returns {AsyncGenerator<readonly Row[]>} those that became whole, in their order
 */
export async function* rowsOf(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const scanner = new Scanner();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const rows = scanner.take(decoder.decode(value, { stream: true }));
      if (rows.length > 0) yield rows;
    }
  } finally {
    // Whoever looks elsewhere by now needs no more of it.
    await reader.cancel().catch(() => {});
  }
  if (!scanner.ended) throw new Error('The list of worlds ended in the middle; read it again.');
}

class Scanner {
  #depth = 0;
  #quoted = false;
  #escaped = false;
  /** Of a row that has begun. */
  #begun = '';

  ended = false;

  /** @param {string} text @returns {readonly Row[]} */
  take(text) {
    /** @type {Row[]} */
    const rows = [];
    let from = this.#depth > DEPTH_OF_ROWS ? 0 : -1;
    for (let at = 0; at < text.length; at++) {
      const turn = this.#turn(text.charCodeAt(at));
      if (turn > 0 && this.#depth === DEPTH_OF_ROWS + 1) from = at;
      if (turn < 0 && this.#depth === DEPTH_OF_ROWS) {
        rows.push(JSON.parse(this.#begun + text.slice(from, at + 1)));
        this.#begun = '';
        from = -1;
      }
      if (turn < 0 && this.#depth === 0) this.ended = true;
    }
    if (from !== -1) this.#begun += text.slice(from);
    return rows;
  }

  /** 1 where something is opened, -1 where it is closed. @param {number} code */
  #turn(code) {
    if (this.#escaped) {
      this.#escaped = false;
      return 0;
    }
    if (code === 0x22) this.#quoted = !this.#quoted;
    else if (this.#quoted) this.#escaped = code === 0x5c;
    else if (code === 0x7b || code === 0x5b) {
      this.#depth += 1;
      return 1;
    } else if (code === 0x7d || code === 0x5d) {
      this.#depth -= 1;
      return -1;
    }
    return 0;
  }
}
