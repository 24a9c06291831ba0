// An authority for tests: vouches for the stand-in origins that the proxy dials. It is deliberately not
// certs/, so that a fault in certs/ cannot hide behind itself.
import 'reflect-metadata';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
type TestKeys = { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey };
const DAY_MS = 86_400_000;

/** PEM texts, as `tls.createServer` takes them. */
export type TestLeaf = { readonly key: string; readonly cert: string };

export type TestLeafOptions = {
  /** Whole days the leaf is valid from yesterday on; negative makes an expired one. Default 30. */
  readonly days?: number;
};

export type TestAuthority = {
  /** The authority's certificate, PEM. */
  readonly pem: string;
  /** A leaf for these DNS names and IP addresses. */
  leaf(hosts: readonly string[], options?: TestLeafOptions): Promise<TestLeaf>;
};

export async function createTestAuthority(name = 'wrld test authority'): Promise<TestAuthority> {
  const keys = await newKeys();
  const subject = `CN=${name}`;
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: subject,
    keys,
    signingAlgorithm: KEY,
    serialNumber: serial(),
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + 365 * DAY_MS),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    pem: root.toString('pem'),
    async leaf(hosts, { days = 30 } = {}) {
      const leafKeys = await newKeys();
      const notAfter = new Date(Date.now() + days * DAY_MS);
      const cert = await x509.X509CertificateGenerator.create({
        issuer: subject,
        subject: `CN=${hosts[0]!.slice(0, 64)}`,
        publicKey: leafKeys.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: KEY,
        serialNumber: serial(),
        notBefore: new Date(Math.min(Date.now(), notAfter.getTime()) - DAY_MS),
        notAfter,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
          new x509.SubjectAlternativeNameExtension(
            hosts.map(value => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
          ),
          await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
          await x509.SubjectKeyIdentifierExtension.create(leafKeys.publicKey),
        ],
      });
      const pkcs8 = await crypto.subtle.exportKey('pkcs8', leafKeys.privateKey);
      return { key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'), cert: cert.toString('pem') };
    },
  };
}

async function newKeys(): Promise<TestKeys> {
  return (await crypto.subtle.generateKey(KEY, true, ['sign', 'verify'])) as TestKeys;
}

/** 120 random bits with the top bit clear: a positive DER integer. */
function serial(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(15));
  bytes[0] = 0x40 | (bytes[0]! & 0x3f);
  return Buffer.from(bytes).toString('hex');
}
