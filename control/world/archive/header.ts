// The header of an archive, read: what somebody sends is looked through here once, and is as it says from here on.
import { parseJson } from '../../../policy/json-text.ts';
import { parseWorldName } from '../config/world-name.ts';
import { ARCHIVED_WORLDS_MAX } from '../limits.ts';
import { SCHEMA_VERSION } from '../store/schema.ts';
import {
  ARCHIVE_VERSION,
  type ArchivedSeal,
  type ArchivedTwin,
  type ArchivedWorld,
  type ArchiveHeader,
  type Left,
  readCell,
} from './archive.ts';

export type ReadHeader =
  | { readonly ok: true; readonly header: ArchiveHeader }
  | { readonly ok: false; readonly why: 'no-archive' | 'newer-release'; readonly message: string };

type Fields = { readonly [name: string]: unknown };

export const readHeader = (body: string): ReadHeader => {
  const parsed = parseJson(body.endsWith('\n') ? body.slice(0, -1) : body);
  if (!parsed.ok || !isFields(parsed.value) || parsed.value['wrld'] !== 'archive')
    return no('its first part is no header of one');
  const { version, schema, at, twins, worlds, left } = parsed.value;
  if (!isCount(version) || !isCount(schema)) return no('its header has no version');
  if (version > ARCHIVE_VERSION || schema > SCHEMA_VERSION) return newer(schema);
  if (schema === 0 || typeof at !== 'string' || Number.isNaN(Date.parse(at)))
    return no('its header does not say of when it is');
  const read = listOf(twins, twinOf);
  const told = listOf(left, leftOf);
  if (read === null || told === null) return no('its header does not say what twins it has');
  const found = worldsOf(worlds);
  if (typeof found === 'string') return no(found);
  return { ok: true, header: { version, schema, at, twins: read, worlds: found, left: told } };
};

const no = (why: string): ReadHeader => ({
  ok: false,
  why: 'no-archive',
  message: `This is no archive of a world: ${why}.`,
});

const newer = (schema: number): ReadHeader => ({
  ok: false,
  why: 'newer-release',
  message: `The world is of a newer release (its store is of schema ${schema}; here ${SCHEMA_VERSION} is known). Bring wrld up to date where it is to go.`,
});

/** Or what is wrong with them. */
function worldsOf(value: unknown): readonly ArchivedWorld[] | string {
  const worlds = listOf(value, worldOf);
  if (worlds === null || worlds.length === 0) return 'its header names no worlds';
  if (worlds.length > ARCHIVED_WORLDS_MAX) return `it has more than ${ARCHIVED_WORLDS_MAX} worlds`;
  const before = new Set<string>();
  for (const [index, { name, parent }] of worlds.entries()) {
    if (before.has(name)) return `it has ${name} twice`;
    if (index === 0 ? parent !== null : parent === null || !before.has(parent))
      return `${name} stands before the world that it left`;
    before.add(name);
  }
  return worlds;
}

function worldOf(value: unknown): ArchivedWorld | null {
  if (!isFields(value)) return null;
  const { name, parent, expires, positions, rows, blobs, seals } = value;
  const whole =
    isName(name) &&
    (parent === null || isName(parent)) &&
    (expires === null || isCount(expires)) &&
    isFields(positions) &&
    Object.values(positions).every(isCount) &&
    isCount(rows) &&
    isFields(blobs) &&
    isCount(blobs['count']) &&
    isCount(blobs['bytes']);
  const read = listOf(seals, sealOf);
  if (!whole || read === null) return null;
  return {
    name,
    parent,
    expires,
    positions: positions as ArchivedWorld['positions'],
    rows,
    blobs: blobs as ArchivedWorld['blobs'],
    seals: read,
  };
}

function sealOf(value: unknown): ArchivedSeal | null {
  if (!isFields(value)) return null;
  const { ref, rev, at, by, boundTo, wrapped } = value;
  const iv = readCell(value['iv']);
  const ciphertext = readCell(value['ciphertext']);
  const texts = [ref, boundTo, wrapped].every(each => typeof each === 'string');
  if (!texts || (by !== 'key' && by !== 'vault') || !isCount(rev) || !isCount(at)) return null;
  if (!(iv instanceof Uint8Array) || !(ciphertext instanceof Uint8Array)) return null;
  return {
    ref: String(ref),
    rev,
    at,
    by,
    boundTo: String(boundTo),
    wrapped: String(wrapped),
    iv,
    ciphertext,
  };
}

/** It becomes a part of a path. */
export const isVendorName = (name: unknown): name is string =>
  typeof name === 'string' && /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name);

function twinOf(value: unknown): ArchivedTwin | null {
  if (!isFields(value)) return null;
  const { vendor, twin } = value;
  const named = isVendorName(vendor) && typeof twin === 'string';
  return named ? { vendor, twin } : null;
}

const KINDS: readonly Left['what'][] = ['credential', 'twin', 'file', 'setting', 'access'];

function leftOf(value: unknown): Left | null {
  if (!isFields(value)) return null;
  const { world, name, why } = value;
  const what = KINDS.find(kind => kind === value['what']);
  if (what === undefined || typeof world !== 'string' || typeof name !== 'string' || typeof why !== 'string')
    return null;
  return { world, what, name, why };
}

/** Null where one of them is none. */
function listOf<T>(value: unknown, read: (each: unknown) => T | null): readonly T[] | null {
  if (!Array.isArray(value)) return null;
  const all = value.map(read);
  return all.every((each): each is T => each !== null) ? all : null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && parseWorldName(value).ok;
}
