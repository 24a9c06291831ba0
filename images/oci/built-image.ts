// An image that is built already: a folder in the layout of the Open Container Initiative, or an archive of one, or what
// `docker save` writes. Of it, what its config declares; each document is the one that its digest says.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../policy/json-text.ts';
import { IMAGE_DOCUMENT_BYTES_MAX, INDEX_DEPTH_MAX, MANIFESTS_MAX } from '../limits.ts';
import { Unreadable } from '../note.ts';
import { type ReadAt, tarFiles } from './tar.ts';

/** Null: it is not there. */
type Files = (path: string) => Buffer | null;

type Fields = { readonly [key: string]: unknown };

export type BuiltImage = {
  /** Of the config, where it lies. */
  readonly file: string;
  readonly config: Fields;
  /** For other machines than this one, where it has none for this. */
  readonly platform: string;
};

const ARCHITECTURES: { readonly [arch: string]: string } = { x64: 'amd64', ia32: '386' };

/** `path` is absolute; `name` is how a person names it. @throws Unreadable */
export function readBuiltImage(path: string, name: string, isFolder: boolean): BuiltImage {
  try {
    if (isFolder) return imageIn(file => documentAt(join(path, file)), name);
    return withFile(path, (readAt, length) => {
      const files = tarFiles(readAt, length);
      return imageIn(file => {
        const found = files.get(file);
        if (found === undefined) return null;
        if (found.size > IMAGE_DOCUMENT_BYTES_MAX) throw tooLong(file);
        return readAt(found.offset, found.size);
      }, name);
    });
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable({ file: name, line: 1 }, (error as Error).message);
  }
}

function imageIn(files: Files, name: string): BuiltImage {
  const index = files('index.json');
  if (index !== null) return imageOf(fieldsIn(index, 'index.json'), files, name, 0);
  const saved = files('manifest.json');
  if (saved === null) throw new Error('neither index.json nor manifest.json is in it: it is no image');
  const list = jsonIn(saved, 'manifest.json');
  const config = Array.isArray(list) ? fieldsOf(list[0])?.['Config'] : undefined;
  if (typeof config !== 'string') throw new Error('its manifest.json names no config');
  const hex = /^(?:blobs\/sha256\/)?([0-9a-f]{64})(?:\.json)?$/.exec(config)?.[1];
  if (hex === undefined) throw new Error('its manifest.json names its config by no digest');
  return builtImage(checked(files(config), config, hex), `${name}/${config}`);
}

function imageOf(index: Fields, files: Files, name: string, depth: number): BuiltImage {
  const all = index['manifests'];
  if (!Array.isArray(all) || all.length > MANIFESTS_MAX || depth > INDEX_DEPTH_MAX)
    throw new Error('its index names no manifests, or too many');
  const wanted = `linux/${ARCHITECTURES[process.arch] ?? process.arch}`;
  const named = all.map(fieldsOf).filter(each => each !== null);
  const chosen = named.find(each => platformOf(each['platform']) === wanted) ?? named[0];
  if (chosen === undefined) throw new Error('its index names no manifest');
  const { path, hex } = blobOf(chosen);
  const manifest = fieldsIn(checked(files(path), path, hex), path);
  if (Array.isArray(manifest['manifests'])) return imageOf(manifest, files, name, depth + 1);
  const config = fieldsOf(manifest['config']);
  if (config === null) throw new Error(`${path} names no config`);
  const blob = blobOf(config);
  return builtImage(checked(files(blob.path), blob.path, blob.hex), `${name}/${blob.path}`);
}

function builtImage(bytes: Buffer, file: string): BuiltImage {
  const document = fieldsIn(bytes, file);
  return { file, config: fieldsOf(document['config']) ?? {}, platform: platformOf(document) };
}

function platformOf(value: unknown): string {
  const { os = '', architecture = '' } = fieldsOf(value) ?? {};
  return `${os}/${architecture}`;
}

function blobOf(descriptor: Fields): { readonly path: string; readonly hex: string } {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(String(descriptor['digest']))?.[1];
  if (hex === undefined) throw new Error('one of its descriptors has no sha256 digest');
  return { path: `blobs/sha256/${hex}`, hex };
}

function checked(bytes: Buffer | null, path: string, hex: string): Buffer {
  if (bytes === null) throw new Error(`${path} is not in it`);
  if (createHash('sha256').update(bytes).digest('hex') !== hex)
    throw new Error(`${path} is not what its digest says`);
  return bytes;
}

function jsonIn(bytes: Buffer, path: string): unknown {
  const read = parseJson(bytes);
  if (!read.ok) throw new Error(`${path} is ${read.why}`);
  return read.value;
}

function fieldsIn(bytes: Buffer, path: string): Fields {
  const fields = fieldsOf(jsonIn(bytes, path));
  if (fields === null) throw new Error(`${path} is no object`);
  return fields;
}

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

function documentAt(path: string): Buffer | null {
  try {
    return withFile(path, (readAt, length) => {
      if (length > IMAGE_DOCUMENT_BYTES_MAX) throw tooLong(path);
      return readAt(0, length);
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function withFile<T>(path: string, use: (readAt: ReadAt, length: number) => T): T {
  // Neither a pipe is waited for, nor a link followed to what lies elsewhere.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error('it is no regular file');
    return use((offset, length) => {
      const bytes = Buffer.alloc(length);
      for (let at = 0; at < length; ) {
        const read = readSync(file, bytes, at, length - at, offset + at);
        if (read === 0) throw new Error('it ends in the middle of a file');
        at += read;
      }
      return bytes;
    }, found.size);
  } finally {
    closeSync(file);
  }
}

function tooLong(path: string): Error {
  return new Error(`${path} is longer than ${IMAGE_DOCUMENT_BYTES_MAX} bytes`);
}
