// X.509 v3 certificates, written by hand (docs/decisions/0001-certificates.md): the parts that stay the same
// from leaf to leaf are encoded once, so that a leaf costs one signature.
import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bits, boolean, explicit, implicit, integer, octets, oid, sequence, set, time, utf8 } from './der.ts';

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const VERSION_3 = explicit(0, integer(Buffer.from([2])));
const COMMON_NAME = oid('2.5.4.3');
const SERIAL_BYTES = 16;

export type Certificate = {
  /** DER of the issuer's and the subject's name. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: readonly Buffer[];
};

/** Signed by the issuer's P-256 key; DER. The serial is random (RFC 5280 4.1.2.2: at most 20 bytes, positive). */
export function signCertificate(certificate: Certificate, issuerKey: KeyObject): Buffer {
  const serial = randomBytes(SERIAL_BYTES);
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  const body = sequence(
    VERSION_3,
    integer(serial),
    ECDSA_WITH_SHA256,
    certificate.issuer,
    sequence(time(certificate.notBefore), time(certificate.notAfter)),
    certificate.subject,
    certificate.publicKey,
    explicit(3, sequence(...certificate.extensions)),
  );
  return sequence(body, ECDSA_WITH_SHA256, bits(sign('sha256', body, issuerKey)));
}

export function commonName(name: string): Buffer {
  return sequence(set(sequence(COMMON_NAME, utf8(name))));
}

export const EMPTY_NAME: Buffer = sequence();

/** SPKI of a key pair's public half. */
export function publicKeyInfo(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

/** RFC 7093 method 1: the left 160 bits of SHA-256 over the public key info. */
export function keyIdentifier(publicKey: Buffer): Buffer {
  return createHash('sha256').update(publicKey).digest().subarray(0, 20);
}

const extension = (id: string, critical: boolean, value: Buffer): Buffer =>
  critical ? sequence(oid(id), boolean(true), octets(value)) : sequence(oid(id), octets(value));

export const authorityConstraints = (): Buffer => extension('2.5.29.19', true, sequence(boolean(true)));
export const leafConstraints = (): Buffer => extension('2.5.29.19', true, sequence());
/** keyCertSign and cRLSign. */
export const authorityUsage = (): Buffer =>
  extension('2.5.29.15', true, Buffer.from([0x03, 0x02, 0x01, 0x06]));
/** digitalSignature. */
export const leafUsage = (): Buffer => extension('2.5.29.15', true, Buffer.from([0x03, 0x02, 0x07, 0x80]));
export const serverUsage = (): Buffer => extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.1')));
export const subjectKey = (id: Buffer): Buffer => extension('2.5.29.14', false, octets(id));
export const authorityKey = (id: Buffer): Buffer => extension('2.5.29.35', false, sequence(implicit(0, id)));
/** One DNS name, or one address as 4 or 16 bytes. Critical where the subject is empty (RFC 5280 4.2.1.6). */
export const alternativeName = (name: string | Buffer, critical: boolean): Buffer =>
  extension(
    '2.5.29.17',
    critical,
    sequence(typeof name === 'string' ? implicit(2, Buffer.from(name, 'latin1')) : implicit(7, name)),
  );

export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
