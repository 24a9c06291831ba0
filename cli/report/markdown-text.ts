// Text of a world's data inside Markdown: whatever a record holds, it is read as it is written. No link, no mention, no image
// and no HTML of anybody's is made of it, and no table ends early.

/** Escapes every character that means something to Markdown or to a code host, in running text and in cells of tables. */
export function escaped(text: string): string {
  return markup(inert(text)).replaceAll(MARKS, '\\$&');
}

/** Between back-quotes, where a code host reads nothing but a table's bars. */
export function code(text: string): string {
  const clean = text.replaceAll(CONTROLS, ' ').replaceAll('|', '\\|').trim();
  if (clean === '') return '` `';
  const longest = Math.max(0, ...(clean.match(/`+/g) ?? []).map(run => run.length));
  const fence = '`'.repeat(longest + 1);
  const room = clean.startsWith('`') || clean.endsWith('`') ? ' ' : '';
  return fence + room + clean + room + fence;
}

/** Rows are of cells that are Markdown already. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** Folded away under its title, both Markdown already. */
export function folded(title: string, lines: readonly string[]): readonly string[] {
  return ['<details>', `<summary>${title}</summary>`, '', ...lines, '', '</details>', ''];
}

/** For a title inside HTML, where Markdown is not read: text that is nobody's markup. */
export function htmlText(text: string): string {
  return markup(inert(text));
}

function markup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * A mention, a reference to an issue or a commit, and an address that is made a link by itself are broken by a character of
 * no width after what they begin with.
 */
function inert(text: string): string {
  return text
    .replaceAll(CONTROLS, ' ')
    .replaceAll(/[@#]|(?<=\w):(?=\/\/)|(?<=\bwww)(?=\.)|\bGH-(?=\d)/gi, `$&${BREAK}`)
    .replaceAll(/\b[0-9a-f]{7,}\b/gi, sha => sha.replaceAll(/.{6}(?=.)/g, `$&${BREAK}`));
}

/** Of no width. */
const BREAK = '\u200b';
/** Lines end nowhere else; what turns the direction of writing is no text of a report's. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const MARKS = /[\\`*_{}[\]()!|~^=+$-]/g;
