// A build file as a list of instructions, each with its line. Its grammar is one of lines: a first word, flags, and a rest
// that each instruction reads for itself; lines go on after an escape character, and a here-document takes those that follow.
import { parseJson } from '../policy/json-text.ts';
import { INSTRUCTIONS_MAX } from './limits.ts';
import { Unreadable } from './note.ts';

export type Instruction = {
  /** In capitals. */
  readonly keyword: string;
  readonly line: number;
  readonly flags: ReadonlyMap<string, string>;
  /** What follows the flags, its lines joined. */
  readonly rest: string;
  /** Each `--mount`, which may be there more than once. */
  readonly mounts: readonly string[];
  /** Its here-documents: their lines with those that end them, and without. */
  readonly documents: { readonly lines: string; readonly text: string } | null;
};

export type BuildText = { readonly escapeChar: '\\' | '`'; readonly instructions: readonly Instruction[] };

const TAKES_DOCUMENTS: readonly string[] = ['RUN', 'COPY', 'ADD'];

/** @throws Unreadable */
export function readInstructions(text: string, file: string): BuildText {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const escapeChar = escapeOf(lines);
  const instructions: Instruction[] = [];
  for (let at = 0; at < lines.length; ) {
    const first = lines[at]!;
    if (/^\s*(#|$)/.test(first)) {
      at += 1;
      continue;
    }
    const line = at + 1;
    const parts: string[] = [];
    for (let goesOn = true; goesOn && at < lines.length; at += 1) {
      const one = lines[at]!;
      // Comments and empty lines in between belong to nobody.
      if (parts.length > 0 && /^\s*(#|$)/.test(one)) continue;
      const trimmed = one.trimEnd();
      goesOn = trimmed.endsWith(escapeChar);
      parts.push(goesOn ? trimmed.slice(0, -1) : trimmed);
    }
    const instruction = instructionOf(parts.join('').trim(), line);
    if (TAKES_DOCUMENTS.includes(instruction.keyword)) {
      const begin = at;
      const texts: string[] = [];
      for (const end of documentEnds(instruction.rest)) {
        const first = at;
        while (at < lines.length && !end.is(lines[at]!)) at += 1;
        if (at === lines.length)
          throw new Unreadable({ file, line }, `its here-document has no end: ${end.name}`);
        texts.push(...lines.slice(first, at).map(end.line));
        at += 1;
      }
      const documents = at === begin ? null : { lines: joined(lines.slice(begin, at)), text: joined(texts) };
      instructions.push({ ...instruction, documents });
    } else instructions.push(instruction);
    if (instructions.length > INSTRUCTIONS_MAX)
      throw new Unreadable({ file, line }, `more than ${INSTRUCTIONS_MAX} instructions`);
  }
  return { escapeChar, instructions };
}

/** Directives stand before everything else. */
function escapeOf(lines: readonly string[]): '\\' | '`' {
  for (const line of lines) {
    const directive = /^\s*#\s*([a-z]+)\s*=\s*(\S*)/i.exec(line);
    if (directive === null) break;
    if (directive[1]!.toLowerCase() === 'escape' && directive[2] === '`') return '`';
  }
  return '\\';
}

function instructionOf(text: string, line: number): Instruction {
  const keyword = /^\S+/.exec(text)?.[0] ?? '';
  let rest = text.slice(keyword.length).trimStart();
  const flags = new Map<string, string>();
  const mounts: string[] = [];
  for (let flag = FLAG.exec(rest); flag !== null; flag = FLAG.exec(rest)) {
    const name = flag[1]!.toLowerCase();
    flags.set(name, flag[2] ?? '');
    if (name === 'mount') mounts.push(flag[2] ?? '');
    rest = rest.slice(flag[0].length).trimStart();
  }
  return { keyword: keyword.toUpperCase(), line, flags, mounts, rest, documents: null };
}

/** `["a", "b"]`, which has to be JSON; null where it is not. */
export function jsonWords(rest: string): readonly string[] | null {
  if (!rest.startsWith('[')) return null;
  const read = parseJson(rest);
  if (!read.ok || !Array.isArray(read.value)) return null;
  return read.value.every(each => typeof each === 'string') ? read.value : null;
}

const FLAG = /^--([a-zA-Z][\w-]*)(?:=(\S*))?(?=\s|$)/;
const DOCUMENTS = /(?:^|\s)\d*<<(-?)(["']?)([A-Za-z_][\w.-]*)\2/g;

type DocumentEnd = {
  readonly name: string;
  readonly is: (line: string) => boolean;
  /** As the document has it. */
  readonly line: (line: string) => string;
};

function documentEnds(rest: string): readonly DocumentEnd[] {
  return [...rest.matchAll(DOCUMENTS)].map(([, dash, , name = '']) => {
    const line = (text: string): string => (dash === '-' ? text.replace(/^\t+/, '') : text);
    return { name, line, is: text => line(text) === name };
  });
}

function joined(lines: readonly string[]): string {
  return lines.map(line => `${line}\n`).join('');
}
