// Which certificates of upstreams are believed: Node's roots, the system's, and what the operator added.
// Added, never instead (design.md): a file in SSL_CERT_FILE must not cost the public roots.
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext, setDefaultCACertificates } from 'node:tls';
import { certificatesIn, systemRoots } from '../../certs/bundle.ts';

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
  setDefaultCACertificates([...systemRoots(), ...extra]);
  return createSecureContext({ minVersion: 'TLSv1.2' });
}
