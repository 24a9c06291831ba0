// `.wrld/token`: the world's token on the first line, its read token on the second (5.1). The store keeps only
// hashes, so this file is the one place where they can be read again.
import type { Log } from '../ports/log.ts';
import { Secret } from '../world/access/secret.ts';
import type { TokenPair, Tokens } from '../world/access/token.ts';
import { readIfThere, writeWhole } from './files.ts';

export type { TokenPair } from '../world/access/token.ts';

/** Tokens are minted once. A file that is lost, or is not this store's, is made anew with new tokens. */
export async function tokensFor(
  tokens: Tokens,
  path: string,
): Promise<TokenPair & { readonly minted: boolean }> {
  const [write = '', read = ''] = ((await readIfThere(path)) ?? '').split('\n').map(line => line.trim());
  if (tokens.scopeOf(write) === 'write' && tokens.scopeOf(read) === 'read')
    return { write: new Secret(write), read: new Secret(read), minted: false };
  const issued = tokens.issue();
  await writeWhole(path, textOf(issued));
  return { ...issued, minted: true };
}

/** The tokens in force, which a rotation replaces, and the file that has them. */
export class WorldTokens implements TokenPair {
  readonly #tokens: Tokens;
  readonly #path: string;
  readonly #log: Log;
  #pair: TokenPair;

  private constructor(parts: { tokens: Tokens; path: string; log: Log; pair: TokenPair }) {
    this.#tokens = parts.tokens;
    this.#path = parts.path;
    this.#log = parts.log;
    this.#pair = parts.pair;
  }

  static async open(tokens: Tokens, path: string, log: Log): Promise<WorldTokens> {
    return new WorldTokens({ tokens, path, log, pair: await tokensFor(tokens, path) });
  }

  get write(): Secret {
    return this.#pair.write;
  }

  get read(): Secret {
    return this.#pair.read;
  }

  /**
   * New tokens; the old ones end at once. A file that cannot be written is no reason to keep them back: who asked
   * gets the new ones, and the next start, which finds the old ones in the file, would mint anew.
   */
  async renew(): Promise<TokenPair> {
    const pair = this.#tokens.issue();
    this.#pair = pair;
    await writeWhole(this.#path, textOf(pair)).catch((error: NodeJS.ErrnoException) =>
      this.#log.error({ code: error.code }, 'the file of the new tokens could not be written'),
    );
    return pair;
  }
}

function textOf({ write, read }: TokenPair): string {
  return `${write.reveal()}\n${read.reveal()}\n`;
}
