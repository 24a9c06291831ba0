// What a tunnel carries, judged by its first bytes. Pure: bytes in, a word out.
import { METHOD_BYTES_MAX } from '../limits.ts';

export type Carried =
  | 'tls'
  | 'http1'
  /** The HTTP/2 preface without TLS (prior knowledge). */
  | 'h2c'
  | 'other'
  /** Too few bytes to say. */
  | 'more';

const TLS_HANDSHAKE = 0x16;
const TLS_MAJOR = 0x03;
const H2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const SP = 32;

export function sniff(bytes: Buffer): Carried {
  const first = bytes[0];
  if (first === undefined) return 'more';
  if (first === TLS_HANDSHAKE) return bytes.length < 2 ? 'more' : bytes[1] === TLS_MAJOR ? 'tls' : 'other';
  const preface = Math.min(bytes.length, H2_PREFACE.length);
  // "PRI *" can begin no other request: the method is reserved (RFC 9113 3.4).
  if (H2_PREFACE.compare(bytes, 0, preface, 0, preface) === 0) return preface >= 5 ? 'h2c' : 'more';
  for (let i = 0; i < bytes.length && i < METHOD_BYTES_MAX; i++) {
    const c = bytes[i]!;
    if (c === SP) return i > 0 ? 'http1' : 'other';
    if (c !== 45 && (c < 65 || c > 90)) return 'other';
  }
  return bytes.length < METHOD_BYTES_MAX ? 'more' : 'other';
}
