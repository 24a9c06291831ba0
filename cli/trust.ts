// Writes, for one world, the certificate files that runEnvironment points programs at.
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  access,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { certificatesIn } from '../certs/bundle.ts';
import { BUNDLE_VARIABLES, type TrustFiles } from './environment.ts';
import { KEYTOOL_MS_MAX } from './limits.ts';
import { keptSystemRoots } from './system-roots.ts';

type Env = { readonly [name: string]: string | undefined };

export type WrittenTrust = TrustFiles & {
  /** A line each, of the user's own bundles that give nothing, and what to do. */
  readonly unread: readonly string[];
};

/** The JVM's own password for its trust store; it guards nothing, certificates are public. */
const JAVA_PASSWORD = 'changeit';
/** Of a set's files; another layout is another set. */
const LAYOUT = '2';
/** What every PHP of a run loads first. */
const PHP_MODULE = fileURLToPath(new URL('../attach/php/attach.php', import.meta.url));

/**
 * `folder` holds one folder a set of roots: two runs whose users set different roots do not disturb each other,
 * and a set that is there already is not written again.
 */
export async function writeTrust(folder: string, caFile: string, env: Env): Promise<WrittenTrust> {
  const authority = await readFile(caFile, 'utf8');
  const { roots, unread } = await userRoots(['NODE_EXTRA_CA_CERTS', ...BUNDLE_VARIABLES], env);
  const own = roots.get(env['NODE_EXTRA_CA_CERTS'] ?? '') ?? [];
  const extra = pem([...own, ...certificatesIn(authority)]);
  const bundle = pem([
    ...(await keptSystemRoots(`${folder}-roots`, env)),
    ...[...roots.values()].flat(),
    ...certificatesIn(authority),
  ]);
  const name = createHash('sha256')
    .update(LAYOUT + PHP_MODULE)
    .update(extra)
    .update(bundle)
    .digest('hex')
    .slice(0, 16);
  const set = join(folder, name);
  const files = {
    bundle: join(set, 'bundle.pem'),
    extra: join(set, 'extra.pem'),
    phpFolder: join(set, 'php'),
  };
  const wgetrc = join(set, 'wgetrc');
  if (!(await exists(set))) {
    await mkdir(folder, { recursive: true });
    const beside = await mkdtemp(`${set}.`);
    await mkdir(join(beside, 'php'));
    await writeFile(join(beside, 'wgetrc'), `ca_certificate = ${files.bundle}\n`);
    await writeFile(join(beside, 'bundle.pem'), bundle);
    await writeFile(join(beside, 'extra.pem'), extra);
    await writeFile(
      join(beside, 'php', 'wrld.ini'),
      `; A wrld run trusts its world's authority.\ncurl.cainfo="${files.bundle}"\nopenssl.cafile="${files.bundle}"\nauto_prepend_file="${PHP_MODULE}"\n`,
    );
    // Whole or not at all; where another run was first, its set is the same.
    await rename(beside, set).catch(async error => {
      await rm(beside, { recursive: true, force: true });
      if (!(await exists(set))) throw error;
    });
  }
  // wget built with GnuTLS reads no variable, only settings; the user's own are not ours to copy.
  const wgetOwn = env['WGETRC'] ?? join(env['HOME'] ?? '', '.wgetrc');
  return {
    ...files,
    unread,
    wgetrc: (await exists(wgetOwn)) ? null : wgetrc,
    java: await javaStore(join(set, 'java.keystore'), caFile, env),
  };
}

type UserRoots = Pick<WrittenTrust, 'unread'> & {
  /** By file, each once. */
  readonly roots: ReadonlyMap<string, readonly string[]>;
};

async function userRoots(variables: readonly string[], env: Env): Promise<UserRoots> {
  const named = new Map<string, string>();
  for (const variable of variables) {
    const file = env[variable];
    if (file && !named.has(file)) named.set(file, variable);
  }
  const roots = new Map<string, readonly string[]>();
  const unread: string[] = [];
  for (const [file, variable] of named) {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => error);
    const found = typeof text === 'string' ? certificatesIn(text) : [];
    roots.set(file, found);
    if (found.length > 0) continue;
    const why = typeof text === 'string' ? 'holds no certificate in PEM' : `cannot be read (${text.code})`;
    unread.push(
      `${variable} names ${file}, which ${why}: nobody it was to vouch for is trusted in this run. Correct it, or unset it`,
    );
  }
  return { roots, unread };
}

function pem(certificates: readonly string[]): string {
  return `${[...new Set(certificates)].join('\n')}\n`;
}

/** A copy of the JVM's store (or the one the user set) with the authority in it; null without a `keytool`. */
async function javaStore(file: string, caFile: string, env: Env): Promise<TrustFiles['java']> {
  const store = { file, password: JAVA_PASSWORD };
  if (await exists(file)) return store;
  const keytool = await findKeytool(env);
  if (keytool === null) return null;
  const set = /-Djavax\.net\.ssl\.trustStore=(\S+)/.exec(env['JAVA_TOOL_OPTIONS'] ?? '')?.[1];
  const beside = `${file}.${randomUUID()}`;
  try {
    await copyFile(set ?? join(dirname(dirname(keytool)), 'lib', 'security', 'cacerts'), beside);
    // A store that is linked to a read-only one is copied with its mode.
    await chmod(beside, 0o600);
    await promisify(execFile)(
      keytool,
      [
        '-importcert',
        '-noprompt',
        '-alias',
        'wrld',
        '-file',
        caFile,
        '-keystore',
        beside,
        '-storepass',
        JAVA_PASSWORD,
      ],
      { timeout: KEYTOOL_MS_MAX },
    );
    await rename(beside, file);
    return store;
  } catch {
    // A JVM without a store of the usual kind: Java programs then need the authority from elsewhere.
    await rm(beside, { force: true });
    return null;
  }
}

async function findKeytool(env: Env): Promise<string | null> {
  const folders = [
    ...(env['JAVA_HOME'] ? [join(env['JAVA_HOME'], 'bin')] : []),
    ...(env['PATH'] ?? '').split(delimiter).filter(Boolean),
  ];
  for (const folder of folders) {
    const file = join(folder, 'keytool');
    if (await exists(file)) return await realpath(file);
  }
  return null;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
