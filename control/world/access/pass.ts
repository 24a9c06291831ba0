// A pass (5.3-7): a platform that the world trusts says, signed, who a person is and what they may do here. A JWT
// of type `wrld-pass+jwt` with `iss`, `sub`, `aud` (`wrld`), `world` (`<org>/<world>`), `origin` (the world's
// own), `scope` (`read` or `write`), `iat`, `exp`, `jti`, and if they like `nbf` and `name`, the person's name.
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { WallClock } from '../../ports/clock.ts';
import type { TrustedIssuer } from '../../ports/trusted-issuer.ts';
import { PASS_CHARS_MAX, PASS_LIFETIME_MS_MAX, PASS_SKEW_MS, PERSON_CHARS_MAX } from '../limits.ts';
import { IssuerKeys, PASS_ALGORITHMS, type PassAlgorithm } from './issuer-keys.ts';
import { isPlain } from './key.ts';
import type { Spent } from './session.ts';
import type { TokenScope } from './token.ts';

const PASS_TYPE = 'wrld-pass+jwt';
const PASS_AUDIENCE = 'wrld';
const SECOND_MS = 1000;

export type Pass = {
  readonly issuer: string;
  /** The person, as the platform names them for good. */
  readonly subject: string;
  /** The person's name where the platform told it, else the subject. */
  readonly who: string;
  readonly scope: TokenScope;
  /** What must be remembered, so that it is spent once. */
  readonly spent: Spent;
};

export type PassFault =
  | 'pass-unreadable'
  | 'pass-untrusted'
  | 'pass-forged'
  | 'pass-for-another'
  | 'pass-expired'
  | 'pass-not-yet'
  | 'pass-spent';

export type PassResult =
  | { readonly ok: true; readonly pass: Pass }
  | { readonly ok: false; readonly why: PassFault; readonly message: string };

/** What a pass must have been made out for. */
export type Addressee = { readonly world: string; readonly origin: string };

export class Passes {
  readonly #wall: WallClock;
  readonly #issuers: ReadonlyMap<string, IssuerKeys>;

  constructor({ trusted, wall }: { trusted: readonly TrustedIssuer[]; wall: WallClock }) {
    this.#wall = wall;
    this.#issuers = new Map(trusted.map(each => [each.issuer, new IssuerKeys(each, wall)]));
  }

  /** Everything but whether it was spent already, which the session's transaction finds out (session.ts). */
  async read(text: string, addressee: Addressee): Promise<PassResult> {
    const opened = open(text);
    if (!opened.ok) return opened;
    const { algorithm, keyId, issuer } = opened;
    const keys = this.#issuers.get(issuer);
    if (keys === undefined)
      return refusal('pass-untrusted', 'The pass is from a platform that this world does not trust.');
    const found = await keys.find(keyId, algorithm);
    if (found.at === 'unreadable')
      return refusal('pass-untrusted', 'The keys of the pass’s platform cannot be read now.');
    if (found.at === 'unknown')
      return refusal('pass-forged', 'The pass is signed with no key of its platform.');
    const now = this.#wall.now();
    let claims: JWTPayload;
    try {
      const verified = await jwtVerify(text, found.key, {
        algorithms: [...PASS_ALGORITHMS],
        issuer,
        audience: PASS_AUDIENCE,
        typ: PASS_TYPE,
        currentDate: new Date(now),
        clockTolerance: PASS_SKEW_MS / SECOND_MS,
        requiredClaims: ['sub', 'iat', 'exp', 'jti'],
      });
      claims = verified.payload;
    } catch (error) {
      return refusedBy(error);
    }
    return judge(claims, { issuer, addressee, now });
  }
}

type Opened =
  | { readonly ok: true; readonly algorithm: PassAlgorithm; readonly keyId: string; readonly issuer: string }
  | Extract<PassResult, { ok: false }>;

