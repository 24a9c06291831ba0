// The world's certificate authority: made once, kept in a folder that only its owner reads, loaded by every
// proxy of that world.
import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  authorityConstraints,
  authorityUsage,
  commonName,
  keyIdentifier,
  pem,
  publicKeyInfo,
  signCertificate,
  subjectKey,
} from './certificate.ts';
import { loadLeafKey } from './leaf-key.ts';
import { AUTHORITY_DAYS, BACKDATED_MS } from './limits.ts';

/** File names in the authority's folder. */
export const CERTIFICATE_FILE = 'ca.crt';
const KEY_FILE = 'ca.key';

/** With a random tail: two worlds' authorities in one bundle must not be taken for one another. */
const NAME = 'wrld world authority';
const NAME_TAIL_BYTES = 4;

export type Authority = {
  readonly certificatePem: string;
  /** Absolute path of the PEM certificate, for clients to trust. */
  readonly certificateFile: string;
  readonly privateKey: KeyObject;
  /** That of every leaf. */
  readonly leafKey: KeyObject;
  /** DER of its subject, which leaves name as their issuer. */
  readonly name: Buffer;
  readonly keyIdentifier: Buffer;
  readonly notAfter: Date;
};

export type AuthorityResult =
  | { readonly ok: true; readonly authority: Authority }
  /** What is wrong with the folder, and what to do. */
  | { readonly ok: false; readonly why: string };

/** Loads the authority in `folder`, or makes one there. Safe when several processes do it at once. */
export async function loadAuthority(folder: string): Promise<AuthorityResult> {
  try {
    if (!(await exists(folder))) await create(folder);
    return await load(folder);
  } catch (error) {
    return { ok: false, why: `The authority in ${folder} cannot be used: ${(error as Error).message}.` };
  }
}

async function exists(folder: string): Promise<boolean> {
  const known = await Promise.all(
    [KEY_FILE, CERTIFICATE_FILE].map(file =>
      stat(join(folder, file)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return known.includes(true);
}

/** Written beside and renamed into place whole, so that nobody ever sees a key without its certificate. */
async function create(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const beside = await mkdtemp(`${folder}.new-`);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const info = publicKeyInfo(publicKey);
  const subject = commonName(`${NAME} ${randomBytes(NAME_TAIL_BYTES).toString('hex')}`);
  const now = Date.now();
  const certificate = signCertificate(
    {
      issuer: subject,
      subject,
      publicKey: info,
      notBefore: new Date(now - BACKDATED_MS),
      notAfter: new Date(now + AUTHORITY_DAYS * 86_400_000),
      extensions: [authorityConstraints(), authorityUsage(), subjectKey(keyIdentifier(info))],
    },
    privateKey,
  );
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(join(beside, KEY_FILE), key, { mode: 0o600, flush: true });
  await writeFile(join(beside, CERTIFICATE_FILE), pem('CERTIFICATE', certificate), {
    mode: 0o644,
    flush: true,
  });
  try {
    await rename(beside, folder);
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    // Another process was first: its authority is the one.
    if (!(await exists(folder))) throw error;
  }
}

async function load(folder: string): Promise<AuthorityResult> {
  const keyFile = join(folder, KEY_FILE);
  const certificateFile = join(folder, CERTIFICATE_FILE);
  const again = `remove ${folder} to have a new one made (clients must then trust the new certificate)`;
  const { mode } = await stat(keyFile);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    return { ok: false, why: `${keyFile} can be read by other users: chmod 600 ${keyFile}, or ${again}.` };
  const certificatePem = await readFile(certificateFile, 'latin1');
  let certificate: X509Certificate;
  let privateKey: KeyObject;
  try {
    certificate = new X509Certificate(certificatePem);
    privateKey = createPrivateKey(await readFile(keyFile, 'latin1'));
  } catch {
    return { ok: false, why: `${certificateFile} or ${keyFile} is damaged: ${again}.` };
  }
  if (!certificate.checkPrivateKey(privateKey))
    return { ok: false, why: `${keyFile} is not the key of ${certificateFile}: ${again}.` };
  if (!certificate.ca || privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    return { ok: false, why: `${certificateFile} is no P-256 authority of ours: ${again}.` };
  if (certificate.validToDate.getTime() < Date.now())
    return { ok: false, why: `${certificateFile} expired on ${certificate.validTo}: ${again}.` };
  return {
    ok: true,
    authority: {
      certificatePem,
      certificateFile,
      privateKey,
      leafKey: await loadLeafKey(folder),
      name: commonName(certificate.subject.replace(/^CN=/, '')),
      notAfter: certificate.validToDate,
      keyIdentifier: keyIdentifier(certificate.publicKey.export({ type: 'spki', format: 'der' })),
    },
  };
}
