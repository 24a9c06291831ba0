// What a version of the API is to this twin: the changes since it, sorted once by what they touch. Of versions that no
// change lies between there is one.
import type { Older, Versions } from '../api/older.ts';
import { fieldsOf, type VendorField } from '../api/vendor.ts';
import { apiVersions } from '../api/version.ts';
import { checkCame } from './came.ts';
import type { Before, Change } from './change.ts';
import { CHANGES } from './changes.ts';
import { turn } from './turn.ts';
import { waysTo } from './ways.ts';

type Since<T> = { readonly since: string; readonly what: T };

const GONE = byName(({ gone, since }) => rowsOf(gone, since));
const ENDED = byName(({ ended, since }) => rowsOf(ended, since));

function rowsOf<T>(
  by: { readonly [operation: string]: T } = {},
  since: string,
): readonly [string, Since<T>][] {
  return Object.entries(by).map(([operation, what]) => [operation, { since, what }]);
}

/** By how many changes were made since. */
const made = new Map<number, Older>();
/** Of those that were asked for: there are no more of them than the vendor declares. */
const asked = new Map<string, Older | null>();

export const VERSIONS: Versions = {
  older: version => {
    const known = asked.get(version);
    if (known !== undefined) return known;
    const since = changesSince(version);
    const held = since === 0 ? null : (made.get(since) ?? olderOf(CHANGES.slice(0, since)));
    if (held !== null) made.set(since, held);
    if (apiVersions().has(version)) asked.set(version, held);
    return held;
  },
  check: (operation, form, asking, call) => {
    const { version, named } = asking;
    for (const { since, what } of ENDED.get(operation) ?? []) if (version >= since) throw what(call);
    if (!named) return;
    checkCame(operation, form, asking, call);
    for (const { since, what } of GONE.get(operation) ?? []) if (version >= since) what(form);
  },
};

/** Versions begin with their dates, so that they are in the order of their texts. */
function changesSince(version: string): number {
  const first = CHANGES.findIndex(({ since }) => since <= version);
  return first < 0 ? CHANGES.length : first;
}

function olderOf(changes: readonly Change[]): Older {
  const before = byName<Before>(each => Object.entries(each.before ?? {}), changes);
  const params = byName(each => Object.entries(each.params ?? {}), changes);
  const fields = byName<VendorField>(
    each =>
      Object.entries(each.fields ?? {}).flatMap(([object, shape]) =>
        fieldsOf(shape).map((field): [string, VendorField] => [object, field]),
      ),
    changes,
  );
  const former = (object: string): readonly VendorField[] => fields.get(object) ?? NONE;
  const turning = { before, ways: waysTo(before, former) };
  const older: Older = {
    turned: ({ records, tx }, view, how) =>
      turn(how?.inPlace === true ? { records, tx, older } : { records, tx }, turning, view),
    fields: former,
    // A caller's parameters are the oldest: they are brought forward, change by change.
    today: (operation, form) => {
      for (const bring of (params.get(operation) ?? []).toReversed()) bring(form);
    },
  };
  return older;
}

const NONE: readonly VendorField[] = [];

function byName<T>(
  rows: (change: Change) => readonly (readonly [string, T])[],
  changes: readonly Change[] = CHANGES,
): ReadonlyMap<string, readonly T[]> {
  const sorted = new Map<string, T[]>();
  for (const [name, row] of changes.flatMap(rows)) sorted.set(name, [...(sorted.get(name) ?? []), row]);
  return sorted;
}
