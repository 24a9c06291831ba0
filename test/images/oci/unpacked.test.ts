// The root of an image, unpacked: layer over layer as a container runtime has it, whole or not at all, and nothing beside it.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import t from 'tap';
import { KEPT_FOLDER_DAYS } from '../../../images/limits.ts';
import { readBuiltImage } from '../../../images/oci/built-image.ts';
import { type Unpacked, unpackedRoot } from '../../../images/oci/unpacked.ts';
import {
  archiveOf,
  dockerSaved,
  hexOf,
  type ImageParts,
  type Kept,
  ociLayout,
  writeKept,
} from '../../kit/oci.ts';
import { tarEntry as entry, tarOf } from '../../kit/tar.ts';

const folder = (name: string): Buffer => entry(name, '', { type: '5', mode: 0o755 });
const link = (name: string, target: string): Buffer => entry(name, '', { type: '2', target });
const hardLink = (name: string, target: string): Buffer => entry(name, '', { type: '1', target });

const top = t.testdir({});

type Place = { readonly path: string; readonly cache: string };

/** A folder of its own. */
const place = (): string => mkdtempSync(join(top, 'x-'));

function kept(files: Kept): Place {
  const at = place();
  return { path: writeKept(join(at, 'image'), files), cache: join(at, 'cache') };
}

function unpack({ path, cache }: Place, begins = (): void => {}): Promise<Unpacked> {
  return unpackedRoot(readBuiltImage(path, 'image', statSync(path).isDirectory()), { cache, begins });
}

async function rootOf(...layers: readonly Buffer[]): Promise<string> {
  const unpacked = await unpack(kept(ociLayout({ layers })));
  if (!unpacked.ok) throw new Error(unpacked.why);
  return unpacked.root;
}

