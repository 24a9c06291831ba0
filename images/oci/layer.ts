// One layer of an image that is built already, as the tar archive that it is: read once, held against both of its digests.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Duplex, PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import type { Layer } from './built-image.ts';
import { type TarSink, TarStream } from './tar-stream.ts';

/** Of Node since 22.15. */
function zstd(): Duplex {
  if (typeof zlib.createZstdDecompress === 'function') return zlib.createZstdDecompress();
  throw new Error(
    `it is compressed with zstd, which Node ${process.versions.node} does not read: use Node 22.15 or newer`,
  );
}

/** By their first bytes: what a manifest calls them is written by hand often enough. */
const COMPRESSIONS: readonly { readonly begins: Buffer; readonly open: () => Duplex }[] = [
  { begins: Buffer.from([0x1f, 0x8b]), open: zlib.createGunzip },
  { begins: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), open: zstd },
];

/**
 * `count` is told of the bytes of the archive as they come, and may throw. What went to the sink counts for nothing until
 * this resolves. @throws Error
 */
export async function readLayer(layer: Layer, sink: TarSink, count: (bytes: number) => void): Promise<void> {
  // Neither a pipe is waited for, nor a link followed to what lies elsewhere.
  const file = await open(layer.file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('it is no regular file');
    await read(layer, { file, size: layer.size ?? found.size }, { sink, count });
  } catch (error) {
    throw new Error(`${layer.name}: ${(error as Error).message}`);
  } finally {
    await file.close();
  }
}

async function read(
  { offset, digest, content }: Layer,
  { file, size }: { readonly file: FileHandle; readonly size: number },
  { sink, count }: { readonly sink: TarSink; readonly count: (bytes: number) => void },
): Promise<void> {
  if (size === 0) throw new Error('it is empty');
  const [kept, unpacked] = [createHash('sha256'), createHash('sha256')];
  const first = await file.read(Buffer.alloc(4), 0, 4, offset);
  const compression = COMPRESSIONS.find(({ begins }) =>
    first.buffer.subarray(0, begins.length).equals(begins),
  );
  const tar = new TarStream(sink);
  await pipeline(
    file.createReadStream({ start: offset, end: offset + size - 1, autoClose: false }),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        kept.update(chunk);
        yield chunk;
      }
    },
    compression?.open() ?? new PassThrough(),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        count(chunk.length);
        unpacked.update(chunk);
        tar.write(chunk);
      }
      tar.end();
    },
  );
  for (const [said, hash] of [
    [digest, kept],
    [content, unpacked],
  ] as const)
    if (said !== null && hash.digest('hex') !== said) throw new Error('it is not what its digest says');
}
