// One service out of several files, or out of one that it extends: mappings are joined, lists follow one another, what is
// keyed by a name or a target is the last one's, and a command is replaced as a whole.
import type { Entry, List, Mapping, Scalar, Tree } from './yaml-tree.ts';

/** Written as a list of `NAME=value` too. */
const BY_NAME: readonly string[] = ['environment', 'labels', 'annotations', 'sysctls', 'args'];
/** Written as a list of names too. */
const BY_MEMBER: readonly string[] = ['depends_on', 'networks'];
const REPLACED: readonly string[] = ['command', 'entrypoint', 'test'];

export function mergeMappings(base: Mapping, over: Mapping): Mapping {
  const entries = new Map<string, Entry>(base.entries);
  for (const [key, entry] of over.entries) {
    const before = entries.get(key);
    if (entry.value.tag === '!reset') entries.delete(key);
    else if (before === undefined || entry.value.tag === '!override') entries.set(key, entry);
    else entries.set(key, { place: entry.place, value: mergeValue(key, before.value, entry.value) });
  }
  return { ...over, entries };
}

function mergeValue(key: string, base: Tree, over: Tree): Tree {
  if (REPLACED.includes(key)) return over;
  const [before, after] = [keyed(key, base), keyed(key, over)];
  if (before.kind === 'mapping' && after.kind === 'mapping') return mergeMappings(before, after);
  if (key === 'env_file') return joined(asList(before), asList(after));
  if (before.kind === 'list' && after.kind === 'list')
    return key === 'volumes' || key === 'devices' ? byTarget(before, after) : joined(before, after);
  return after;
}

/** A list of names, or of names with values, as the mapping that it stands for. */
export function keyed(key: string, tree: Tree): Tree {
  if (tree.kind !== 'list') return tree;
  if (BY_MEMBER.includes(key)) {
    const entries = tree.items.map((item): [string, Entry] => [
      textOf(item),
      { place: item.place, value: nothing(item) },
    ]);
    return { kind: 'mapping', place: tree.place, entries: new Map(entries) };
  }
  if (!BY_NAME.includes(key)) return tree;
  const entries = tree.items.map((item): [string, Entry] => {
    const text = textOf(item);
    const equals = text.indexOf('=');
    if (equals === -1) return [text, { place: item.place, value: nothing(item) }];
    const value = { ...(item as Scalar), text: text.slice(equals + 1) };
    return [text.slice(0, equals), { place: item.place, value }];
  });
  return { kind: 'mapping', place: tree.place, entries: new Map(entries) };
}

function nothing({ place }: Tree): Scalar {
  return { kind: 'scalar', place, text: '', isNull: true };
}

function textOf(tree: Tree): string {
  return tree.kind === 'scalar' ? tree.text : '';
}

function asList(tree: Tree): List {
  return tree.kind === 'list' ? tree : { kind: 'list', place: tree.place, items: [tree] };
}

function joined(base: List, over: List): List {
  const texts = new Set(over.items.flatMap(item => (item.kind === 'scalar' ? [item.text] : [])));
  const kept = base.items.filter(item => item.kind !== 'scalar' || !texts.has(item.text));
  return { ...over, items: [...kept, ...over.items] };
}

/** Of two mounts at one place in the container the later one is. */
function byTarget(base: List, over: List): List {
  const targets = new Set(over.items.map(targetOf));
  return { ...over, items: [...base.items.filter(item => !targets.has(targetOf(item))), ...over.items] };
}

function targetOf(item: Tree): string {
  if (item.kind === 'mapping') return textOf(item.entries.get('target')?.value ?? nothing(item));
  const parts = textOf(item).split(':');
  return parts.length === 1 ? parts[0]! : parts[1]!;
}
