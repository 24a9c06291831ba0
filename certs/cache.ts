// TLS contexts by host, so that a host's leaf is minted once and its clients can resume sessions.
import { randomBytes } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { Authority } from './authority.ts';
import { LeafMaker } from './leaf.ts';
import { LEAF_CONTEXT_MS_MAX, LEAF_CONTEXTS_MAX } from './limits.ts';

/** Bytes of the ticket keys that TLS 1.2 and 1.3 sessions are sealed with (Node's own format). */
export const TICKET_KEY_BYTES = 48;
/** AES-128 first: on loopback the cipher is a cost a byte, and no weaker for what stays on the machine. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
].join(':');

export class LeafCache {
  readonly #leaves: LeafMaker;
  readonly #ticketKeys: Buffer;
  readonly #contexts = new LRUCache<string, SecureContext>({
    max: LEAF_CONTEXTS_MAX,
    ttl: LEAF_CONTEXT_MS_MAX,
  });

  /** `ticketKeys`: where another cache's clients must be able to resume with this one's. */
  constructor(authority: Authority, ticketKeys: Buffer = randomBytes(TICKET_KEY_BYTES)) {
    this.#leaves = new LeafMaker(authority);
    this.#ticketKeys = ticketKeys;
  }

  /**
   * The context that ends TLS for this host. Synchronous, a fraction of a millisecond when minted: however many
   * connections to a new host arrive at once, the first mints and the others find it.
   */
  contextFor(host: string): SecureContext {
    let context = this.#contexts.get(host);
    if (context === undefined) {
      context = createSecureContext({
        key: this.#leaves.keyPem,
        cert: this.#leaves.make(host),
        minVersion: 'TLSv1.2',
        ciphers: CIPHERS,
        honorCipherOrder: true,
        ticketKeys: this.#ticketKeys,
      } as Parameters<typeof createSecureContext>[0]);
      this.#contexts.set(host, context);
    }
    return context;
  }

  /** A context of this host is held: `contextFor` mints nothing. */
  has(host: string): boolean {
    return this.#contexts.has(host);
  }

  /** Contexts held now. */
  get size(): number {
    return this.#contexts.size;
  }
}
