// Which run a client is of, by the credentials in its proxy URL (design.md, "Which run is asking").
import { createHash, timingSafeEqual } from 'node:crypto';
import { DEFAULT_RUN, type Run } from '../policy/run.ts';
import type { Snapshot } from '../policy/snapshot.ts';

export type Identified =
  | { readonly ok: true; readonly run: Run }
  | { readonly ok: false; readonly why: string };

/** Whoever leaves the credentials out would leave out what its run is held to (docs/decisions/0011-…). */
const SHED =
  'a run with a declaration or a branch of its own is open, and this request does not say which run it is of. ' +
  'Keep the user and password of the proxy URL that wrld world run set (HTTPS_PROXY), for everything the run starts; ' +
  'a program that is none of it has the user default and the world’s token for its password.';

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

export function identify(authorization: string | null, snapshot: Snapshot, loopback: boolean): Identified {
  if (authorization === null) {
    if (loopback && snapshot.anonymousRuns) {
      if (!snapshot.heldRuns) return { ok: true, run: DEFAULT_RUN };
      return { ok: false, why: SHED };
    }
    return { ok: false, why: 'this proxy takes requests only with the run and secret of its proxy URL.' };
  }
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded !== undefined) {
    const pair = Buffer.from(encoded, 'base64').toString('utf8');
    const colon = pair.indexOf(':');
    const known = colon > 0 ? snapshot.runs.get(pair.slice(0, colon)) : undefined;
    if (known !== undefined) {
      const given = createHash('sha256')
        .update(pair.slice(colon + 1))
        .digest();
      if (timingSafeEqual(given, Buffer.from(known.secretHash, 'hex'))) return { ok: true, run: known.run };
    }
  }
  return { ok: false, why: 'the run or secret of the proxy URL is not one of this world.' };
}
