// Strict JSON that remembers where each value stands, so that every complaint about a config names its line.

import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { CONFIG_CHARS_MAX, CONFIG_DEPTH_MAX } from '../limits.ts';

/** Keys and indexes from the root: `['runtime', 'network', 'egress', 0]`. */
export type JsonPath = readonly (string | number)[];

/** `line` and `column` are 1-based; a column counts UTF-16 units, as editors do. */
export type ConfigProblem = {
  readonly line: number;
  readonly column: number;
  /** `runtime.network.egress[0]`; empty for the document itself. */
  readonly path: string;
  /** What is wrong and what is accepted. */
  readonly message: string;
};

export type ConfigText = {
  readonly value: unknown;
  /** The problem, placed at the value of `path`, or at its nearest ancestor that is there. */
  problem(path: JsonPath, message: string): ConfigProblem;
  /** The same, placed at the key itself. */
  problemAtKey(path: JsonPath, message: string): ConfigProblem;
};

export type ConfigTextResult =
  | { readonly ok: true; readonly text: ConfigText }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

// jsonc-parser's codes are a const enum, which erasable syntax cannot import.
const SYNTAX_MESSAGES: { readonly [code: number]: string } = {
  1: 'not JSON: a value is a string in double quotes, a number, true, false, null, {…} or […]',
  2: 'a number is not written like this in JSON',
  3: 'a key in double quotes is expected; JSON takes no trailing comma',
  4: 'a value is expected; JSON takes no trailing comma',
  5: 'a colon is expected after the key',
  6: 'a comma is expected',
  7: 'a closing brace } is expected',
  8: 'a closing bracket ] is expected',
  9: 'nothing may follow the document',
  10: 'JSON takes no comments; put an explanation beside the file',
  12: 'this string never ends',
  13: 'this number never ends',
  14: 'a \\u escape takes four hexadecimal digits',
  15: 'no such escape; JSON knows \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX',
  16: 'a control character must be escaped (\\u0000) in a JSON string',
};

export function readConfigText(source: string): ConfigTextResult {
  const whole = (message: string, offset = 0): ConfigTextResult => ({
    ok: false,
    problems: [{ ...position(source, offset), path: '', message }],
  });
  if (source.length > CONFIG_CHARS_MAX) return whole(`longer than ${CONFIG_CHARS_MAX} characters`);
  // An editor's byte order mark is no part of the document.
  const text = source.startsWith('\uFEFF') ? ` ${source.slice(1)}` : source;
  if (text.trim() === '') return whole('empty; the least there can be is { "name": "<org>/<world>" }');
  const deep = tooDeepAt(text);
  if (deep !== null) return whole(`nested deeper than ${CONFIG_DEPTH_MAX} levels`, deep);

  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const first = errors[0];
  // One mistake makes the parser report several; only the first is surely the user's.
  if (first !== undefined || root === undefined) {
    return whole(SYNTAX_MESSAGES[first?.error ?? 1] ?? 'not JSON', first?.offset ?? 0);
  }
  const duplicates = duplicateKeys(root).map(({ node, path }) => ({
    ...position(text, node.offset),
    path: pathText(path),
    message: `the key "${String(path.at(-1))}" is there twice; JSON readers disagree on which one counts`,
  }));
  if (duplicates.length > 0) return { ok: false, problems: duplicates };

  const at = (path: JsonPath, offset: number, message: string): ConfigProblem => ({
    ...position(text, offset),
    path: pathText(path),
    message,
  });
  return {
    ok: true,
    text: {
      value: JSON.parse(text),
      problem: (path, message) => at(path, nodeAt(root, path).offset, message),
      problemAtKey: (path, message) => {
        const node = nodeAt(root, path);
        const key = node.parent?.type === 'property' ? node.parent : node;
        return at(path, key.offset, message);
      },
    },
  };
}

/** `runtime.network.egress[0]`, `services["my db"]`. */
function pathText(path: JsonPath): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[A-Za-z_$][\w$-]*$/.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

/** `<file>:<line>:<column>  <path>: <message>`, one a line, in the order of the file. */
export function formatProblems(file: string, problems: readonly ConfigProblem[]): string {
  return problems
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .map(({ line, column, path, message }) => {
      const what = path === '' ? message : `${path}: ${message}`;
      return `${file}:${line}:${column}  ${what}`;
    })
    .join('\n');
}

function position(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const lines = before.split(/\r\n|\n|\r/);
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}

function nodeAt(root: Node, path: JsonPath): Node {
  let node = root;
  for (const part of path) {
    const child =
      typeof part === 'number'
        ? node.type === 'array' && node.children?.[part]
        : node.type === 'object' &&
          node.children?.find(property => property.children?.[0]?.value === part)?.children?.[1];
    if (!child) return node;
    node = child;
  }
  return node;
}

function duplicateKeys(node: Node, path: JsonPath = []): { readonly node: Node; readonly path: JsonPath }[] {
  const found: { node: Node; path: JsonPath }[] = [];
  const seen = new Set<string>();
  for (const [index, child] of (node.children ?? []).entries()) {
    if (child.type !== 'property') {
      found.push(...duplicateKeys(child, [...path, index]));
      continue;
    }
    const [key, value] = child.children!;
    const name: string = key!.value;
    if (seen.has(name)) found.push({ node: key!, path: [...path, name] });
    seen.add(name);
    if (value !== undefined) found.push(...duplicateKeys(value, [...path, name]));
  }
  return found;
}

/** The offset of the bracket that opens one level too many, or null. Skips strings. */
function tooDeepAt(text: string): number | null {
  let depth = 0;
  let inString = false;
  for (let offset = 0; offset < text.length; offset += 1) {
    const character = text[offset];
    if (inString) {
      if (character === '\\') offset += 1;
      else if (character === '"' || character === '\n') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      if ((depth += 1) > CONFIG_DEPTH_MAX) return offset;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return null;
}
