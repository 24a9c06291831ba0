// A tar archive by its headers: where in the file each regular file is. Nothing is unpacked; what a header says of a link, a
// device, an owner or a mode is not kept.
import { ARCHIVE_ENTRIES_MAX } from '../limits.ts';
import { TAR_BLOCK_BYTES, TarHeads } from './tar-heads.ts';

export type TarFile = { readonly offset: number; readonly size: number };

export type ReadAt = (offset: number, length: number) => Buffer;

/** By their paths; the last of a path counts. @throws where it is no such archive */
export function tarFiles(readAt: ReadAt, length: number): ReadonlyMap<string, TarFile> {
  const files = new Map<string, TarFile>();
  const heads = new TarHeads(false);
  let entries = 0;
  for (let at = 0; at + TAR_BLOCK_BYTES <= length; ) {
    const head = heads.read(readAt(at, TAR_BLOCK_BYTES));
    if (head.what === 'end') return files;
    entries += 1;
    if (entries > ARCHIVE_ENTRIES_MAX) throw new Error(`it has more than ${ARCHIVE_ENTRIES_MAX} entries`);
    const { size } = head.what === 'about' ? head : head.entry;
    const offset = at + TAR_BLOCK_BYTES;
    if (size > length - offset) throw new Error('it ends in the middle of a file');
    at = offset + Math.ceil(size / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
    if (head.what === 'about') {
      if (head.wanted) heads.take(readAt(offset, size));
      continue;
    }
    const path = Buffer.from(head.entry.path, 'latin1').toString('utf8');
    if (head.entry.kind === 'file') files.set(path, { offset, size });
    else files.delete(path);
  }
  return files;
}
