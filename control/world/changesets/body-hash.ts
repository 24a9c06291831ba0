// The hash that approvals bind to (2.6): of the body in canonical JSON, taken page by page, so that a changeset of any size
// is read without being held.
import type { Hasher } from '../../ports/digest.ts';
import type { Entry } from '../log/entry.ts';
import { hex } from '../store/identifier.ts';
import { Actions } from './actions.ts';
import { canonical } from './canonical.ts';
import type { ChangesetBody } from './changeset.ts';

export const HASH_PREFIX = 'wrld-changeset/1\n';

type Hashed = Omit<ChangesetBody, 'changes' | 'actions'> & {
  /** From the first again, each time. */
  readonly pages: () => AsyncIterable<readonly Entry[]>;
};

/** SHA-256 in hex. The names of the body come in the order of their letters. */
export const bodyHash = async (hasher: Hasher, { name, message, base, pages }: Hashed): Promise<string> => {
  hasher.add(`${HASH_PREFIX}{"actions":[`);
  let comma = '';
  const actions = new Actions();
  for await (const entries of pages()) {
    for (const entry of entries) {
      const action = actions.of(entry);
      if (action === null) continue;
      hasher.add(comma + canonical(action));
      comma = ',';
    }
  }
  hasher.add(`],"base":${canonical(base)},"changes":[`);
  comma = '';
  for await (const entries of pages()) {
    for (const entry of entries) {
      hasher.add(comma + canonical({ twin: entry.twin, entry }));
      comma = ',';
    }
  }
  hasher.add(`],"message":${canonical(message)},"name":${canonical(name)}}`);
  return hex(hasher.digest());
};
