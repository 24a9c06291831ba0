// Parameters moved to where they are today. A path is written as in a request: `items[0][price]`.
import type { FormMap, FormNode } from '../../kit/form.ts';

function segmentsOf(path: string): readonly string[] {
  return path.split('[').map(part => part.replace(']', ''));
}

export function nodeAt(form: FormMap, path: string): FormNode | undefined {
  let node: FormNode | undefined = form;
  for (const segment of segmentsOf(path)) {
    if (!(node instanceof Map)) return undefined;
    node = node.get(segment);
  }
  return node;
}

export function put(form: FormMap, path: string, value: FormNode): void {
  const segments = segmentsOf(path);
  const last = segments.at(-1) ?? '';
  let node = form;
  for (const segment of segments.slice(0, -1)) {
    const next = node.get(segment);
    const inner: FormMap = next instanceof Map ? next : new Map();
    node.set(segment, inner);
    node = inner;
  }
  node.set(last, value);
}

/** Only where nothing is given yet. */
export function preset(form: FormMap, path: string, value: FormNode): void {
  if (nodeAt(form, path) === undefined) put(form, path, value);
}

export function take(form: FormMap, path: string): FormNode | undefined {
  const value = nodeAt(form, path);
  const at = path.lastIndexOf('[');
  const parent = at < 0 ? form : nodeAt(form, path.slice(0, at));
  if (parent instanceof Map) parent.delete(at < 0 ? path : path.slice(at + 1, -1));
  return value;
}

export function move(form: FormMap, from: string, to: string): void {
  const value = take(form, from);
  if (value !== undefined) put(form, to, value);
}

/** The hashes of a list, `phases` as of a schedule. */
export function each(form: FormMap, path: string): readonly FormMap[] {
  const list = nodeAt(form, path);
  return list instanceof Map ? [...list.values()].filter(item => item instanceof Map) : [];
}
