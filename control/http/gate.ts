// Who asks: the world's tokens, its named keys and its browsers' sessions, as one question of a request's head.
// Several may come at once; the first of x-wrld-token, x-twins-key, Authorization, session cookie counts (5.2), and
// an Authorization that is none of ours is the vendor's own and counts as nothing.
import type { CallHeaders } from '../../twins/kit/call.ts';
import type { WallClock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { DurableSql } from '../ports/durability.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { TrustedIssuer } from '../ports/trusted-issuer.ts';
import { parseCredential, secretOf } from '../world/access/credential.ts';
import { Keys } from '../world/access/key.ts';
import { Passes } from '../world/access/pass.ts';
import { Sessions } from '../world/access/session.ts';
import { SitePasses } from '../world/access/site-pass.ts';
import { TOKEN_PREFIX, type Tokens } from '../world/access/token.ts';
import { type Asker, judge, NOT_SAME_ORIGIN, type Verdict } from './access.ts';
import { type ReadHeaders, withoutCredential } from './arrived.ts';

export type Identity = {
  readonly asker: Asker | null;
  /** What was presented for it; null for a session and for who came through the proxy with nothing. */
  readonly credential: string | null;
};

/**
 * How it came: from a client; over the proxy's channel; over it and on the way to a twin, where that the app uses
 * this proxy lets it in. The cookies of an app are the vendor's, and open nothing here.
 */
export type Via = 'client' | 'proxy' | 'app';

const NOBODY: Identity = { asker: null, credential: null };

/** Who a call through the world's own proxy is when it says nothing else (4.9). */
const THROUGH_PROXY: Identity = {
  asker: { by: 'token', scope: 'write', caller: 'token', person: null },
  credential: null,
};

const TOKEN: Asker = { by: 'token', scope: 'write', caller: 'token', person: null };
const READ_TOKEN: Asker = { by: 'token', scope: 'read', caller: 'token:read', person: null };

const OURS = Object.values(TOKEN_PREFIX);

export type GateParts = {
  readonly sql: DurableSql;
  readonly entropy: Entropy;
  readonly digest: Digest;
  /** Everything that lets in runs out by it. */
  readonly wall: WallClock;
  readonly tokens: Tokens;
  /** The platforms whose passes open a session; none unless given. */
  readonly trusted?: readonly TrustedIssuer[];
};

export class Gate {
  readonly wall: WallClock;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly passes: Passes;
  readonly sitePasses: SitePasses;
  readonly #tokens: Tokens;

  constructor({ trusted = [], tokens, ...parts }: GateParts) {
    this.wall = parts.wall;
    this.sessions = new Sessions(parts);
    this.keys = new Keys({ ...parts, sessions: this.sessions });
    this.passes = new Passes({ trusted, wall: parts.wall });
    this.sitePasses = new SitePasses(parts);
    this.#tokens = tokens;
  }

  /** `ownOrigin`: the world's, the one place where a session counts when there is one (5.3-2). */
  identify(read: ReadHeaders, from: Via, ownOrigin: string | null): Identity {
    const shown = parseCredential(read.credentials);
    if (shown.by === 'unreadable') return NOBODY;
    if (shown.by !== 'nothing') {
      const credential = shown.secret.reveal();
      const asker = this.whose(credential);
      if (asker !== null) return { asker, credential };
      // A vendor's own key is the usual Authorization. One that is surely ours and no longer good opens nothing,
      // or a revoked read-only key would come back as write access.
      if (shown.by !== 'authorization' || isOurs(credential)) return NOBODY;
    }
    if (from === 'app') return THROUGH_PROXY;
    return read.session === null || from === 'proxy' ? NOBODY : this.#carried(read, read.session, ownOrigin);
  }

  /** At a site of the world (4.3): a session of that place alone. What a page presents besides is the vendor's. */
  atSite({ session: id }: ReadHeaders, site: string): Asker | null {
    const session = id === null ? null : this.sessions.find(id, site);
    return session === null ? null : { by: 'session', ...session };
  }

  /** Most credentials on the way to a twin are the vendor's own keys: those are told apart without a digest. */
  whose(credential: string): Asker | null {
    const { write, read, key } = TOKEN_PREFIX;
    if (credential.startsWith(write!) || credential.startsWith(read!) || this.#tokens.adopted()) {
      const scope = this.#tokens.scopeOf(credential);
      if (scope !== null) return scope === 'write' ? TOKEN : READ_TOKEN;
    }
    if (!credential.startsWith(key!)) return null;
    const found = this.keys.find(credential);
    if (found === null) return null;
    return { by: 'key', scope: found.scope, caller: found.caller, person: found.for };
  }

  #carried(read: ReadHeaders, id: string, ownOrigin: string | null): Identity {
    if (ownOrigin !== null && !isAt(ownOrigin, read)) return NOBODY;
    const session = this.sessions.find(id);
    return session === null ? NOBODY : { asker: { by: 'session', ...session }, credential: null };
  }
}

/** The headers as a twin may see them: whatever in `Authorization` is the world's own is hidden (5.1). */
export function headersForTwins(headers: CallHeaders, credential: string | null): CallHeaders {
  const { authorization } = headers;
  // Nothing of ours was presented, so what is in the field is the vendor's.
  if (credential === null || typeof authorization !== 'string') return headers;
  const secret = secretOf(authorization);
  return secret !== null && (secret === credential || isOurs(secret)) ? withoutCredential(headers) : headers;
}

/** As `headersForTwins`, where nothing but a session lets in: what a page says to its vendor stays, unless it is ours. */
export function headersFromPage(headers: CallHeaders, gate: Gate): CallHeaders {
  const { authorization } = headers;
  const secret = typeof authorization === 'string' ? secretOf(authorization) : null;
  const hidden = secret !== null && (isOurs(secret) || gate.whose(secret) !== null);
  return hidden ? withoutCredential(headers) : headers;
}

/** Whether a credential has the form of one that worlds mint. */
export function isOurs(credential: string): boolean {
  return OURS.some(prefix => credential.startsWith(prefix));
}

/**
 * Whether the request names the origin as its host: character for character, as every browser writes it. What
 * differs only in case or by a dot at its end was written by something else (security 28).
 */
export function isAt(origin: string, read: ReadHeaders): boolean {
  const { host } = read.headers;
  // `https` where something in front of a host ends TLS (5.3-2).
  return typeof host === 'string' && (`http://${host}` === origin || `https://${host}` === origin);
}

/**
 * Whether a WebSocket may be opened: a browser sends its cookies with every handshake, from whatever page, and
 * tells of the page in `Origin` alone (security 20). A credential that a program presents needs none.
 */
export function judgeUpgrade(asker: Asker | null, read: ReadHeaders, ownOrigin: string | null): Verdict {
  if (asker?.by !== 'session') return judge('vendor', asker);
  const { host, origin } = read.headers;
  const own = ownOrigin ?? (typeof host === 'string' ? `http://${host}` : null);
  return own !== null && origin === own ? judge('vendor', asker) : NOT_SAME_ORIGIN;
}
