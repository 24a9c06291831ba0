// Which certificates of upstreams are believed: Node's roots, the system's, and what the operator added.
// Added, never instead (design.md): a file in SSL_CERT_FILE must not cost the public roots.
import { readFileSync } from 'node:fs';
import tls, { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';
import { certificatesIn, systemRoots } from '../../certs/bundle.ts';

/** AES-128 before the rest of Node's list, for servers that take what the client names first: less work a byte. */
const CIPHERS = [
  ...new Set([
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    ...DEFAULT_CIPHERS.split(':'),
  ]),
].join(':');

/**
 * One context for every upstream connection, so that the roots are parsed once. `added` are PEM files; one
 * that holds no certificate is an error, since its owner relies on it.
 */
export function upstreamTrust(added: readonly string[]): SecureContext {
  const extra = added.flatMap(file => {
    const certificates = certificatesIn(readFileSync(file, 'latin1'));
    if (certificates.length === 0) throw new Error(`${file} holds no certificate.`);
    return certificates;
  });
  const ca = [...systemRoots(), ...extra];
  const { setDefaultCACertificates } = tls as Partial<typeof tls>;
  // Node before 22.19: this context alone then has them.
  if (setDefaultCACertificates === undefined)
    return createSecureContext({ minVersion: 'TLSv1.2', ciphers: CIPHERS, ca });
  setDefaultCACertificates(ca);
  return createSecureContext({ minVersion: 'TLSv1.2', ciphers: CIPHERS });
}
