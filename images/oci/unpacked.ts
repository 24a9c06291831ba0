// The root of an image that is built already, as a folder of this machine: unpacked once, and there only when it is whole.
import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../policy/json-text.ts';
import { PLACE_TRIES_MAX, UNPACKED_BYTES_MAX, UNPACKED_KEPT_DAYS } from '../limits.ts';
import { type BuiltImage, fieldsOf } from './built-image.ts';
import { readLayer } from './layer.ts';
import { UnpackedTree } from './unpacked-tree.ts';

/** Of how it is unpacked: what an earlier release left is made anew. */
const VERSION = 1;
const RECORD = 'unpacked.json';
const ROOT = 'root';
const DAY_MS = 86_400_000;

export type Unpacked =
  | { readonly ok: true; readonly root: string }
  | { readonly ok: false; readonly why: string };

export type UnpackOptions = {
  /** Where such folders are kept; absolute, made where it is not there. */
  readonly cache: string;
  /** Before it begins, which takes its time. */
  readonly begins: () => void;
};

export async function unpackedRoot(
  { id, layers }: Pick<BuiltImage, 'id' | 'layers'>,
  { cache, begins }: UnpackOptions,
): Promise<Unpacked> {
  if (!layers.ok) return layers;
  const home = join(cache, id);
  const root = join(home, ROOT);
  if (isWhole(home, id)) {
    const now = new Date();
    utimesSync(join(home, RECORD), now, now);
    return { ok: true, root };
  }
  await mkdir(cache, { recursive: true, mode: 0o700 });
  await removeOld(cache);
  begins();
  const aside = join(cache, `aside-${process.pid}-${randomBytes(8).toString('hex')}`);
  try {
    await mkdir(join(aside, ROOT), { recursive: true, mode: 0o755 });
    await unpackAll(layers.layers, join(aside, ROOT));
    await writeFile(join(aside, RECORD), JSON.stringify({ version: VERSION, id }));
    await place(aside, home, id);
    return { ok: true, root };
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function unpackAll(
  layers: Extract<BuiltImage['layers'], { ok: true }>['layers'],
  folder: string,
): Promise<void> {
  using tree = new UnpackedTree(folder);
  let bytes = 0;
  for (const layer of layers) {
    tree.beginLayer();
    await readLayer(layer, tree, more => {
      bytes += more;
      if (bytes > UNPACKED_BYTES_MAX)
        throw new Error(`the image has more than ${UNPACKED_BYTES_MAX} bytes, unpacked`);
    });
  }
}

/** Others may be at the same: whoever comes second finds it there. */
async function place(aside: string, home: string, id: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await rename(aside, home);
    } catch (error) {
      if (isWhole(home, id)) return;
      if (tries === PLACE_TRIES_MAX) throw error;
    }
    // What is there and is not whole was left by somebody who did not come to an end with it. It goes by another name at
    // once; what another run put in its place just before comes back.
    const left = `${aside}-left-${tries}`;
    await rename(home, left).catch(() => {});
    if (isWhole(left, id)) await rename(left, home).catch(() => {});
    await rm(left, { recursive: true, force: true });
  }
}

function isWhole(home: string, id: string): boolean {
  try {
    const read = parseJson(readFileSync(join(home, RECORD)));
    const record = read.ok ? fieldsOf(read.value) : null;
    return (
      record?.['version'] === VERSION && record['id'] === id && lstatSync(join(home, ROOT)).isDirectory()
    );
  } catch {
    return false;
  }
}

/** What somebody began who has ended since, and what nobody has run for long. */
async function removeOld(cache: string): Promise<void> {
  const old = Date.now() - UNPACKED_KEPT_DAYS * DAY_MS;
  for (const name of await readdir(cache)) {
    const [, pid] = /^aside-(\d+)-/.exec(name) ?? [];
    const used = statSync(join(cache, name, RECORD), { throwIfNoEntry: false })?.mtimeMs;
    if (pid === undefined ? used !== undefined && used < old : !isAlive(Number(pid)))
      await rm(join(cache, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
