// References in an answer, replaced by what they name where the client asks for it (`?expand[]=customer`,
// `?include=carrier.depot`).
import { Refusal } from './refusal.ts';

type View = { readonly [field: string]: unknown };

/**
 * What a field of an object refers to: the thing itself, null where it is gone (the reference stays), undefined where the
 * field is no reference.
 */
export type Follow = (of: View, field: string, id: string) => View | null | undefined;

/** Levels that one path may lead through. */
export const EXPAND_LEVELS_MAX = 4;
const EXPAND_PATHS_MAX = 100;

/** `paths`: fields joined by dots; arrays are passed through. Refuses with 400 `invalid_expand`. */
export function expand<T extends View>(view: T, paths: readonly string[], follow: Follow): T {
  if (paths.length > EXPAND_PATHS_MAX) throw refused('too many fields');
  return paths.reduce<View>((made, path) => {
    const fields = path.split('.');
    if (fields.length > EXPAND_LEVELS_MAX)
      throw refused(`${path} leads through more than ${EXPAND_LEVELS_MAX} fields`);
    return into(made, fields, path, follow);
  }, view) as T;
}

function into(view: View, [field = '', ...rest]: readonly string[], path: string, follow: Follow): View {
  if (!Object.hasOwn(view, field)) throw refused(`${path} is no field that can be expanded`);
  const step = (held: unknown): unknown => {
    if (Array.isArray(held)) return held.map(step);
    let found = held;
    if (typeof held === 'string') {
      const followed = follow(view, field, held);
      if (followed === undefined) throw refused(`${path} is no field that can be expanded`);
      found = followed ?? held;
    }
    if (rest.length === 0 || typeof found !== 'object' || found === null) return found;
    return into(found as View, rest, path, follow);
  };
  return { ...view, [field]: step(view[field]) };
}

function refused(message: string): Refusal {
  return new Refusal(400, 'invalid_expand', message);
}
