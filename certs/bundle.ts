// Root certificates as PEM texts: what the system trusts, so that a bundle for a run adds the world's
// authority to it and takes nothing away.
import { readFileSync } from 'node:fs';
import tls from 'node:tls';

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** Where distributions keep the whole bundle; SSL_CERT_FILE hides it from OpenSSL's own look-up. */
export const SYSTEM_BUNDLES: readonly string[] = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** Every certificate in a PEM text, each as a PEM of its own. */
export function certificatesIn(text: string): string[] {
  return text.match(CERTIFICATE) ?? [];
}

/** Node's roots, the system store's, and those of the distribution's bundle; each once. */
export function systemRoots(): string[] {
  const bundles = SYSTEM_BUNDLES.flatMap(file => {
    try {
      return certificatesIn(readFileSync(file, 'latin1'));
    } catch {
      return [];
    }
  });
  // Node before 22.15 cannot be asked for the system's: there the distribution's bundle has to do.
  const system = (tls as Partial<typeof tls>).getCACertificates?.('system') ?? [];
  const all = [...tls.rootCertificates, ...system, ...bundles];
  // The same certificate comes with other line breaks from each source.
  return [...new Map(all.map(certificate => [certificate.replace(/\s+/g, ''), certificate.trim()])).values()];
}
