// Leaf certificates for the hosts that clients CONNECT to. One key for all of them; a leaf is one signature.
import { createPublicKey } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import type { Authority } from './authority.ts';
import {
  alternativeName,
  authorityKey,
  commonName,
  EMPTY_NAME,
  keyIdentifier,
  leafConstraints,
  leafUsage,
  pem,
  publicKeyInfo,
  serverUsage,
  signCertificate,
  subjectKey,
} from './certificate.ts';
import { BACKDATED_MS, COMMON_NAME_CHARS_MAX, LEAF_DAYS } from './limits.ts';

export class LeafMaker {
  /** PKCS#8 PEM of the key that all leaves share. */
  readonly keyPem: string;
  readonly #authority: Authority;
  readonly #publicKey: Buffer;
  readonly #fixed: readonly Buffer[];

  constructor(authority: Authority) {
    const { leafKey } = authority;
    this.keyPem = leafKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    this.#authority = authority;
    this.#publicKey = publicKeyInfo(createPublicKey(leafKey));
    this.#fixed = [
      leafConstraints(),
      leafUsage(),
      serverUsage(),
      subjectKey(keyIdentifier(this.#publicKey)),
      authorityKey(authority.keyIdentifier),
    ];
  }

  /** PEM leaf for one canonical host: a DNS name, or an address without brackets. */
  make(host: string, now: number = Date.now()): string {
    const name = addressBytes(host) ?? host;
    const long = host.length > COMMON_NAME_CHARS_MAX;
    const der = signCertificate(
      {
        issuer: this.#authority.name,
        subject: long ? EMPTY_NAME : commonName(host),
        publicKey: this.#publicKey,
        notBefore: new Date(now - BACKDATED_MS),
        // A leaf that outlasts its authority is taken for a forgery by some clients.
        notAfter: new Date(
          Math.min(now - BACKDATED_MS + LEAF_DAYS * 86_400_000, this.#authority.notAfter.getTime()),
        ),
        extensions: [...this.#fixed, alternativeName(name, long)],
      },
      this.#authority.privateKey,
    );
    return pem('CERTIFICATE', der);
  }
}

/** The 4 or 16 bytes of an address; null for a name. */
export function addressBytes(host: string): Buffer | null {
  if (isIPv4(host)) return Buffer.from(host.split('.').map(Number));
  if (!isIPv6(host)) return null;
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host);
  const text =
    dotted === null
      ? host
      : `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`;
  const [left = '', right] = text.split('::');
  const groups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map(hex => Number.parseInt(hex, 16));
  const before = groups(left);
  const after = right === undefined ? [] : groups(right);
  const words = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(words.flatMap(word => [word >> 8, word & 0xff]));
}
