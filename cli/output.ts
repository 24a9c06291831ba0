// What the command line prints. Standard output is for what was asked for, standard error for what went wrong.
import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters, styleText } from 'node:util';
import { COLUMNS_DEFAULT, COLUMNS_MAX } from './limits.ts';

type Ink = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta';

type Stream = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number };

export type Output = {
  readonly terminal: boolean;
  /** Width to lay out for; 80 where nobody says. */
  readonly columns: number;
  line(text?: string): void;
  json(value: unknown): void;
  error(text: string): void;
  /**
   * One line that replaces itself, on standard error where that is a terminal, and is replaced by whatever else is written
   * there; null takes it away.
   */
  progress(text: string | null): void;
  /** Coloured on a terminal only, and never with NO_COLOR (https://no-color.org). */
  ink(ink: Ink | readonly Ink[], text: string): string;
};

export function openOutput(
  stdout: Stream,
  stderr: Stream,
  env: { readonly [name: string]: string | undefined },
): Output {
  const plain = env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '';
  const forced = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '' && env['FORCE_COLOR'] !== '0';
  const colour = !plain && (forced || (stdout.isTTY === true && env['TERM'] !== 'dumb'));
  return {
    terminal: stdout.isTTY === true,
    columns: Math.min(COLUMNS_MAX, stdout.columns || Number(env['COLUMNS']) || COLUMNS_DEFAULT),
    line: (text = '') => void stdout.write(`${text}\n`),
    json: value => void stdout.write(`${JSON.stringify(value)}\n`),
    error: text => void stderr.write(`${text}\n`),
    progress: text => {
      if (stderr.isTTY !== true) return;
      const columns = Math.min(COLUMNS_MAX, stderr.columns || COLUMNS_DEFAULT);
      // CSI K clears what a longer line has left.
      stderr.write(`\r${cut(text ?? '', columns - 1)}\u001b[K\r`);
    },
    ink: (ink, text) =>
      colour ? styleText(ink as Parameters<typeof styleText>[0], text, { validateStream: false }) : text,
  };
}

/** Shows how long work goes on: what is done now, and how much of that is. `progress(null)` takes it away. */
export const progressOn =
  (output: Pick<Output, 'progress'>) =>
  (what: string, done: number): void =>
    output.progress(`${what}  ${Math.round(done * 100)} %`);

/** Columns as wide as their widest cell; the last one is cut to what is left of a line, where that has an end. */
export function table(
  output: Output,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  lineMax: number = output.terminal ? output.columns : Number.POSITIVE_INFINITY,
): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map(row => width(row[column] ?? ''))),
  );
  const lay = (cells: readonly string[]): string => {
    let used = 0;
    const laid = cells.map((cell, column) => {
      if (column === cells.length - 1) return cut(cell, lineMax - used);
      used += widths[column]! + 2;
      return cell + ' '.repeat(widths[column]! - width(cell) + 2);
    });
    return laid.join('').trimEnd();
  };
  return [output.ink('dim', lay(head)), ...rows.map(lay)];
}

/** For a table: to the second, in universal time (`2026-03-01 00:00:00`). `--json` has it whole. */
export function instantText(at: string): string {
  return at.slice(0, 19).replace('T', ' ');
}

/** Text in lines of at most `columns`, each after `indent`; words are kept whole where they fit. */
export function wrap(text: string, columns: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== '' && width(indent) + width(line) + 1 + width(word) > columns) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(indent + line);
  return lines;
}

export function width(text: string): number {
  return stripVTControlCharacters(text).length;
}

function cut(text: string, columns: number): string {
  // A cell with colour in it is one of ours and short.
  if (width(text) <= columns || width(text) !== text.length) return text;
  return columns < 2 ? '' : `${text.slice(0, columns - 1)}…`;
}
