// `Connection` (RFC 9110 7.6.1), for requests and responses alike: whether the connection goes on, and which
// fields belong to this hop alone.
import { findField, newFields, scanFields } from './fields.ts';

export type ConnectionOptions = {
  readonly close: boolean;
  readonly keepAlive: boolean;
  /** The other options, in lower case; null when there are none. */
  readonly named: readonly string[] | null;
};

const KEEP_ALIVE: ConnectionOptions = { close: false, keepAlive: true, named: null };
const CLOSE: ConnectionOptions = { close: true, keepAlive: false, named: null };

export function readConnection(value: string): ConnectionOptions {
  // What nearly all say costs two comparisons.
  if (value === 'keep-alive') return KEEP_ALIVE;
  if (value === 'close') return CLOSE;
  let close = false;
  let keepAlive = false;
  let named: string[] | null = null;
  for (const option of value.toLowerCase().split(',')) {
    const token = option.trim();
    if (token === 'close') close = true;
    else if (token === 'keep-alive') keepAlive = true;
    else if (token !== '') (named ??= []).push(token);
  }
  return { close, keepAlive, named };
}

/** Fields that `Connection` may not name away: they frame or route the message. */
const PROTECTED = new Set(['host', 'content-length', 'transfer-encoding', 'expect', 'upgrade']);
const namedFields = newFields();

/** `lines` without the fields that `Connection` named (RFC 9110 7.6.1). */
export function withoutNamed(lines: string, named: readonly string[]): string {
  const drop = named.filter(name => !PROTECTED.has(name));
  if (drop.length === 0) return lines;
  const section = `${lines}\r\n`;
  if (!scanFields(section, 0, namedFields)) return lines;
  if (drop.every(name => findField(section, namedFields, name) === undefined)) return lines;
  let rest = '';
  for (let i = 0; i < namedFields.count; i++) {
    const o = i * 4;
    const start = namedFields.at[o]!;
    if (drop.includes(section.slice(start, namedFields.at[o + 1]!).toLowerCase())) continue;
    rest += section.slice(start, lineEnd(section, namedFields.at[o + 3]!));
  }
  return rest;
}

/** Trailing white space of the value is part of its line. */
export function lineEnd(text: string, valueEnd: number): number {
  return text.indexOf('\n', valueEnd) + 1;
}
