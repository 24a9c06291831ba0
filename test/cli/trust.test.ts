// The certificate files of a run: the system's roots, the user's own and the world's, in each client's form.
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import t from 'tap';
import { certificatesIn } from '../../certs/bundle.ts';
import { writeTrust } from '../../cli/trust.ts';
import { createTestAuthority } from '../kit/test-ca.ts';

const folder = await mkdtemp(join(tmpdir(), 'wrld trust '));
t.teardown(() => rm(folder, { recursive: true }));
const world = (await createTestAuthority('the world')).pem;
const corporate = (await createTestAuthority('the company')).pem;
const caFile = join(folder, 'ca.pem');
const corporateFile = join(folder, 'corporate.pem');
await writeFile(caFile, world);
await writeFile(corporateFile, `# the company's\n${corporate}`);
const PATH = process.env['PATH'] ?? '';

async function subjects(file: string): Promise<string[]> {
  return certificatesIn(await readFile(file, 'utf8')).map(text => new X509Certificate(text).fingerprint256);
}
const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256;

t.test("the bundle keeps the system's roots and adds the world's", async t => {
  const { bundle, extra } = await writeTrust(join(folder, 'plain'), caFile, {});
  const inBundle = new Set(await subjects(bundle));
  t.ok(inBundle.has(fingerprint(world)));
  t.strictSame(
    rootCertificates.filter(root => !inBundle.has(fingerprint(root))),
    [],
  );
  t.strictSame(await subjects(extra), [fingerprint(world)], 'what is only added stays small');
});

t.test('what the user had set stays trusted, whichever variable named it', async t => {
  for (const name of ['SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE', 'AWS_CA_BUNDLE']) {
    const { bundle } = await writeTrust(join(folder, 'own'), caFile, { [name]: corporateFile });
    t.ok((await subjects(bundle)).includes(fingerprint(corporate)), name);
  }
  const node = await writeTrust(join(folder, 'own'), caFile, { NODE_EXTRA_CA_CERTS: corporateFile });
  t.strictSame(await subjects(node.extra), [corporate, world].map(fingerprint));
  t.ok((await subjects(node.bundle)).includes(fingerprint(corporate)));
});

t.test('a variable that names no bundle: the rest is trusted, and a line says what to do', async t => {
  const [gone, none] = ['gone.pem', 'none.pem'].map(name => join(folder, name)) as [string, string];
  await writeFile(none, '-----BEGIN CERTIFICATE-----\nbroken');
  const { bundle, unread } = await writeTrust(join(folder, 'gone'), caFile, {
    SSL_CERT_FILE: gone,
    CURL_CA_BUNDLE: gone,
    NODE_EXTRA_CA_CERTS: none,
    AWS_CA_BUNDLE: '',
  });
  t.ok((await subjects(bundle)).includes(fingerprint(world)));
  const then = ': nobody it was to vouch for is trusted in this run. Correct it, or unset it';
  t.strictSame(unread, [
    `NODE_EXTRA_CA_CERTS names ${none}, which holds no certificate in PEM${then}`,
    `SSL_CERT_FILE names ${gone}, which cannot be read (ENOENT)${then}`,
  ]);
  t.strictSame((await writeTrust(join(folder, 'gone'), caFile, {})).unread, []);
});

t.test('the same roots are one set, written once; other roots are another', async t => {
  const at = join(folder, 'sets');
  const [one, two] = await Promise.all([writeTrust(at, caFile, {}), writeTrust(at, caFile, {})]);
  t.strictSame(one, two);
  const before = await stat(one.bundle);
  await writeTrust(at, caFile, {});
  t.equal((await stat(one.bundle)).mtimeMs, before.mtimeMs);
  await writeTrust(at, caFile, { SSL_CERT_FILE: corporateFile });
  t.equal((await readdir(at)).length, 2, 'nothing half-written is left either');
});

t.test("PHP's settings name the bundle", async t => {
  const { bundle, phpFolder } = await writeTrust(join(folder, 'php'), caFile, {});
  const ini = await readFile(join(phpFolder, 'wrld.ini'), 'utf8');
  t.ok(ini.includes(`curl.cainfo="${bundle}"`));
  t.ok(ini.includes(`openssl.cafile="${bundle}"`));
});

t.test("wget's settings name the bundle, unless the user has settings of their own", async t => {
  const { bundle, wgetrc } = await writeTrust(join(folder, 'wget'), caFile, { HOME: folder });
  t.equal(await readFile(wgetrc!, 'utf8'), `ca_certificate = ${bundle}\n`);
  await writeFile(join(folder, '.wgetrc'), 'tries = 3\n');
  t.equal((await writeTrust(join(folder, 'wget'), caFile, { HOME: folder })).wgetrc, null);
});

t.test('the JVM gets its own store with the authority in it', async t => {
  const { java } = await writeTrust(join(folder, 'java'), caFile, {
    PATH,
    JAVA_HOME: process.env['JAVA_HOME'],
  });
  if (java === null) {
    t.pass('the store', { skip: 'no keytool here' });
    return;
  }
  const args = ['-list', '-keystore', java.file, '-storepass', java.password];
  const listed = execFileSync('keytool', args, { encoding: 'utf8' });
  t.match(listed, /^wrld, /m);
  t.ok(Number(/contains (\d+) entries/.exec(listed)?.[1]) > 50, "the JVM's own roots are there");
});

t.test('without a keytool there is no store', async t => {
  t.equal((await writeTrust(join(folder, 'no java'), caFile, { PATH: folder })).java, null);
});
