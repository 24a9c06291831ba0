// The tokens of a world on the edge. The object keeps their hashes; the inventory has their texts for the admin (2.13). A
// rotation is noted before either has them and forgotten when both do, so that one that broke off goes on at the next
// opening and the two never part.
import { Secret } from '../control/world/access/secret.ts';
import { mintToken, type TokenPair, type Tokens } from '../control/world/access/token.ts';
import { entropy } from './entropy.ts';
import type { TokenTexts } from './world-record.ts';

const NOTE = 'rotating';

type Parts = {
  readonly kv: SyncKvStorage;
  readonly tokens: Tokens;
  /** Resolves when the inventory has them. */
  readonly tell: (texts: TokenTexts) => Promise<void>;
};

export class WorldTokens {
  readonly #parts: Parts;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** When the world is opened. */
  async resume(): Promise<void> {
    const left = this.#parts.kv.get<TokenTexts>(NOTE);
    if (left !== undefined) await this.#carryOut(left);
  }

  /** The old tokens, every session and every key have ended when it resolves. */
  renew(): Promise<TokenPair> {
    const done = this.#turn.then(() => this.#renew());
    this.#turn = done.catch(() => {});
    return done;
  }

  async #renew(): Promise<TokenPair> {
    const pair = { write: mintToken(entropy, 'write'), read: mintToken(entropy, 'read') };
    const texts = { token: pair.write.reveal(), readToken: pair.read.reveal() };
    this.#parts.kv.put(NOTE, texts);
    await this.#carryOut(texts);
    return pair;
  }

  async #carryOut(texts: TokenTexts): Promise<void> {
    const { kv, tokens, tell } = this.#parts;
    await tell(texts);
    tokens.restore({ write: new Secret(texts.token), read: new Secret(texts.readToken) });
    kv.delete(NOTE);
  }
}
