// `.wrld/token`: the world's token on the first line, its read token on the second (5.1). The store keeps only
// hashes, so this file is the one place where they can be read again.
import { Secret } from '../world/secret.ts';
import type { Tokens } from '../world/token.ts';
import { readIfThere, writeWhole } from './files.ts';

export type TokenPair = { readonly write: Secret; readonly read: Secret };

/** Tokens are minted once. A file that is lost, or is not this store's, is made anew with new tokens. */
export async function tokensFor(
  tokens: Tokens,
  path: string,
): Promise<TokenPair & { readonly minted: boolean }> {
  const [write = '', read = ''] = ((await readIfThere(path)) ?? '').split('\n').map(line => line.trim());
  if (tokens.scopeOf(write) === 'write' && tokens.scopeOf(read) === 'read')
    return { write: new Secret(write), read: new Secret(read), minted: false };
  const issued = tokens.issue();
  await writeWhole(path, `${issued.write.reveal()}\n${issued.read.reveal()}\n`);
  return { ...issued, minted: true };
}
