// The one key that all leaves of an authority share, kept beside it: it is the same after a restart and in every thread of a
// proxy, so that a browser can be told once whom to believe (`publicKeyHash`).
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const LEAF_KEY_FILE = 'leaf.key';

/** Loads the key in an authority's folder, or makes one there. Safe when several processes do it at once. */
export async function loadLeafKey(folder: string): Promise<KeyObject> {
  const file = join(folder, LEAF_KEY_FILE);
  const there = await read(file);
  if (there !== null) return there;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const beside = `${file}.${process.pid}.${performance.now()}`;
  await writeFile(beside, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flush: true });
  try {
    // Unlike a rename it fails where another process was first: that one's key is the one.
    await link(beside, file);
    return privateKey;
  } catch (error) {
    const first = await read(file);
    if (first === null) throw error;
    return first;
  } finally {
    await rm(beside, { force: true });
  }
}

/** Base64 of the SHA-256 of the public key, as `--ignore-certificate-errors-spki-list` of Chromium takes it. */
export function publicKeyHash(key: KeyObject): string {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('base64');
}

async function read(file: string): Promise<KeyObject | null> {
  let text: string;
  try {
    text = await readFile(file, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw new Error(`${file} is damaged; remove it to have a new one made`);
  }
}
