// Who listens in a network namespace, as the kernel tells it (/proc/<pid>/net/tcp and tcp6). Listeners come first in
// these tables, so however many connections a machine has, little is read; but behind the last of them the kernel looks
// through all the places that connections could have, so it is not asked before something has changed.
import { open, readFile } from 'node:fs/promises';
import { SOCKET_TABLE_BYTES_MAX } from './limits.ts';

/** `address` is plain: `127.0.0.1`, `0.0.0.0`, `::`, `::1`. */
export type Listening = { readonly address: string; readonly port: number };

const LISTEN = '0A';
const CHUNK_BYTES = 16 * 1024;

/** Listeners of the namespace that process `pid` is in; empty where it has gone or hides them. */
export async function listenersOf(pid: number | 'self'): Promise<readonly Listening[]> {
  const [v4, v6] = await Promise.all(['tcp', 'tcp6'].map(table => readHead(`/proc/${pid}/net/${table}`)));
  return [...parseListeners(v4!), ...parseListeners(v6!)];
}

/**
 * Changes when a socket of the namespace begins to listen or is connected, or ends; cheap to ask. Null where the kernel
 * does not tell.
 */
export async function socketCount(pid: number | 'self'): Promise<string | null> {
  const files = ['sockstat', 'sockstat6'].map(file => readFile(`/proc/${pid}/net/${file}`, 'latin1'));
  const [v4, v6] = await Promise.all(files.map(text => text.catch(() => '')));
  const inUse = /^TCP: inuse (\d+)/m.exec(v4!)?.[1];
  return inUse === undefined ? null : `${inUse} ${/^TCP6: inuse (\d+)/m.exec(v6!)?.[1] ?? 0}`;
}

/** The table as far as the first line of one that does not listen. */
async function readHead(file: string): Promise<string> {
  const handle = await open(file).catch(() => null);
  if (handle === null) return '';
  try {
    let text = '';
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    while (text.length < SOCKET_TABLE_BYTES_MAX) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      text += chunk.toString('latin1', 0, bytesRead);
      const lines = text.split('\n');
      if (lines.slice(1, -1).some(line => line !== '' && stateOf(line) !== LISTEN)) break;
    }
    return text;
  } catch {
    return '';
  } finally {
    await handle.close();
  }
}

function stateOf(line: string): string | undefined {
  return line.trim().split(/\s+/)[3];
}

export function parseListeners(table: string): readonly Listening[] {
  const found: Listening[] = [];
  for (const line of table.split('\n').slice(1)) {
    const [, local = '', , state] = line.trim().split(/\s+/);
    if (state !== LISTEN) continue;
    const [address = '', port = ''] = local.split(':');
    const plain = address.length === 8 ? v4(address) : v6(address);
    if (plain !== null) found.push({ address: plain, port: Number.parseInt(port, 16) });
  }
  return found;
}

/** Each 32-bit word is written as this machine holds it: its first byte is last. */
function v4(hex: string): string {
  return bytesOf(hex).join('.');
}

function v6(hex: string): string | null {
  if (hex.length !== 32) return null;
  const bytes = bytesOf(hex);
  if (bytes.every(byte => byte === 0)) return '::';
  if (bytes.slice(0, 15).every(byte => byte === 0) && bytes[15] === 1) return '::1';
  const mapped = bytes.slice(0, 10).every(byte => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (mapped) return bytes.slice(12).join('.');
  const groups = Array.from({ length: 8 }, (_, nth) =>
    ((bytes[2 * nth]! << 8) | bytes[2 * nth + 1]!).toString(16),
  );
  return groups.join(':');
}

function bytesOf(hex: string): number[] {
  const words = hex.match(/.{8}/g) ?? [];
  return words.flatMap(word => [6, 4, 2, 0].map(at => Number.parseInt(word.slice(at, at + 2), 16)));
}
