// What someone who typed an unknown word probably meant: for "did you mean" in the config's and the command
// line's complaints. The lists are a dozen words, so a plain distance beats a library (looked at:
// fastest-levenshtein).

/** The candidate within a third of the word's length in edits (at least one), else undefined. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const near = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestEdits = near + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > near) continue;
    const edits = editsBetween(word.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let edits = Math.min(last[column]! + 1, line[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && swapped) edits = Math.min(edits, beforeLast[column - 2]! + 1);
      line.push(edits);
    }
    [beforeLast, last] = [last, line];
  }
  return last[to.length]!;
}
