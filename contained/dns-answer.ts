// Answers to look-ups of names inside a contained run, in the bytes of DNS (RFC 1035). Every name has an address there,
// that of the world; who may be reached is the proxy's to say. Pure: a question in, an answer out.

import { NAME_TTL_SECONDS } from './limits.ts';
import type { NameTable } from './name-table.ts';

const HEAD_BYTES = 12;
const TYPE_A = 1;
const TYPE_PTR = 12;
const TYPE_AAAA = 28;
const CLASS_IN = 1;
const ANSWER = 0x8000;
const AUTHORITATIVE = 0x0400;
const RECURSION_WANTED = 0x0100;
const RECURSION = 0x0080;
const OPCODE = 0x7800;
const FORMAT_ERROR = 1;
const NO_SUCH_NAME = 3;
const NOT_IMPLEMENTED = 4;
const LABEL_BYTES_MAX = 63;
/** The question's own name, in an answer. */
const SAME_NAME = 0xc00c;

/** Null for what is no question. */
export function dnsAnswer(message: Buffer, names: NameTable): Buffer | null {
  if (message.length < HEAD_BYTES) return null;
  const flags = message.readUInt16BE(2);
  if ((flags & ANSWER) !== 0) return null;
  if ((flags & OPCODE) !== 0) return headOnly(message, NOT_IMPLEMENTED);
  const question = message.readUInt16BE(4) === 1 ? readQuestion(message) : null;
  if (question === null) return headOnly(message, FORMAT_ERROR);
  const { name, type, end } = question;
  const records = question.of === CLASS_IN ? recordsOf(name, type, names) : [];
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(message.readUInt16BE(0), 0);
  const missing = records === null ? NO_SUCH_NAME : 0;
  head.writeUInt16BE(ANSWER | AUTHORITATIVE | RECURSION | (flags & RECURSION_WANTED) | missing, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records?.length ?? 0, 6);
  return Buffer.concat([
    head,
    message.subarray(HEAD_BYTES, end),
    ...(records ?? []).map(data => recordOf(type, data)),
  ]);
}

/**
 * Null: there is no such name. Whatever is no IPv4 address of a name is empty: a program then goes without IPv6, and
 * without the hints (HTTPS, SVCB) that would send it to QUIC or hide whom its TLS is to.
 */
function recordsOf(name: string, type: number, names: NameTable): readonly Buffer[] | null {
  if (name === 'localhost' || name.endsWith('.localhost')) {
    if (type === TYPE_A) return [bytesOf('127.0.0.1')];
    return type === TYPE_AAAA ? [Buffer.from([...Array(15).fill(0), 1])] : [];
  }
  const reverse = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\.in-addr\.arpa$/.exec(name);
  if (reverse !== null || name.endsWith('.arpa')) {
    const known = reverse === null ? null : names.nameOf(reverse.slice(1).reverse().join('.'));
    if (known === null) return null;
    return type === TYPE_PTR ? [wireName(known)] : [];
  }
  return type === TYPE_A && name !== '' ? [bytesOf(names.addressOf(name))] : [];
}

type Question = { readonly name: string; readonly type: number; readonly of: number; readonly end: number };

function readQuestion(message: Buffer): Question | null {
  const labels: string[] = [];
  let at = HEAD_BYTES;
  for (;;) {
    const length = message[at];
    // A pointer has nothing before it to point to.
    if (length === undefined || length > LABEL_BYTES_MAX) return null;
    if (length === 0) break;
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  if (end > message.length) return null;
  return {
    name: labels.join('.').toLowerCase(),
    type: message.readUInt16BE(at + 1),
    of: message.readUInt16BE(at + 3),
    end,
  };
}

function recordOf(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(SAME_NAME, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(CLASS_IN, 4);
  head.writeUInt32BE(NAME_TTL_SECONDS, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function headOnly(message: Buffer, code: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(message.readUInt16BE(0), 0);
  head.writeUInt16BE(ANSWER | RECURSION | (message.readUInt16BE(2) & (OPCODE | RECURSION_WANTED)) | code, 2);
  return head;
}

function bytesOf(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

function wireName(name: string): Buffer {
  const labels = name.split('.').map(label => Buffer.from(label, 'latin1'));
  return Buffer.concat([...labels.flatMap(label => [Buffer.from([label.length]), label]), Buffer.from([0])]);
}
