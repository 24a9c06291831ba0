// An image that is built already: a folder in the layout of the Open Container Initiative, or an archive of one, or what
// `docker save` writes. Of it, what its config declares, and where the layers of its files are; each document is the one that
// its digest says.
import { createHash } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../policy/json-text.ts';
import { IMAGE_DOCUMENT_BYTES_MAX, INDEX_DEPTH_MAX, LAYERS_MAX, MANIFESTS_MAX } from '../limits.ts';
import { Unreadable } from '../note.ts';
import { type ReadAt, tarFiles } from './tar.ts';

/** Null: it is not there. */
type Files = {
  read(path: string): Buffer | null;
  find(path: string): FilePart | null;
};

type Fields = { readonly [key: string]: unknown };

/** Of a file of this machine's; `size` null: all of it. */
export type FilePart = { readonly file: string; readonly offset: number; readonly size: number | null };

export type Layer = FilePart & {
  readonly name: string;
  /** Of its bytes as they lie there, where that is said. SHA-256, in hex; so is the next. */
  readonly digest: string | null;
  /** Of the tar archive that it is. */
  readonly content: string;
};

/** In their order, or why there are none that could be unpacked. */
export type Layers =
  | { readonly ok: true; readonly layers: readonly Layer[] }
  | { readonly ok: false; readonly why: string };

export type BuiltImage = {
  /** Of the config, where it lies. */
  readonly file: string;
  readonly config: Fields;
  /** For other machines than this one, where it has none for this. */
  readonly platform: string;
  /** The digest of its config, which names the content of each layer: no two images have one. */
  readonly id: string;
  readonly layers: Layers;
};

const ARCHITECTURES: { readonly [arch: string]: string } = { x64: 'amd64', ia32: '386' };

/** What runs on this machine. */
export const OWN_PLATFORM = `linux/${ARCHITECTURES[process.arch] ?? process.arch}`;

/** `path` is absolute; `name` is how a person names it. @throws Unreadable */
export function readBuiltImage(path: string, name: string, isFolder: boolean): BuiltImage {
  try {
    if (isFolder) return imageIn(filesOfFolder(path), name);
    return withFile(path, (readAt, length) => imageIn(filesOfArchive(path, readAt, length), name));
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable({ file: name, line: 1 }, (error as Error).message);
  }
}

function filesOfFolder(folder: string): Files {
  return {
    read: path => documentAt(join(folder, path)),
    find: path => {
      const file = join(folder, path);
      return existsSync(file) ? { file, offset: 0, size: null } : null;
    },
  };
}

function filesOfArchive(archive: string, readAt: ReadAt, length: number): Files {
  const files = tarFiles(readAt, length);
  return {
    read: path => {
      const found = files.get(path);
      if (found === undefined) return null;
      if (found.size > IMAGE_DOCUMENT_BYTES_MAX) throw tooLong(path);
      return readAt(found.offset, found.size);
    },
    find: path => {
      const found = files.get(path);
      return found === undefined ? null : { file: archive, ...found };
    },
  };
}

function imageIn(files: Files, name: string): BuiltImage {
  const index = files.read('index.json');
  if (index !== null) return imageOf(fieldsIn(index, 'index.json'), files, name, 0);
  const saved = files.read('manifest.json');
  if (saved === null) throw new Error('neither index.json nor manifest.json is in it: it is no image');
  const list = jsonIn(saved, 'manifest.json');
  const manifest = Array.isArray(list) ? fieldsOf(list[0]) : null;
  const config = manifest?.['Config'];
  if (typeof config !== 'string') throw new Error('its manifest.json names no config');
  const hex = /^(?:blobs\/sha256\/)?([0-9a-f]{64})(?:\.json)?$/.exec(config)?.[1];
  if (hex === undefined) throw new Error('its manifest.json names its config by no digest');
  const layers = listOf(manifest?.['Layers']).map(path =>
    typeof path === 'string' ? { path, hex: null } : null,
  );
  return builtImage({ path: config, hex }, layers, files, name);
}

function imageOf(index: Fields, files: Files, name: string, depth: number): BuiltImage {
  const all = index['manifests'];
  if (!Array.isArray(all) || all.length > MANIFESTS_MAX || depth > INDEX_DEPTH_MAX)
    throw new Error('its index names no manifests, or too many');
  const named = all.map(fieldsOf).filter(each => each !== null);
  const chosen = named.find(each => platformOf(each['platform']) === OWN_PLATFORM) ?? named[0];
  if (chosen === undefined) throw new Error('its index names no manifest');
  const blob = blobOf(chosen);
  const { path } = blob;
  const manifest = fieldsIn(checked(files, blob), path);
  if (Array.isArray(manifest['manifests'])) return imageOf(manifest, files, name, depth + 1);
  const config = fieldsOf(manifest['config']);
  if (config === null) throw new Error(`${path} names no config`);
  const layers = listOf(manifest['layers']).map(each => blobOf(fieldsOf(each) ?? {}));
  return builtImage(blobOf(config), layers, files, name);
}

type Blob = { readonly path: string; readonly hex: string };

type NamedLayer = { readonly path: string; readonly hex: string | null } | null;

function builtImage(blob: Blob, layers: readonly NamedLayer[], files: Files, name: string): BuiltImage {
  const document = fieldsIn(checked(files, blob), blob.path);
  return {
    file: `${name}/${blob.path}`,
    config: fieldsOf(document['config']) ?? {},
    platform: platformOf(document),
    id: blob.hex,
    layers: layersOf(document, layers, files),
  };
}

function layersOf(document: Fields, named: readonly NamedLayer[], files: Files): Layers {
  const no = (why: string): Layers => ({ ok: false, why });
  const contents = listOf(fieldsOf(document['rootfs'])?.['diff_ids']).map(
    each => /^sha256:([0-9a-f]{64})$/.exec(String(each))?.[1],
  );
  if (contents.length !== named.length || contents.length > LAYERS_MAX)
    return no(`its config and its manifest name no layers of the same number, or more than ${LAYERS_MAX}`);
  const layers: Layer[] = [];
  for (const [nth, layer] of named.entries()) {
    const content = contents[nth];
    if (layer === null || content === undefined) return no(`layer ${nth + 1} has no sha256 digest`);
    // What has the same content may be kept once, with links to it from the others.
    const same = named.find(
      (each, other) => each !== null && contents[other] === content && files.find(each.path),
    );
    const kept = same == null ? null : files.find(same.path);
    if (kept === null) return no(`${layer.path} is not in it`);
    layers.push({ ...kept, name: same!.path, digest: same!.hex, content });
  }
  return { ok: true, layers };
}

function platformOf(value: unknown): string {
  const { os = '', architecture = '' } = fieldsOf(value) ?? {};
  return `${os}/${architecture}`;
}

function blobOf(descriptor: Fields): Blob {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(String(descriptor['digest']))?.[1];
  if (hex === undefined) throw new Error('one of its descriptors has no sha256 digest');
  return { path: `blobs/sha256/${hex}`, hex };
}

function checked(files: Files, { path, hex }: Blob): Buffer {
  const bytes = files.read(path);
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

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
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
