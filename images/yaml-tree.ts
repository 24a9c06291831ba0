// A compose file as a tree whose every node knows its line: YAML with its aliases and merge keys put in, bounded, so that
// a file of some lines stands for no more than one of some thousand would.
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  type Node as YamlNode,
} from 'yaml';
import { COMPOSE_DEPTH_MAX, COMPOSE_NODES_MAX, COMPOSE_TOKENS_MAX } from './limits.ts';
import { type Place, Unreadable } from './note.ts';

type Common = {
  readonly place: Place;
  /** `!reset`: as if nothing of it were in the files before; `!override`: in its place. */
  readonly tag?: '!reset' | '!override';
};
export type Scalar = Common & {
  readonly kind: 'scalar';
  /** As it is written, quotes taken away; empty where it is null. */
  readonly text: string;
  readonly isNull: boolean;
  /** It came of a variable: the value is the machine's, and not written in the file. */
  readonly fromVariable?: boolean;
};
export type List = Common & { readonly kind: 'list'; readonly items: readonly Tree[] };
export type Mapping = Common & { readonly kind: 'mapping'; readonly entries: ReadonlyMap<string, Entry> };
export type Entry = { readonly place: Place; readonly value: Tree };
export type Tree = Scalar | List | Mapping;

/** @throws Unreadable */
export function readYaml(text: string, file: string): Tree {
  checkTokens(text, file);
  const lines = new LineCounter();
  const document = parsed(text, file, lines);
  const placeOf = (node: unknown): Place => {
    const offset = (node as YamlNode | null)?.range?.[0] ?? 0;
    return { file, line: Math.max(1, lines.linePos(offset).line) };
  };
  const [error] = document.errors;
  if (error !== undefined) {
    const line = Math.max(1, lines.linePos(error.pos[0]).line);
    throw new Unreadable(
      { file, line },
      `no YAML: ${error.message.split('\n')[0]!.replace(/ at line .*$/, '')}`,
    );
  }
  let nodes = 0;
  // In the order of the file, in which an alias is of what was called so last.
  const anchors = new Map<string, YamlNode>();
  const made = (node: unknown, depth: number, at: Place): Tree => {
    nodes += 1;
    if (nodes > COMPOSE_NODES_MAX)
      throw new Unreadable(at, `more than ${COMPOSE_NODES_MAX} values, its aliases (*) put in`);
    if (depth > COMPOSE_DEPTH_MAX) throw new Unreadable(at, `nested deeper than ${COMPOSE_DEPTH_MAX} levels`);
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined)
        throw new Unreadable(placeOf(node), `nothing is called &${node.source.slice(0, 80)} before it`);
      return made(target, depth + 1, at);
    }
    const place = node === null || node === undefined ? at : placeOf(node);
    const { tag, anchor } = (node ?? {}) as { readonly tag?: string; readonly anchor?: string };
    if (anchor !== undefined) anchors.set(anchor, node as YamlNode);
    const common: Common = { place, ...((tag === '!reset' || tag === '!override') && { tag }) };
    if (isSeq(node))
      return { ...common, kind: 'list', items: node.items.map(item => made(item, depth + 1, place)) };
    if (isMap(node)) return { ...common, kind: 'mapping', entries: entriesOf(node, depth, place) };
    const value = isScalar(node) ? node.value : null;
    const text = isScalar(node) && typeof node.value !== 'string' ? (node.source ?? '') : (value ?? '');
    return { ...common, kind: 'scalar', text: String(text), isNull: value === null };
  };
  const entriesOf = (
    map: { readonly items: readonly { readonly key: unknown; readonly value: unknown }[] },
    depth: number,
    at: Place,
  ): ReadonlyMap<string, Entry> => {
    const own = new Map<string, Entry>();
    const merged = new Map<string, Entry>();
    for (const { key, value } of map.items) {
      if (!isScalar(key)) throw new Unreadable(at, 'a key that is no text');
      const place = placeOf(key);
      const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
      const tree = made(value, depth + 1, place);
      if (name !== '<<') {
        if (own.has(name)) throw new Unreadable(place, `${JSON.stringify(name.slice(0, 80))} is there twice`);
        own.set(name, { place, value: tree });
      } else
        for (const each of tree.kind === 'list' ? tree.items : [tree]) {
          if (each.kind !== 'mapping') throw new Unreadable(place, '<< takes a mapping, or a list of them');
          for (const [merge, entry] of each.entries) if (!merged.has(merge)) merged.set(merge, entry);
        }
    }
    for (const [name, entry] of merged) if (!own.has(name)) own.set(name, entry);
    return own;
  };
  return made(document.contents, 0, { file, line: 1 });
}

/** Before anything is made of it: the parser takes far longer than a look at what there is. */
function checkTokens(text: string, file: string): void {
  let tokens = 0;
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > COMPOSE_DEPTH_MAX)
      throw new Unreadable({ file, line: 1 }, `nested deeper than ${COMPOSE_DEPTH_MAX} levels`);
    if (tokens > COMPOSE_TOKENS_MAX)
      throw new Unreadable({ file, line: 1 }, `more than ${COMPOSE_TOKENS_MAX} tokens`);
  }
}

function parsed(text: string, file: string, lineCounter: LineCounter): ReturnType<typeof parseDocument> {
  try {
    return parseDocument(text, { lineCounter, merge: false, logLevel: 'silent', uniqueKeys: false });
  } catch (error) {
    // The parser calls itself for what is nested.
    if (error instanceof RangeError)
      throw new Unreadable({ file, line: 1 }, `nested deeper than ${COMPOSE_DEPTH_MAX} levels`);
    throw error;
  }
}
