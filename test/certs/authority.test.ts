// The authority on disk: made once however many ask, kept to its owner, and refused with words when it is not
// what it should be.
import { spawn } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { CERTIFICATE_FILE, loadAuthority } from '../../certs/authority.ts';
import {
  authorityConstraints,
  authorityUsage,
  commonName,
  leafConstraints,
  pem,
  publicKeyInfo,
  signCertificate,
} from '../../certs/certificate.ts';
import { LEAF_KEY_FILE } from '../../certs/leaf-key.ts';
import { AUTHORITY_DAYS } from '../../certs/limits.ts';

const KEY_FILE = 'ca.key';
const scratch = await mkdtemp(join(tmpdir(), 'wrld-authority-'));
t.teardown(() => rm(scratch, { recursive: true, force: true }));

async function madeIn(folder: string) {
  const result = await loadAuthority(folder);
  if (!result.ok) throw new Error(result.why);
  return result.authority;
}

t.test('[bad-input CA key] a new one: its key 0600 in a folder 0700, an authority for ten years', async t => {
  const folder = join(scratch, 'deep', 'er', 'ca');
  const authority = await madeIn(folder);
  t.equal((await stat(folder)).mode & 0o777, 0o700);
  t.equal((await stat(join(folder, KEY_FILE))).mode & 0o777, 0o600);
  t.strictSame((await readdir(folder)).sort(), [CERTIFICATE_FILE, KEY_FILE, LEAF_KEY_FILE]);
  t.equal((await stat(join(folder, LEAF_KEY_FILE))).mode & 0o777, 0o600);
  t.equal(authority.certificateFile, join(folder, CERTIFICATE_FILE));
  t.equal(await readFile(authority.certificateFile, 'utf8'), authority.certificatePem);
  const certificate = new X509Certificate(authority.certificatePem);
  t.ok(certificate.ca && certificate.verify(certificate.publicKey), 'signed by itself');
  t.ok(certificate.checkPrivateKey(authority.privateKey));
  t.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  t.match(certificate.subject, /^CN=wrld world authority [0-9a-f]{8}$/, 'told from other worlds’');
  const days = (certificate.validToDate.getTime() - Date.now()) / 86_400_000;
  t.ok(days > AUTHORITY_DAYS - 1 && days <= AUTHORITY_DAYS);
  t.ok(certificate.validFromDate.getTime() < Date.now() - 3_600_000, 'for clocks that are behind');
});

t.test('it is the same one the next time', async t => {
  const folder = join(scratch, 'same');
  t.equal((await madeIn(folder)).certificatePem, (await madeIn(folder)).certificatePem);
});

t.test('an empty folder that is there already becomes the authority’s, and its owner’s alone', async t => {
  const folder = join(scratch, 'empty');
  await mkdir(folder, { mode: 0o755 });
  await madeIn(folder);
  t.equal((await stat(folder)).mode & 0o777, 0o700);
});

t.test('processes that start at once end with the same authority', async t => {
  const folder = join(scratch, 'race');
  const module = new URL('../../certs/authority.ts', import.meta.url).href;
  // Each says that it is ready and waits for the word, so that loading modules does not take them apart.
  const script = `
    const { loadAuthority } = await import(${JSON.stringify(module)});
    process.stdout.write('ready\\n');
    process.stdin.once('data', async () => {
      const result = await loadAuthority(${JSON.stringify(folder)});
      process.stdout.write(result.ok ? result.authority.certificatePem : result.why);
      process.exit();
    });`;
  const children = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdout.setEncoding('utf8');
    return child;
  });
  await Promise.all(children.map(child => once(child.stdout, 'data')));
  const said = await Promise.all(
    children.map(async child => {
      let text = '';
      child.stdout.on('data', part => (text += part));
      child.stdin.write('go\n');
      await once(child, 'close');
      return text;
    }),
  );
  t.match(said[0], /^-----BEGIN CERTIFICATE-----/);
  t.equal(new Set(said).size, 1, 'all of them say the same certificate');
  t.strictSame(
    (await readdir(scratch)).filter(name => name.startsWith('race')),
    ['race'],
    'and the slower ones leave nothing behind',
  );
});

