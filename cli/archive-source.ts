// Where a world is that is to move: in this folder, at a host, or in a file (an archive, or what `wrld world backup` made).
import { closeSync, createReadStream, existsSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { readIfThere } from '../control/node/files.ts';
import { giveBackup, giveWorld } from '../control/node/given-world.ts';
import { parseWorldName } from '../control/world/config/world-name.ts';
import { ArchiveHost } from './archive-host.ts';
import { BadArchive, type ReadArchive, readArchive } from './archive-text.ts';
import { readSecrets } from './secret-input.ts';
import { findWorld } from './world-folder.ts';

export type Source = ReadArchive &
  Disposable & {
    /** For people: `acme/shop of this folder`. */
    readonly told: string;
  };

const NOTHING = { [Symbol.dispose]: () => {} };

/** Throws `BadArchive`, `HostRefusal`, `ControlError` and `StoreError`. */
export async function folderSource(folder: string, branches: boolean): Promise<Source> {
  const found = await findWorld(folder);
  if (!found.ok) throw new BadArchive(found.why);
  const given = await giveWorld(found.paths, found.config, { branches });
  return {
    header: given.header,
    parts: given.parts(),
    told: `${found.config.name} of this folder`,
    ...disposing(given),
  };
}

export async function fileSource(file: string): Promise<Source> {
  if (!existsSync(file)) throw new BadArchive(`${file} is not there.`);
  if (isSqlite(file)) {
    const given = giveBackup(file);
    return { header: given.header, parts: given.parts(), told: file, ...disposing(given) };
  }
  const stream = createReadStream(file, 'utf8');
  // Whoever reads it is told; one that nobody reads any more must not end the process.
  stream.once('error', () => {});
  const read = await readArchive(stream as AsyncIterable<string>);
  return { ...read, told: file, ...NOTHING };
}

export async function hostSource(at: WorldPlace, token: string): Promise<Source> {
  const read = await new ArchiveHost({ url: at.url, token }).read(at.name);
  return { ...read, told: `${at.name} of ${at.url}`, ...NOTHING };
}

function disposing(given: Disposable): Disposable {
  return { [Symbol.dispose]: () => given[Symbol.dispose]() };
}

function isSqlite(file: string): boolean {
  const head = Buffer.alloc(15);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, head, 0, head.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return head.toString('latin1') === 'SQLite format 3';
}

/** A world of a host: `https://worlds.example.com/acme/shop`. */
export type WorldPlace = { readonly url: string; readonly name: string };

export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** The URL of a host without a path; null for what is none. */
export function readHostUrl(text: string): string | null {
  const url = isUrl(text) ? URL.parse(text) : null;
  if (url === null || url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '')
    return null;
  return url.origin;
}

/** Null for what names no world. */
export function readWorldUrl(text: string): WorldPlace | null {
  const url = isUrl(text) ? URL.parse(text) : null;
  const name = parseWorldName(url?.pathname.replace(/^\/|\/$/g, '') ?? '');
  if (url === null || !name.ok || url.search !== '' || url.username !== '') return null;
  return { url: url.origin, name: name.text };
}

export type Credential =
  | { readonly ok: true; readonly token: string }
  | { readonly ok: false; readonly why: string };

/** An admin token: of a file that is named, of the environment, or typed. Never an argument. */
export async function adminToken(
  of: string,
  {
    file,
    variable,
    env,
    folder,
  }: {
    readonly file: string | undefined;
    readonly variable: string;
    readonly env: { readonly [name: string]: string | undefined };
    readonly folder: string;
  },
): Promise<Credential> {
  if (file !== undefined) {
    const text = (await readIfThere(resolve(folder, file)))?.trim() ?? '';
    return text === '' ? { ok: false, why: `${file} has no token` } : { ok: true, token: text };
  }
  const given = env[variable];
  if (given !== undefined && given !== '') return { ok: true, token: given };
  if (process.stdin.isTTY !== true)
    return { ok: false, why: `the admin token of ${of} is missing: set ${variable}, or name a file of it` };
  const read = await readSecrets(process, [`The admin token of ${of}`]);
  return read.ok ? { ok: true, token: read.secrets[0]! } : { ok: false, why: read.why };
}
