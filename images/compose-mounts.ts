// The mounts of a service, in the short form and in the long one.
import { fieldOf, listOf, textOf } from './compose-shape.ts';
import { MOUNTS_MAX } from './limits.ts';
import { Unreadable } from './note.ts';
import type { Mount } from './service.ts';
import type { Mapping, Scalar, Tree } from './yaml-tree.ts';

/** Of a value, the absolute path on this machine that it names. */
type PathOf = (tree: Tree) => string;

export function mountsOf(tree: Tree, pathOf: PathOf): readonly Mount[] {
  const mounts = listOf(tree, 'volumes').map(item =>
    item.kind === 'mapping' ? longMount(item, pathOf) : shortMount(item, pathOf),
  );
  if (mounts.length > MOUNTS_MAX) throw new Unreadable(tree.place, `more than ${MOUNTS_MAX} mounts`);
  return mounts;
}

export function tmpfsOf(tree: Tree): readonly Mount[] {
  const items = tree.kind === 'list' ? tree.items : [tree];
  return items.map(item => {
    const target = textOf(item, 'tmpfs').split(':')[0]!;
    return { kind: 'tmpfs', source: null, target, readOnly: false, place: item.place };
  });
}

function longMount(item: Mapping, pathOf: PathOf): Mount {
  const { place } = item;
  const field = (name: string): string | null => fieldOf(item, 'volumes', name);
  const kind = field('type') ?? 'volume';
  const source = (item.entries.get('source') ?? item.entries.get('src'))?.value;
  const target = field('target') ?? field('dst') ?? field('destination') ?? '';
  if (target === '') throw new Unreadable(place, 'volumes names no target');
  const readOnly = ['true', 'yes'].includes(field('read_only') ?? field('readonly') ?? '');
  if (kind === 'tmpfs') return { kind, source: null, target, readOnly, place };
  if (kind === 'volume') {
    const name = source === undefined ? null : textOf(source, 'volumes.source');
    return { kind, source: name, target, readOnly, place };
  }
  if (kind !== 'bind') {
    const found = JSON.stringify(kind.slice(0, 40));
    throw new Unreadable(place, `volumes.type ${found} is not known (accepted: bind, volume, tmpfs)`);
  }
  if (source === undefined) throw new Unreadable(place, 'a bind mount names its source');
  return { kind, source: pathOf(source), target, readOnly, place };
}

function shortMount(item: Tree, pathOf: PathOf): Mount {
  const { place } = item;
  const text = textOf(item, 'volumes');
  const parts = text.split(':');
  const [first = '', target, options = ''] = parts;
  if (first === '' || target === '' || parts.length > 3) {
    const found = JSON.stringify(text.slice(0, 80));
    throw new Unreadable(
      place,
      `volumes names no mount: ${found} (accepted: "./data:/data", "name:/data:ro")`,
    );
  }
  if (target === undefined) return { kind: 'volume', source: null, target: first, readOnly: false, place };
  const readOnly = options.split(',').includes('ro');
  if (!/^[./~]/.test(first)) return { kind: 'volume', source: first, target, readOnly, place };
  return { kind: 'bind', source: pathOf({ ...(item as Scalar), text: first }), target, readOnly, place };
}
