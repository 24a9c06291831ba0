// The admin token of a host (4.10): minted at the first start and kept in `.wrld-host/admin-token`, for this user alone, or
// given by the environment (ADMIN_TOKEN), and then kept nowhere.

import { isAdminToken } from '../../hosting/admin-token.ts';
import { Secret } from '../../world/access/secret.ts';
import { mintToken } from '../../world/access/token.ts';
import { ADOPTED_TOKEN_CHARS_MAX, ADOPTED_TOKEN_CHARS_MIN } from '../../world/limits.ts';
import { ControlError } from '../control-error.ts';
import { digest } from '../digest.ts';
import { openEntropy } from '../entropy.ts';
import { readIfThere, writeWhole } from '../files.ts';

export type AdminToken = {
  readonly secret: Secret;
  /** Made just now: it is shown once. */
  readonly minted: boolean;
  /** Whether what somebody presents is it. */
  readonly is: (credential: string) => boolean;
};

/** `given`: by the environment; undefined for none. Throws `ControlError`. */
export async function openAdminToken(file: string, given: string | undefined): Promise<AdminToken> {
  if (given !== undefined) {
    if (!isAdminToken(given))
      throw new ControlError(
        'admin-token-unusable',
        `ADMIN_TOKEN is ${ADOPTED_TOKEN_CHARS_MIN} to ${ADOPTED_TOKEN_CHARS_MAX} letters, digits, - and _, and no world’s token; set another, or none, and one is made`,
      );
    return tokenOf(given, false);
  }
  const kept = (await readIfThere(file))?.trim();
  if (kept !== undefined && isAdminToken(kept)) return tokenOf(kept, false);
  if (kept !== undefined && kept !== '')
    throw new ControlError(
      'admin-token-unusable',
      `${file} holds no admin token (${ADOPTED_TOKEN_CHARS_MIN} to ${ADOPTED_TOKEN_CHARS_MAX} letters, digits, - and _); remove it, and one is made`,
    );
  const made = mintToken(openEntropy(), 'admin').reveal();
  await writeWhole(file, `${made}\n`);
  return tokenOf(made, true);
}

/** Compared by their hashes: how long that takes tells nothing of the token. */
function tokenOf(text: string, minted: boolean): AdminToken {
  const hash = digest.sha256(text);
  return {
    secret: new Secret(text),
    minted,
    is: credential => digest.equal(digest.sha256(credential), hash),
  };
}
