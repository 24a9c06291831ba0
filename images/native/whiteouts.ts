// What a layer does not have of the folder that it is made of: marks in the folder over it, as the kernel's overlays have them.
import { execFile } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Of every layer: one mark, with as many names as there are paths. */
export async function takeOut(
  layers: readonly { readonly from: string; readonly upper: string; readonly without: readonly string[] }[],
  mark: string,
): Promise<void> {
  if (layers.every(({ without }) => without.length === 0)) return;
  await promisify(execFile)('mknod', [mark, 'c', '0', '0']);
  for (const { from, upper, without } of layers)
    for (const path of without) {
      folderAs(from, upper, dirname(path));
      linkSync(mark, join(upper, path));
    }
}

/** In `upper`, as it is in `from`. */
function folderAs(from: string, upper: string, path: string): void {
  if (path === '.' || statSync(join(upper, path), { throwIfNoEntry: false }) !== undefined) return;
  folderAs(from, upper, dirname(path));
  const at = join(upper, path);
  mkdirSync(at);
  chmodSync(at, statSync(join(from, path)).mode);
}
