// What an action is about, of all that its request changed.
import type { AskedRequest } from '../log/asked.ts';
import type { Change } from '../log/entry.ts';
import type { Action } from './changeset.ts';

/** What it is about is of the kind that its path ends with, or is the first: what comes with it, an event, follows. An end is of what it names. */
export const aimOf = (
  changes: readonly Change[],
  { method, path }: Pick<AskedRequest, 'method' | 'path'>,
): Pick<Action, 'kind' | 'target'> => {
  const made = changes.filter(({ op }) => op === 'put' || op === 'delete');
  const ended = method === 'DELETE' ? lastNamed(made, path) : undefined;
  const asked = path.slice(path.lastIndexOf('/') + 1);
  const aim =
    ended ??
    made.find(({ type }) => `${type.slice(type.lastIndexOf('.') + 1)}s` === asked) ??
    made.find(({ type }) => isOne(type, asked)) ??
    made[0];
  if (aim === undefined) return { kind: 'call', target: null };
  const { op, type, id, before } = aim;
  // A vendor may go on naming what it deleted: the record then has a newer version.
  const kind = op === 'delete' || ended !== undefined ? 'delete' : before === undefined ? 'create' : 'update';
  return { kind, target: { type, id } };
};

/** `vector_store_file` of `files`, `message_batch` of `batches`. */
const isOne = (type: string, many: string): boolean =>
  [`${type}s`, `${type}es`].some(each => each.endsWith(`_${many}`));

const lastNamed = (changes: readonly Change[], path: string): Change | undefined =>
  (path.match(ID) ?? [])
    .toReversed()
    .map(token => changes.find(({ id }) => id === token))
    .find(change => change !== undefined);

/** As vendors write ids. */
const ID = /[A-Za-z0-9_-]+/g;