/** Certificates with their own keys that are no authority of ours. */
function otherCertificates() {
  const self = (namedCurve: string, extensions: readonly Buffer[], days: number) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
    const name = commonName('other');
    const at = (day: number) => new Date(Date.now() + day * 86_400_000);
    const der = signCertificate(
      {
        issuer: name,
        subject: name,
        publicKey: publicKeyInfo(publicKey),
        notBefore: at(days - 2),
        notAfter: at(days),
        extensions,
      },
      privateKey,
    );
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    return { certificate: pem('CERTIFICATE', der), key };
  };
  const authority = [authorityConstraints(), authorityUsage()];
  return [
    ['no-authority', self('P-256', [leafConstraints()], 1), /ca\.crt is no P-256 authority of ours: remove/],
    ['another-curve', self('P-384', authority, 1), /ca\.crt is no P-256 authority of ours: remove/],
    ['expired', self('P-256', authority, -1), /ca\.crt expired on .*: remove/],
  ] as const;
}

t.test('what is wrong with it is said, with the file and what to do', async t => {
  const good = join(scratch, 'good');
  const other = join(scratch, 'other');
  await madeIn(good);
  await madeIn(other);
  const rows: [name: string, spoil: (folder: string) => Promise<void>, why: RegExp][] = [
    [
      'readable by its group',
      folder => chmod(join(folder, KEY_FILE), 0o640),
      /ca\.key can be read by other users: chmod 600/,
    ],
    ['readable by all', folder => chmod(join(folder, KEY_FILE), 0o604), /can be read by other users/],
    [
      'a damaged key',
      folder => writeFile(join(folder, KEY_FILE), '-----BEGIN PRIVATE KEY-----\nAAAA\n'),
      /is damaged: remove/,
    ],
    ['an empty key', folder => writeFile(join(folder, KEY_FILE), ''), /is damaged: remove/],
    ['a damaged certificate', folder => writeFile(join(folder, CERTIFICATE_FILE), 'x'), /is damaged: remove/],
    [
      'the certificate of another key',
      folder => copyFile(join(other, CERTIFICATE_FILE), join(folder, CERTIFICATE_FILE)),
      /ca\.key is not the key of .*ca\.crt: remove/,
    ],
    ['no key', folder => rm(join(folder, KEY_FILE)), /cannot be used: .*ca\.key/],
    ['no certificate', folder => rm(join(folder, CERTIFICATE_FILE)), /cannot be used: .*ca\.crt/],
  ];
  for (const [index, [name, spoil, why]] of rows.entries()) {
    const folder = join(scratch, `spoiled-${index}`);
    await mkdir(folder, { mode: 0o700 });
    for (const file of [KEY_FILE, CERTIFICATE_FILE]) await copyFile(join(good, file), join(folder, file));
    await spoil(folder);
    const before = await readdir(folder);
    t.match(await loadAuthority(folder), { ok: false, why }, name);
    t.strictSame(await readdir(folder), before, `${name}: nothing is replaced behind its owner's back`);
  }
  for (const [name, { certificate, key }, why] of otherCertificates()) {
    const folder = join(scratch, name);
    await mkdir(folder, { mode: 0o700 });
    await writeFile(join(folder, KEY_FILE), key, { mode: 0o600 });
    await writeFile(join(folder, CERTIFICATE_FILE), certificate);
    t.match(await loadAuthority(folder), { ok: false, why }, name);
  }
  const foreign = join(scratch, 'foreign');
  await mkdir(foreign);
  await writeFile(join(foreign, 'notes.txt'), '');
  t.match(await loadAuthority(foreign), { ok: false, why: /cannot be used: .*not empty/i });
  t.strictSame(await readdir(foreign), ['notes.txt']);
  t.strictSame(
    (await readdir(scratch)).filter(name => name.startsWith('foreign.')),
    [],
    'nothing is left beside it',
  );
  await writeFile(join(scratch, 'file'), '');
  t.match(await loadAuthority(join(scratch, 'file', 'ca')), { ok: false, why: /cannot be used/ });
});
