// The roots that the system trusts, kept from one run to the next: to ask for them takes as long as all else that a run
// in a world that is up does before its command.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificatesIn, SYSTEM_BUNDLES, systemRoots } from '../certs/bundle.ts';

type Env = { readonly [name: string]: string | undefined };

/** Where a change of what the system trusts shows: a file of it is written anew, or one comes or goes. */
const PLACES = [...SYSTEM_BUNDLES, '/etc/ssl/certs', '/etc/pki/tls/certs', '/etc/pki/ca-trust/extracted/pem'];

/** Kept in `folder`, which nobody else writes to. Elsewhere than on Linux the system is asked each time. */
export async function keptSystemRoots(folder: string, env: Env): Promise<readonly string[]> {
  if (process.platform !== 'linux') return systemRoots();
  const named = [env['SSL_CERT_FILE'], env['SSL_CERT_DIR']].filter(
    place => place !== undefined && place !== '',
  );
  const states = await Promise.all([...PLACES, ...named].map(place => stateOf(place!)));
  const mark = createHash('sha256')
    .update([process.version, ...states].join('\n'))
    .digest('hex')
    .slice(0, 16);
  const file = join(folder, `system-${mark}.pem`);
  const kept = certificatesIn(await readFile(file, 'latin1').catch(() => ''));
  if (kept.length > 0) return kept;
  const roots = systemRoots();
  await mkdir(folder, { recursive: true });
  const beside = `${file}.${randomUUID()}`;
  await writeFile(beside, roots.join('\n'));
  // Whole or not at all.
  await rename(beside, file);
  return roots;
}

async function stateOf(place: string): Promise<string> {
  const found = await stat(place).catch(() => null);
  return found === null ? place : `${place} ${found.ino} ${found.size} ${found.mtimeMs}`;
}