/** What says which key to verify with: nothing in it is believed yet. */
function open(text: string): Opened {
  if (text.length > PASS_CHARS_MAX) return refusal('pass-unreadable', 'The pass is too long.');
  try {
    const { alg, kid, crit, jwk, jku, x5c, x5u } = decodeProtectedHeader(text);
    const algorithm = PASS_ALGORITHMS.find(each => each === alg);
    if (algorithm === undefined)
      return refusal('pass-forged', `A pass is signed with ${PASS_ALGORITHMS.join(' or ')}.`);
    // A key that comes with what it signs proves nothing (security 32).
    if ([jwk, jku, x5c, x5u].some(each => each !== undefined))
      return refusal('pass-forged', 'A pass names its key by `kid` and brings none.');
    if (crit !== undefined) return refusal('pass-unreadable', 'A pass has no `crit`.');
    if (typeof kid !== 'string') return refusal('pass-forged', 'The pass names no key (`kid`).');
    const { iss } = decodeJwt(text);
    if (typeof iss !== 'string') return refusal('pass-untrusted', 'The pass names no platform (`iss`).');
    return { ok: true, algorithm, keyId: kid, issuer: iss };
  } catch {
    return refusal('pass-unreadable', 'The pass cannot be read: it is a signed JWT.');
  }
}

function judge(
  claims: JWTPayload,
  { issuer, addressee, now }: { issuer: string; addressee: Addressee; now: number },
): PassResult {
  const { sub, jti, world, origin, scope, name } = claims;
  const iat = claims.iat! * SECOND_MS;
  const exp = claims.exp! * SECOND_MS;
  if (world !== addressee.world) return refusal('pass-for-another', 'The pass is for another world.');
  if (origin !== addressee.origin) return refusal('pass-for-another', 'The pass is for another origin.');
  if (iat > now + PASS_SKEW_MS)
    return refusal('pass-not-yet', 'The pass says that it was made in the future.');
  if (exp - iat > PASS_LIFETIME_MS_MAX)
    return refusal('pass-unreadable', 'The pass is good for too long; a pass lasts a day at most.');
  if (scope !== 'read' && scope !== 'write')
    return refusal('pass-unreadable', 'The pass’s `scope` is neither `read` nor `write`.');
  if (typeof jti !== 'string' || !isPlain(jti, PERSON_CHARS_MAX))
    return refusal('pass-unreadable', 'The pass’s `jti` is no id.');
  if (typeof sub !== 'string' || !isPlain(sub, PERSON_CHARS_MAX))
    return refusal('pass-unreadable', 'The pass’s `sub` names no person.');
  if (name !== undefined && !(typeof name === 'string' && isPlain(name, PERSON_CHARS_MAX)))
    return refusal('pass-unreadable', 'The pass’s `name` is no name.');
  // Longer than it is taken, by as much again as clocks may differ (security 37).
  const until = exp + 2 * PASS_SKEW_MS;
  return { ok: true, pass: { issuer, subject: sub, who: name ?? sub, scope, spent: { issuer, jti, until } } };
}

function refusedBy(error: unknown): PassResult {
  if (error instanceof errors.JWTExpired) return refusal('pass-expired', 'The pass has expired.');
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error;
    if (reason === 'missing') return refusal('pass-unreadable', `The pass has no \`${claim}\`.`);
    if (claim === 'nbf' || claim === 'iat') return refusal('pass-not-yet', 'The pass is not good yet.');
    if (claim === 'aud') return refusal('pass-for-another', 'The pass is not for wrld (`aud`).');
    return refusal('pass-unreadable', `The pass’s \`${claim}\` is not a pass’s.`);
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return refusal('pass-forged', 'The signature of the pass is not its platform’s.');
  return refusal('pass-unreadable', 'The pass cannot be read: it is a signed JWT.');
}

function refusal(why: PassFault, message: string): Extract<PassResult, { ok: false }> {
  return { ok: false, why, message };
}
