// As whom an image's program runs: what its own list of users and groups says of the name or number in its config.
import { readFileSync, statSync } from 'node:fs';
import { inside } from '../inside.ts';
import { ACCOUNTS_BYTES_MAX } from '../limits.ts';
import type { RootPlan } from './messages.ts';

export type Account =
  | { readonly ok: true; readonly user: RootPlan['user'] }
  | { readonly ok: false; readonly why: string };

const NUMBER = /^\d{1,9}$/;

/** `asked` is `user`, `user:group`, or numbers in their places; null: whoever nobody names. */
export function accountIn(root: string, asked: string | null): Account {
  const [name = '', group] = (asked ?? '0').split(':', 2);
  const people = rowsOf(root, '/etc/passwd');
  const at = NUMBER.test(name) ? 2 : 0;
  const person = people.find(fields => fields[at] === (at === 2 ? String(Number(name)) : name));
  // Root needs no list.
  const [known, , uid = NUMBER.test(name) ? name : name === 'root' ? '0' : '', gid = '0', , home = '/'] =
    person ?? [];
  if (!NUMBER.test(uid)) return { ok: false, why: `its user ${name} is not in its /etc/passwd` };
  const own = group === undefined || group === '' ? gid : groupIn(root, group);
  if (own === null || !NUMBER.test(own))
    return { ok: false, why: `its group ${group} is not in its /etc/group` };
  return {
    ok: true,
    user: {
      name: known ?? (Number(uid) === 0 ? 'root' : uid),
      uid: Number(uid),
      gid: Number(own),
      home: home.startsWith('/') ? home : '/',
    },
  };
}

function groupIn(root: string, asked: string): string | null {
  if (NUMBER.test(asked)) return asked;
  return rowsOf(root, '/etc/group').find(([name]) => name === asked)?.[2] ?? null;
}

/** Its lines by their fields; none of what is not there, is no file or is no list that anybody would write. */
function rowsOf(root: string, path: string): readonly (readonly string[])[] {
  const file = inside(root, path);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > ACCOUNTS_BYTES_MAX) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .map(line => line.split(':'))
    .filter(fields => fields.length >= 3);
}
