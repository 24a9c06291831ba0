// `total_count` of a list, which `include[]` or `expand[]` asked for until 2025-03-31.basil. A search has it in every version
// (search.ts).
import type { FormMap } from '../../kit/form.ts';
import { invalid } from './errors.ts';
import { TOTAL_COUNT } from './expand-check.ts';
import type { AskedIn } from './older.ts';
import { operationNamed } from './vendor.ts';

const ENDED = '2025-03-31.basil';

/** Whether a list is to be counted; takes what says so out of the form. Throws where the version that is named has it no more. */
export function takesCount(form: FormMap, operation: string, { named, version }: AskedIn): boolean {
  if (operationNamed(operation)?.how !== 'list') return false;
  const taken = ['include', 'expand'].filter(param => takenFrom(form, param));
  if (taken.length === 0) return false;
  if (named && version >= ENDED) {
    throw invalid(`The property \`${TOTAL_COUNT}\` of a list cannot be requested in this API version.`, {
      code: 'property_forbidden',
      param: taken[0] ?? 'include',
    });
  }
  return true;
}

/** Takes it out of a list of names, and the list with its last one. */
function takenFrom(form: FormMap, param: string): boolean {
  const names = form.get(param);
  if (!(names instanceof Map)) return false;
  const [at] = [...names].find(([, name]) => name === TOTAL_COUNT) ?? [];
  if (at === undefined) return false;
  names.delete(at);
  if (names.size === 0) form.delete(param);
  return true;
}