/** Each file and folder by its path, with what it is. */
function listed(root: string): readonly string[] {
  return execFileSync('find', ['.', '-mindepth', '1', '-printf', '%P %y %m %l\n'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean)
    .map(each => each.trimEnd())
    .sort();
}

t.test('files, folders and links are there with their modes and times, and devices are not', async t => {
  const root = await rootOf(
    tarOf(
      folder('./'),
      folder('bin/'),
      entry('bin/app', 'x', { mode: 0o4755, changed: 1_700_000_000 }),
      entry('bin/shut', 'x', { mode: 0o000 }),
      entry('tmp', '', { type: '5', mode: 0o1777 }),
      entry('/srv/made/for/it', 'x'),
      hardLink('bin/same', 'bin/app'),
      link('lib', 'usr/lib'),
      link('out', '/etc/passwd'),
      ...['3', '4', '6'].map(type => entry(`dev/${type}`, '', { type })),
    ),
  );
  t.strictSame(listed(root), [
    'bin d 755',
    'bin/app f 755',
    'bin/same f 755',
    'bin/shut f 400',
    'lib l 777 usr/lib',
    'out l 777 /etc/passwd',
    'srv d 755',
    'srv/made d 755',
    'srv/made/for d 755',
    'srv/made/for/it f 644',
    'tmp d 1777',
  ]);
  t.equal(statSync(join(root, 'bin/app')).mtimeMs, 1_700_000_000_000);
  t.equal(statSync(join(root, 'bin/app')).ino, statSync(join(root, 'bin/same')).ino);
});

t.test(
  'a layer changes, replaces and takes away what those under it have, and nothing of its own',
  async t => {
    const root = await rootOf(
      tarOf(
        ...['a/one', 'a/two', 'a/deep/three', 'b/one', 'b/deep/two', 'c', 'd/x', 'e/x'].map(name =>
          entry(name, 'low'),
        ),
        link('l', 'a'),
      ),
      tarOf(
        entry('a/.wh.one', ''),
        entry('a/.wh.deep', ''),
        entry('a/.wh.never', ''),
        // Before and after what it says is gone from under it.
        entry('b/new', 'high'),
        entry('b/.wh..wh..opq', ''),
        entry('b/newer', 'high'),
        folder('c'),
        entry('d', 'high'),
        entry('e/x', 'high'),
        entry('e/.wh.x', ''),
        entry('.wh..wh.plnk', ''),
        // A link to a folder is gone where the folder itself is named, and else led through.
        entry('l/through', 'high'),
        entry('never/.wh..wh..opq', ''),
      ),
    );
    t.strictSame(listed(root), [
      'a d 755',
      'a/through f 644',
      'a/two f 644',
      'b d 755',
      'b/new f 644',
      'b/newer f 644',
      'c d 755',
      'd f 644',
      'e d 755',
      'e/x f 644',
      'l l 777 a',
    ]);
    t.equal(readFileSync(join(root, 'e/x'), 'utf8'), 'high');
  },
);

t.test('names are as long as archives have them, and of any byte', async t => {
  const at = place();
  const long = join('d'.repeat(90), 'e'.repeat(90), 'f'.repeat(90));
  mkdirSync(join(at, 'long', long, '..'), { recursive: true });
  writeFileSync(join(at, 'long', long), 'x');
  symlinkSync('t'.repeat(200), join(at, 'long', 'link'));
  writeFileSync(Buffer.concat([Buffer.from(join(at, 'long/')), Buffer.from([0xff, 0x0a, 0x20])]), 'x');
  for (const format of ['gnu', 'pax']) {
    const layer = execFileSync('tar', ['-c', `--format=${format}`, '.'], { cwd: join(at, 'long') });
    const root = await rootOf(layer);
    t.equal(readFileSync(join(root, long), 'utf8'), 'x', format);
    t.equal(readlinkSync(join(root, 'link')), 't'.repeat(200), format);
    t.ok(
      readdirSync(root, { encoding: 'buffer' }).some(name => name.equals(Buffer.from([0xff, 0x0a, 0x20]))),
      format,
    );
  }
});

t.test('a layout, its archive and what docker save writes, compressed in any way, are one image', async t => {
  const layers = [tarOf(entry('a', 'one')), tarOf(entry('b', 'two')), tarOf(entry('a', 'one'))];
  const at = place();
  const cache = join(at, 'cache');
  const packs = { plain: (layer: Buffer): Buffer => layer, gzip: gzipSync, zstd: zstdCompressSync };
  let begun = 0;
  for (const [name, pack] of Object.entries(packs)) {
    const path = writeKept(join(at, name), ociLayout({ layers, pack }));
    writeFileSync(`${path}.tar`, archiveOf(ociLayout({ layers, pack })));
    for (const each of [path, `${path}.tar`])
      t.match(await unpack({ path: each, cache }, () => begun++), { ok: true }, each);
  }
  // An older docker keeps a layer that is there twice once, with a link.
  const { '2/layer.tar': _, ...saved } = dockerSaved({ layers });
  writeFileSync(join(at, 'saved.tar'), archiveOf(saved));
  const unpacked = await unpack({ path: join(at, 'saved.tar'), cache }, () => begun++);
  t.match(unpacked, { ok: true });
  t.equal(begun, 1, 'unpacked once');
  t.strictSame(readdirSync(cache).length, 1);
  t.strictSame(unpacked.ok && listed(unpacked.root), ['a f 644', 'b f 644']);
});

t.test(
  '[bad-input] what leads out of it changes nothing there, and what is damaged is not there at all',
  async t => {
    const beside = place();
    mkdirSync(join(beside, 'folder'));
    for (const name of ['file', 'folder/file']) writeFileSync(join(beside, name), 'mine');
    const up = '../'.repeat(30);
    const safe: readonly (readonly Buffer[])[] = [
      // Links of an earlier layer, and of the same one, are read below the root.
      [tarOf(link('out', beside)), tarOf(entry('out/file', 'theirs'), entry('out/new', 'theirs'))],
      [tarOf(link('out', `${up}${beside.slice(1)}`), entry('out/file', 'theirs'))],
      [tarOf(link('out', beside)), tarOf(entry('out/.wh.file', ''), entry('out/folder/.wh..wh..opq', ''))],
      [tarOf(link('out', beside)), tarOf(folder('out'), entry('out/file', 'theirs'))],
      [tarOf(link('file', join(beside, 'file'))), tarOf(entry('file', 'theirs'))],
      [tarOf(link('file', join(beside, 'file'))), tarOf(entry('.wh.file', ''))],
      [tarOf(link('file', join(beside, 'file'))), tarOf(hardLink('same', 'file'), entry('same', 'theirs'))],
      [tarOf(link('out', beside), folder('a'), link('a/b', '../out')), tarOf(entry('.wh.a', ''))],
      [tarOf(entry(beside, 'theirs'))],
    ];
    for (const layers of safe) {
      await rootOf(...layers);
      t.strictSame(listed(beside), ['file f 644', 'folder d 755', 'folder/file f 644']);
      t.equal(readFileSync(join(beside, 'file'), 'utf8'), 'mine');
    }
    for (const [layers, why] of [
      [[tarOf(entry('../a', 'x'))], /leads out of it/],
      [[tarOf(entry('a/../../b', 'x'))], /leads out of it/],
      [[tarOf(entry('.wh...', ''))], /leads out of it/],
      [[tarOf(entry('a/.wh.', ''))], /leads out of it/],
      [[tarOf(hardLink('a', `../../${beside}/file`))], /leads out of it/],
      [[tarOf(link('out', beside), hardLink('a', 'out/file'))], /not in it/],
      [[tarOf(hardLink('a', join(beside, 'file')))], /not in it/],
      [[tarOf(folder('b'), hardLink('a', 'b'))], /not in it/],
      [[tarOf(link('a', ''))], /leads to nothing/],
      [[tarOf(link('a', 'b'), link('b', 'a'), entry('a/c', 'x'))], /more than 40 links/],
      [[tarOf(entry('a', 'x'), entry('a/b', 'x'))], /no folder/],
      [[tarOf(entry('a', 'x', { type: 'S' }))], /not known/],
      [[tarOf(entry('h', '22 GNU.sparse.major=1\n', { type: 'x' }), entry('a', 'x'))], /GNU sparse/],
      [
        [
          tarOf(
            ...Array.from({ length: 20 }, (_, n) =>
              folder(
                Array(n * 4 + 1)
                  .fill('n')
                  .join('/'),
              ),
            ),
            entry('n'.repeat(100), ''),
          ).subarray(0, -1024 - 512 + 1),
        ],
        /middle of a file/,
      ],
      [
        [tarOf(entry('h', `${'/'.repeat(3)}${'n'.repeat(300)}`, { type: 'L' }), entry('a', 'x'))],
        /ENAMETOOLONG/,
      ],
      [[Buffer.alloc(1024, 'x')], /no tar archive/],
    ] as const) {
      const image = kept(ociLayout({ layers }));
      const unpacked = await unpack(image);
      t.match(unpacked, { ok: false, why }, String(why));
      t.match(unpacked, { why: /^blobs\/sha256\/[0-9a-f]{64}: / });
      t.strictSame(readdirSync(image.cache), [], 'nothing is left of it');
    }
  },
);

t.test('[bad-input] a layer that is not what a digest says, or not there, is no root', async t => {
  const layers = [tarOf(entry('a', 'x')), tarOf(entry('b', 'x'))];
  const second = `blobs/sha256/${hexOf(gzipSync(layers[1]!))}`;
  const whole = ociLayout({ layers });
  const { [second]: _, ...without } = whole;
  const rootfs = (diffs: readonly string[]): ImageParts => ({
    layers,
    more: { rootfs: { diff_ids: diffs.map(each => `sha256:${each}`) } },
  });
  const digests = layers.map(hexOf);
  for (const [files, why] of [
    [{ ...whole, [second]: gzipSync(tarOf(entry('c', 'x'))) }, /is not what its digest says/],
    [{ ...whole, [second]: '' }, /it is empty/],
    [{ ...whole, [second]: gzipSync(layers[1]!).subarray(0, -20) }, /unexpected end of file/],
    [without, /is not in it/],
    [ociLayout(rootfs([digests[1]!, digests[0]!])), /is not what its digest says/],
    [ociLayout(rootfs(digests.slice(1))), /name no layers of the same number/],
    [ociLayout(rootfs([digests[0]!, 'x'])), /layer 2 has no sha256 digest/],
    [
      dockerSaved(rootfs([digests[0]!, digests[0]!.replace(/^./, each => (each === '0' ? '1' : '0'))])),
      /is not what/,
    ],
  ] as const) {
    const image = kept(files);
    t.match(await unpack(image), { ok: false, why }, String(why));
    t.strictSame(existsSync(image.cache) ? readdirSync(image.cache) : [], [], 'nothing is left of it');
  }
  const image = kept(without);
  symlinkSync('/etc/passwd', join(image.path, second));
  t.match(await unpack(image), { ok: false, why: /ELOOP/ });
});

t.test(
  'what is kept is used as it is, made anew where it is not whole, and gone when nobody needs it',
  async t => {
    const image = kept(ociLayout({ layers: [tarOf(entry('a', 'x'))] }));
    let begun = 0;
    const again = async (): Promise<string> => {
      const unpacked = await unpack(image, () => begun++);
      if (!unpacked.ok) throw new Error(unpacked.why);
      return unpacked.root;
    };
    const root = await again();
    t.equal(await again(), root);
    t.equal(begun, 1);
    // Of a process that is gone, of one that is not, and of an image that nobody has run for long.
    const ended = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
    for (const name of [`aside-${ended}-x`, `aside-${process.pid}-x`, 'old', 'something'])
      mkdirSync(join(image.cache, name), { recursive: true });
    writeFileSync(join(image.cache, 'old/kept.json'), '');
    const then = Date.now() / 1_000 - (KEPT_FOLDER_DAYS + 1) * 86_400;
    utimesSync(join(image.cache, 'old/kept.json'), then, then);
    writeFileSync(join(root, '../kept.json'), '{"version":0}');
    writeFileSync(join(root, 'left'), 'x');
    t.equal(await again(), root);
    t.equal(begun, 2);
    t.strictSame(listed(root), ['a f 644']);
    t.strictSame(
      readdirSync(image.cache).sort(),
      [`aside-${process.pid}-x`, join(root, '..').split('/').at(-1), 'something'].sort(),
    );
    t.ok(lstatSync(root).isDirectory());
    // Two at once make one.
    writeFileSync(join(root, '../kept.json'), '');
    t.strictSame(await Promise.all([again(), again()]), [root, root]);
  },
);
