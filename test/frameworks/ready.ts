// The frameworks at the versions that are committed beside their programs. As with the SDKs of other languages, nothing is
// installed unless it is asked for, and what is missing is said in words, for the reason of a skip.
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ready, run } from '../clients/ready.ts';

export const HERE: string = import.meta.dirname;
const INSTALL = process.env['WRLD_FRAMEWORKS_INSTALL'] === '1';
const MISSING = 'the frameworks are not installed; WRLD_FRAMEWORKS_INSTALL=1 installs them';

export async function readyJavaScript(): Promise<Ready> {
  const folder = join(HERE, 'javascript');
  const wanted = join(folder, 'package-lock.json');
  const stamp = join(folder, 'node_modules', 'installed-lock.json');
  const [asked, there] = await Promise.all([
    readFile(wanted, 'utf8'),
    readFile(stamp, 'utf8').catch(() => null),
  ]);
  if (there === asked) return { ok: true, folder };
  if (!INSTALL) return { ok: false, why: MISSING };
  const words = ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const installed = await run('npm', words, folder);
  if (!installed.ok) throw new Error(`npm ci: ${installed.why}`);
  await copyFile(wanted, stamp);
  return { ok: true, folder };
}
