// The world's two tokens: `tok_w_` opens everything, `tok_r_` reads (5.1). The store keeps only their SHA-256;
// the text exists once, in what `issue` returns. A host may adopt tokens that its callers hold already (4.11).
import type { Digest } from '../../ports/digest.ts';
import type { DurableSql } from '../../ports/durability.ts';
import type { Entropy } from '../../ports/entropy.ts';
import { ADOPTED_TOKEN_CHARS_MAX, ADOPTED_TOKEN_CHARS_MIN } from '../limits.ts';
import { base64url } from '../store/identifier.ts';
import { migrate } from '../store/schema.ts';
import { Secret } from './secret.ts';

export type TokenScope = 'write' | 'read';

export type TokenPair = { readonly write: Secret; readonly read: Secret };

/** 256 bits, which base64url writes in 43 characters. */
const TOKEN_BYTES = 32;

export const TOKEN_PREFIX: { readonly [kind in TokenScope | 'key' | 'admin']: string } = {
  write: 'tok_w_',
  read: 'tok_r_',
  key: 'tok_k_',
  admin: 'tok_a_',
};

export const mintToken = (entropy: Entropy, kind: keyof typeof TOKEN_PREFIX): Secret =>
  new Secret(TOKEN_PREFIX[kind] + base64url(entropy.bytes(TOKEN_BYTES)));

export type AdoptResult = { readonly ok: true } | { readonly ok: false; readonly message: string };

export type Tokens = {
  /** Whether the world has tokens already. */
  issued(): boolean;
  /** Whether they were adopted, so that nothing of a credential's form says that it is none of them. */
  adopted(): boolean;
  /**
   * New tokens, on disk before they are returned. The old ones are refused from then on, and what they opened
   * ends with them: every session (5.3-1) and every key (4.8).
   */
  issue(): TokenPair;
  /** As `issue`, with tokens that this world had before, of whichever form. */
  restore(pair: TokenPair): void;
  /** As `issue`, with tokens of 24 to 256 URL-safe characters that the callers hold already. */
  adopt(pair: TokenPair): AdoptResult;
  /** The scope a presented credential opens, or null when it is none of this world's tokens. */
  scopeOf(credential: string): TokenScope | null;
};

const URL_SAFE = /^[A-Za-z0-9_-]+$/;

/** Whether a world may adopt them. */
export const checkAdopted = ({ write, read }: TokenPair): AdoptResult => {
  for (const secret of [write, read]) {
    const { length } = secret.reveal();
    if (
      length < ADOPTED_TOKEN_CHARS_MIN ||
      length > ADOPTED_TOKEN_CHARS_MAX ||
      !URL_SAFE.test(secret.reveal())
    ) {
      const message = `A token is ${ADOPTED_TOKEN_CHARS_MIN} to ${ADOPTED_TOKEN_CHARS_MAX} characters of A–Z a–z 0–9 _ -.`;
      return { ok: false, message };
    }
  }
  if (write.reveal() === read.reveal())
    return { ok: false, message: 'The token and the read token are the same.' };
  return { ok: true };
};

export const openTokens = ({
  sql,
  entropy,
  digest,
}: {
  sql: DurableSql;
  entropy: Entropy;
  digest: Digest;
}): Tokens => {
  migrate(sql);
  const load = () => sql.all<{ scope: TokenScope; hash: Uint8Array }>('SELECT scope, hash FROM token');
  const loadAdopted = (): boolean =>
    sql.get("SELECT 1 AS n FROM meta WHERE k = 'tokens-adopted'") !== undefined;
  let stored = load();
  /** Those that were presented, two at most: whoever asks does so with each request. A guess meets their hashes alone. */
  const opened = new Map<string, TokenScope>();
  let adopted = loadAdopted();
  const replace = (pair: TokenPair, adopting: boolean): void => {
    sql.durable(() => {
      for (const table of ['token', 'apikey', 'session']) sql.run(`DELETE FROM ${table}`);
      sql.run("DELETE FROM meta WHERE k = 'tokens-adopted'");
      if (adopting) sql.run("INSERT INTO meta(k, v) VALUES ('tokens-adopted', '1')");
      for (const scope of ['write', 'read'] as const) {
        sql.run('INSERT INTO token(scope, hash) VALUES (?, ?)', scope, digest.sha256(pair[scope].reveal()));
      }
    });
    stored = load();
    opened.clear();
    adopted = adopting;
  };
  return {
    issued: () => stored.length > 0,
    adopted: () => adopted,
    issue: () => {
      const pair = { write: mintToken(entropy, 'write'), read: mintToken(entropy, 'read') };
      replace(pair, false);
      return pair;
    },
    restore: pair => replace(pair, !pair.write.reveal().startsWith(TOKEN_PREFIX.write)),
    adopt: pair => {
      const checked = checkAdopted(pair);
      if (checked.ok) replace(pair, true);
      return checked;
    },
    scopeOf: credential => {
      const known = opened.get(credential);
      if (known !== undefined) return known;
      const presented = digest.sha256(credential);
      let scope: TokenScope | null = null;
      // Each is compared whatever the others gave, and hashes are compared, which all have one length: the
      // time taken tells nothing of a guess (security 41).
      for (const each of stored) if (digest.equal(each.hash, presented)) scope = each.scope;
      if (scope !== null) opened.set(credential, scope);
      return scope;
    },
  };
};
