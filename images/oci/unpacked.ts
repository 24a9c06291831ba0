// The root of an image that is built already, as a folder of this machine: unpacked once.
import { foundFolder, madeFolder } from '../kept-folder.ts';
import { UNPACKED_BYTES_MAX } from '../limits.ts';
import type { BuiltImage } from './built-image.ts';
import { readLayer } from './layer.ts';
import { UnpackedTree } from './unpacked-tree.ts';

/** Of how it is unpacked. */
const VERSION = 1;

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
  const folders = { cache, version: VERSION };
  const found = foundFolder(id, folders);
  if (found !== null) return { ok: true, root: found };
  begins();
  try {
    const root = await madeFolder(id, folders, folder => unpackAll(layers.layers, folder));
    return { ok: true, root };
  } catch (error) {
    return { ok: false, why: (error as Error).message };
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
