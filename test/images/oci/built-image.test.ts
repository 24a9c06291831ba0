// Images that are built already: what their config declares, by each way in which they are kept, and what is refused of them.
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { openFiles } from '../../../images/files.ts';
import { readImages } from '../../../images/images.ts';
import { tarEntry, tarOf } from '../../kit/tar.ts';

const CONFIG = {
  os: 'linux',
  architecture: 'amd64',
  config: {
    Env: ['PATH=/bin', 'A=b=c'],
    Cmd: ['serve'],
    Entrypoint: ['/bin/app'],
    User: '1000:1000',
    WorkingDir: '/srv',
    ExposedPorts: { '80/tcp': {}, '53/udp': {}, 'x/y': {} },
    Volumes: { '/data': {} },
    Healthcheck: { Test: ['NONE'] },
  },
};

type Kept = { readonly [path: string]: string };

const hexOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function layout(config: unknown = CONFIG): { readonly files: Kept; readonly config: string } {
  const files: { [path: string]: string } = { 'oci-layout': '{"imageLayoutVersion":"1.0.0"}' };
  const put = (value: unknown): { readonly digest: string } => {
    const text = JSON.stringify(value);
    files[`blobs/sha256/${hexOf(text)}`] = text;
    return { digest: `sha256:${hexOf(text)}` };
  };
  const blob = put(config);
  const manifest = put({ config: blob, layers: [] });
  const other = { digest: `sha256:${'0'.repeat(64)}`, platform: { os: 'none', architecture: 'none' } };
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const index = put({ manifests: [other, { ...manifest, platform: { os: 'linux', architecture: arch } }] });
  files['index.json'] = JSON.stringify({ manifests: [index] });
  return { files, config: `blobs/sha256/${blob.digest.slice(7)}` };
}

function keep(folder: string, files: Kept): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const imagesAt = (path: string) =>
  readImages({ path, more: [], target: null, read: openFiles(dirname(path)), env: {} });

const tarred = (files: Kept): Buffer =>
  tarOf(...Object.entries(files).map(([path, text]) => tarEntry(path, text)));

t.test('[2.1 declaredBy] a layout, its archive, and what docker save writes, say the same', t => {
  const folder = t.testdir({});
  const { files, config } = layout();
  keep(join(folder, 'app'), files);
  writeFileSync(join(folder, 'app.tar'), tarred(files));
  const text = JSON.stringify(CONFIG);
  const saved = {
    'manifest.json': JSON.stringify([{ Config: `${hexOf(text)}.json` }]),
    [`${hexOf(text)}.json`]: text,
  };
  writeFileSync(join(folder, 'saved.tar'), tarred(saved));
  for (const [name, file] of [
    ['app', `app/${config}`],
    ['app.tar', `app.tar/${config}`],
    ['saved.tar', `saved.tar/${hexOf(text)}.json`],
  ] as const) {
    const { images, notes } = imagesAt(join(folder, name));
    const place = { file, line: 1 };
    t.match(
      images,
      [
        {
          ...{ name: name.replace('.tar', ''), place, base: 'linux/amd64', build: null },
          entrypoint: { words: ['/bin/app'], shell: false, place },
          command: { words: ['serve'], shell: false, place },
          ...{ user: { name: '1000:1000', place }, workingFolder: { path: '/srv', place } },
          exposed: [
            { port: 80, protocol: 'tcp', place },
            { port: 53, protocol: 'udp', place },
          ],
          persist: [{ path: '/data', place }],
        },
      ],
      name,
    );
    t.strictSame(
      [...images[0]!.env].map(([key, { value }]) => `${key}=${value}`),
      CONFIG.config.Env,
    );
    t.match(images[0]!.declaredBy, [{ capability: 'network.egress', ...place }], name);
    t.match(
      notes.map(each => each.what),
      [/x\/y is no port/],
    );
  }
  t.end();
});

