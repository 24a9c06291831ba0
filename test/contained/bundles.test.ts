import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import t from 'tap';
import { findBundles } from '../../contained/bundles.ts';

const ROOTS = rootCertificates.slice(0, 60).join('\n');
const KEY = '-----BEGIN PRIVATE KEY-----';

t.test('bundles of public roots that programs bring along, and nothing else', async t => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld bundles ')));
  t.teardown(() => rm(folder, { recursive: true }));
  const files: readonly (readonly [file: string, text: string, found: boolean])[] = [
    ['.venv/lib/python3.11/site-packages/certifi/cacert.pem', ROOTS, true],
    ['.venv/lib/python3.11/site-packages/stripe/data/ca-certificates.crt', ROOTS, true],
    ['vendor/stripe/stripe-php/data/ca-certificates.crt', ROOTS, true],
    ['vendor/bundle/ruby/3.2.0/gems/stripe-13.0.0/lib/data/ca-certificates.crt', ROOTS, true],
    ['gems/gems/certifi-1.0/vendor/cacert.pem', ROOTS, true],
    ['vendor/acme/own/data/few.pem', rootCertificates.slice(0, 3).join('\n'), false],
    ['vendor/acme/own/data/key.pem', `${ROOTS}\n${KEY}`, false],
    ['vendor/acme/own/data/roots.txt', ROOTS, false],
    ['certs/mine.pem', ROOTS, false],
  ];
  for (const [file, text] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const env = { HOME: folder, PATH: folder, GEM_HOME: join(folder, 'gems') };
  const { pem, cut } = findBundles({ folders: [folder], env });
  const wanted = files.filter(([, , found]) => found).map(([file]) => join(folder, file));
  t.strictSame(pem.filter(file => file.startsWith(folder)).sort(), wanted.sort());
  t.equal(cut, false);
  t.equal(findBundles({ folders: [folder], env, foldersMax: 2 }).cut, true, 'the search is bounded');
});
