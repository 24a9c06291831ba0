// Variables in a compose file (`${NAME:-default}`), put in before anything of it is understood.
import { type Note, Unreadable } from './note.ts';
import { expandComposeText, type Lookup } from './words.ts';
import type { Entry, Tree } from './yaml-tree.ts';

export type PutIn = { readonly tree: Tree; readonly notes: readonly Note[] };

/** @throws Unreadable where one is required and not set, or has no such form. */
export function putVariablesIn(tree: Tree, lookup: Lookup): PutIn {
  const notes: Note[] = [];
  const empty = new Set<string>();
  const put = (node: Tree): Tree => {
    if (node.kind === 'list') return { ...node, items: node.items.map(put) };
    if (node.kind === 'mapping')
      return {
        ...node,
        entries: new Map(
          [...node.entries].map(([key, { place, value }]): [string, Entry] => [
            key,
            { place, value: put(value) },
          ]),
        ),
      };
    if (!node.text.includes('$')) return node;
    let used = false;
    const told: Lookup = name => {
      used = true;
      const value = lookup(name);
      if (value === undefined) empty.add(name);
      return value;
    };
    const before = empty.size;
    const expanded = expandComposeText(node.text, told);
    if (!expanded.ok) throw new Unreadable(node.place, expanded.why);
    for (const name of [...empty].slice(before))
      if (new RegExp(`\\$(?:${name}(?!\\w)|\\{${name}\\})`).test(node.text))
        notes.push({ ...node.place, what: `${name} is not set; it is empty` });
    return { ...node, text: expanded.text, ...(used ? { fromVariable: true } : {}) };
  };
  return { tree: put(tree), notes };
}