t.test('[bad-input] what is damaged, missing, elsewhere or too much is refused', t => {
  const { files, config } = layout();
  const index = (value: unknown): Kept => ({ ...files, 'index.json': JSON.stringify(value) });
  const deep = { digest: '' };
  for (const [given, why] of [
    [{ ...files, [config]: '{}' }, /is not what its digest says/],
    [Object.fromEntries(Object.entries(files).filter(([path]) => path !== config)), /is not in it/],
    [index({ manifests: [] }), /names no manifest/],
    [index({}), /names no manifests/],
    [index([]), /index.json is no object/],
    [index({ manifests: Array.from({ length: 1_001 }, () => deep) }), /or too many/],
    [index({ manifests: [{ digest: 'sha256:../../../etc/passwd' }] }), /no sha256 digest/],
    [{ ...files, 'index.json': '['.repeat(10_000) }, /index.json is/],
    [{ ...files, 'index.json': ' '.repeat(5_000_000) }, /longer than/],
    [{ 'oci-layout': '{}' }, /it is no image/],
    [{ 'oci-layout': '{}', 'manifest.json': '[{"Config":"../x.json"}]' }, /by no digest/],
    [{ 'oci-layout': '{}', 'manifest.json': '[]' }, /names no config/],
    [
      layout({ config: { ExposedPorts: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [n, {}])) } })
        .files,
      /more than 256/,
    ],
  ] as const) {
    const folder = t.testdir({});
    t.throws(() => imagesAt(keep(join(folder, 'app'), given as Kept)), { message: why }, String(why));
    writeFileSync(join(folder, 'app.tar'), tarred(given as Kept));
    t.throws(() => imagesAt(join(folder, 'app.tar')), { message: why }, `archive: ${why}`);
  }
  const folder = t.testdir({});
  keep(join(folder, 'app'), { 'oci-layout': '{}' });
  symlinkSync('/dev/zero', join(folder, 'app', 'index.json'));
  t.throws(() => imagesAt(join(folder, 'app')), { message: /ELOOP/ });
  writeFileSync(join(folder, 'no.tar'), 'text'.repeat(500));
  t.throws(() => imagesAt(join(folder, 'no.tar')), { message: /^no.tar:1: it is no tar archive/ });
  t.throws(() => imagesAt(join(folder, 'none.tar')), { message: /none.tar:1: / });
  t.end();
});

t.test('a health check of a config is one like any other', t => {
  const folder = t.testdir({});
  let nth = 0;
  const checkOf = (Healthcheck: unknown) => {
    nth += 1;
    const { files } = layout({ ...CONFIG, config: { ...CONFIG.config, Healthcheck } });
    return imagesAt(keep(join(folder, `app-${nth}`), files)).images[0]!.healthCheck;
  };
  t.match(checkOf({ Test: ['CMD', '/bin/ask', 'it'] }), {
    ...{
      command: { words: ['/bin/ask', 'it'] },
      interval: 30_000,
      timeout: 30_000,
      startPeriod: 0,
      retries: 3,
    },
  });
  t.match(
    checkOf({ Test: ['CMD-SHELL', 'ask it'], Interval: 2e9, Timeout: 5e8, StartPeriod: 1e9, Retries: 7 }),
    {
      ...{
        command: { words: ['/bin/sh', '-c', 'ask it'] },
        interval: 2_000,
        timeout: 500,
        startPeriod: 1_000,
        retries: 7,
      },
    },
  );
  t.match(checkOf({ Test: ['CMD', 'x'], Interval: 0, Retries: -1, Timeout: 'soon' }), {
    ...{ interval: 30_000, timeout: 30_000, retries: 3 },
  });
  for (const none of [{ Test: ['NONE'] }, { Test: [] }, {}, 'x', null]) t.equal(checkOf(none), null);
  t.throws(() => checkOf({ Test: ['ask'] }), {
    message: /begins with CMD, CMD-SHELL \(and one text\), or NONE/,
  });
  t.end();
});

t.test('[bad-input] odd values of a config are not kept, and break nothing', t => {
  const folder = t.testdir({});
  const odd = {
    config: { Env: [1, 'A', '=x'], Cmd: 'sh', User: 7, WorkingDir: '../..', Volumes: { '../x': null } },
  };
  const { images } = imagesAt(keep(join(folder, 'app'), layout(odd).files));
  t.match(images, [{ command: null, entrypoint: null, user: null, workingFolder: { path: '/' } }]);
  t.strictSame(
    images[0]!.persist.map(({ path }) => path),
    ['/x'],
  );
  t.end();
});
