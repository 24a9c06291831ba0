// The world's two tokens: `tok_w_` opens everything, `tok_r_` reads (5.1). The store keeps only their SHA-256;
// the text exists once, in what `issue` returns.
import type { Digest } from '../ports/digest.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Sql } from '../ports/sql.ts';
import { base64url } from './identifier.ts';
import { migrate } from './schema.ts';
import { Secret } from './secret.ts';

export type TokenScope = 'write' | 'read';

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

export type Tokens = {
  /** Whether the world has tokens already. */
  issued(): boolean;
  /** New tokens, on disk before they are returned; the old ones are refused from then on. */
  issue(): { readonly write: Secret; readonly read: Secret };
  /** The scope a presented credential opens, or null when it is none of this world's tokens. */
  scopeOf(credential: string): TokenScope | null;
};

export const openTokens = ({
  sql,
  entropy,
  digest,
}: {
  sql: Sql;
  entropy: Entropy;
  digest: Digest;
}): Tokens => {
  migrate(sql);
  const load = () => sql.all<{ scope: TokenScope; hash: Uint8Array }>('SELECT scope, hash FROM token');
  let stored = load();
  return {
    issued: () => stored.length > 0,
    issue: () => {
      const pair = { write: mintToken(entropy, 'write'), read: mintToken(entropy, 'read') };
      sql.durable(() => {
        sql.run('DELETE FROM token');
        for (const scope of ['write', 'read'] as const) {
          sql.run('INSERT INTO token(scope, hash) VALUES (?, ?)', scope, digest.sha256(pair[scope].reveal()));
        }
      });
      stored = load();
      return pair;
    },
    scopeOf: credential => {
      const presented = digest.sha256(credential);
      let scope: TokenScope | null = null;
      // Each is compared whatever the others gave, and hashes are compared, which all have one length: the
      // time taken tells nothing of a guess (security 41).
      for (const each of stored) if (digest.equal(each.hash, presented)) scope = each.scope;
      return scope;
    },
  };
};
