// A value of a compose file as what its key takes; anything else is refused with its line.
import { Unreadable } from './note.ts';
import type { Mapping, Tree } from './yaml-tree.ts';

export function textOf(tree: Tree, key: string): string {
  if (tree.kind !== 'scalar') throw new Unreadable(tree.place, `${key} takes a text`);
  return tree.text;
}

export function textsOf(tree: Tree, key: string): readonly string[] {
  return listOf(tree, key).map(item => textOf(item, key));
}

export function listOf(tree: Tree, key: string): readonly Tree[] {
  if (tree.kind !== 'list') throw new Unreadable(tree.place, `${key} takes a list`);
  return tree.items;
}

export function mappingOf(tree: Tree, key: string): Mapping {
  if (tree.kind !== 'mapping') throw new Unreadable(tree.place, `${key} takes names with values`);
  return tree;
}

/** One field of a mapping; null where it is not there. */
export function fieldOf(tree: Tree, key: string, name: string): string | null {
  const value = tree.kind === 'mapping' ? tree.entries.get(name)?.value : undefined;
  return value === undefined ? null : textOf(value, `${key}.${name}`);
}
