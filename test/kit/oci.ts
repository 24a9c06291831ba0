// Images that are built already, for tests: their layers and their config, in each way in which they are kept.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tarEntry, tarOf } from './tar.ts';

export type Kept = { readonly [path: string]: string | Buffer };

export const hexOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const ARCHITECTURE: string = process.arch === 'x64' ? 'amd64' : process.arch;

export type ImageParts = {
  /** Tar archives, the lowest first. */
  readonly layers: readonly Buffer[];
  readonly config?: object;
  readonly pack?: (layer: Buffer) => Buffer;
  /** What the config says of the whole. */
  readonly more?: object;
};

function document({ layers, config = {}, more = {} }: ImageParts): string {
  const rootfs = { type: 'layers', diff_ids: layers.map(each => `sha256:${hexOf(each)}`) };
  return JSON.stringify({ os: 'linux', architecture: ARCHITECTURE, config, rootfs, ...more });
}

/** The files of a layout. */
export function ociLayout(parts: ImageParts): Kept {
  const files: { [path: string]: string | Buffer } = { 'oci-layout': '{"imageLayoutVersion":"1.0.0"}' };
  const put = (bytes: string | Buffer): { readonly digest: string; readonly size: number } => {
    files[`blobs/sha256/${hexOf(bytes)}`] = bytes;
    return { digest: `sha256:${hexOf(bytes)}`, size: bytes.length };
  };
  const layers = parts.layers.map(layer => put((parts.pack ?? gzipSync)(layer)));
  const manifest = put(JSON.stringify({ schemaVersion: 2, config: put(document(parts)), layers }));
  files['index.json'] = JSON.stringify({ schemaVersion: 2, manifests: [manifest] });
  return files;
}

/** The files of what `docker save` wrote before it wrote layouts. */
export function dockerSaved(parts: ImageParts): Kept {
  const text = document(parts);
  const paths = parts.layers.map((_, nth) => `${nth}/layer.tar`);
  return {
    ...Object.fromEntries(parts.layers.map((layer, nth) => [paths[nth]!, layer])),
    [`${hexOf(text)}.json`]: text,
    'manifest.json': JSON.stringify([{ Config: `${hexOf(text)}.json`, Layers: paths }]),
  };
}

export function writeKept(folder: string, files: Kept): string {
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return folder;
}

export function archiveOf(files: Kept): Buffer {
  return tarOf(...Object.entries(files).map(([path, bytes]) => tarEntry(path, bytes)));
}

/** What lies in a folder, as a layer. */
export function layerOf(folder: string): Buffer {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => {
    const file = join(folder, path);
    const stat = lstatSync(file);
    const mode = stat.mode & 0o7777;
    if (stat.isSymbolicLink()) return tarEntry(path, '', { type: '2', target: readlinkSync(file), mode });
    return stat.isDirectory()
      ? tarEntry(`${path}/`, '', { type: '5', mode })
      : tarEntry(path, readFileSync(file), { mode });
  });
  return tarOf(...entries);
}
