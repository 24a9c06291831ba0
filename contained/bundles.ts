// Bundles of public roots that programs bring along and trust instead of the system's: certifi's, those inside of SDKs,
// the JVM's store. Looked for where package managers put them, in a bounded number of folders; a file is one of these
// only if it holds many certificates and no key, so that nobody's own are replaced.
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import {
  BUNDLE_BYTES_MAX,
  BUNDLE_BYTES_MIN,
  BUNDLE_CERTIFICATES_MIN,
  BUNDLE_FOLDERS_MAX,
  BUNDLES_MAX,
} from './limits.ts';
import { realOf } from './real-path.ts';

export type BundlesOptions = {
  /** Where the run is started, and where its world is. */
  readonly folders: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  readonly foldersMax?: number;
};

/** Where systems keep the roots that programs trust by default. */
export const SYSTEM_BUNDLES: readonly string[] = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/ssl/cert.pem',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/pki/tls/cert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/usr/lib/ssl/cert.pem',
  '/usr/local/ssl/cert.pem',
  '/usr/local/share/certs/ca-root-nss.crt',
];

export type Bundles = {
  /** In PEM. */
  readonly pem: readonly string[];
  /** Of the JVM. */
  readonly java: readonly string[];
  /** Not every folder was looked at. */
  readonly cut: boolean;
};

const BUNDLE_NAME = /\.(?:pem|crt)$|^cacerts\.txt$/i;

/** Below a folder of Python packages; `*` is any one folder. */
const PYTHON = ['*', '*/data', '*/certs', '*/res', '*/resources', '*/ssl', '*/_cython/_credentials'];
/** Below a folder of Ruby gems. */
const RUBY = ['*', '*/data', '*/certs', '*/vendor', '*/lib/data', '*/lib/*', '*/lib/*/data', '*/lib/*/certs'];
/** Below Composer's `vendor`. */
const PHP = ['*/*', '*/*/data', '*/*/res', '*/*/resources', '*/*/certs', '*/*/src', '*/*/assets'];

/** Reads without waiting in between: thousands of small reads are far quicker so, and a run waits for them. */
export function findBundles(options: BundlesOptions): Bundles {
  const looked = new Looked(options.foldersMax ?? BUNDLE_FOLDERS_MAX);
  const files = new Set<string>();
  for (const pattern of patterns(options)) {
    for (const folder of looked.expand(pattern)) {
      for (const entry of looked.list(folder))
        if (entry.isFile() && BUNDLE_NAME.test(entry.name)) files.add(join(folder, entry.name));
    }
  }
  const pem = [...files].filter(isBundle).slice(0, BUNDLES_MAX);
  return { pem, java: javaStores(options.env), cut: looked.cut };
}

class Looked {
  cut = false;
  #left: number;
  readonly #listed = new Map<string, readonly Dirent[]>();

  constructor(foldersMax: number) {
    this.#left = foldersMax;
  }

  list(folder: string): readonly Dirent[] {
    const known = this.#listed.get(folder);
    if (known !== undefined) return known;
    if (this.#left === 0) {
      this.cut = true;
      return [];
    }
    this.#left -= 1;
    const listing = entriesOf(folder);
    this.#listed.set(folder, listing);
    return listing;
  }

  /** The folders of an absolute pattern, in which `*` stands for a part of a name. */
  expand(pattern: string): readonly string[] {
    let folders = ['/'];
    for (const part of pattern.split('/').filter(Boolean)) {
      if (!part.includes('*')) {
        folders = folders.map(folder => join(folder, part));
        continue;
      }
      const [start = '', end = ''] = part.split('*');
      const fits = (name: string): boolean =>
        name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
      folders = folders.flatMap(folder =>
        this.list(folder)
          .filter(entry => (entry.isDirectory() || entry.isSymbolicLink()) && fits(entry.name))
          .map(entry => join(folder, entry.name)),
      );
    }
    return folders;
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** What is nearest to the program comes first: the search may be cut. */
function patterns({ folders, env }: BundlesOptions): readonly string[] {
  const home = env['HOME'] ?? '/nowhere';
  const set = (...names: readonly string[]): string[] => names.flatMap(name => env[name] ?? []);
  const interpreter = onPath('python3', env['PATH']);
  const python = [
    ...set('VIRTUAL_ENV', 'CONDA_PREFIX'),
    ...folders.flatMap(folder => ['.venv', 'venv', 'env'].map(name => join(folder, name))),
    ...(interpreter === null ? [] : [dirname(dirname(interpreter))]),
    '/usr',
    '/usr/local',
    join(home, '.local'),
  ].flatMap(prefix => ['site', 'dist'].map(kind => join(prefix, 'lib', 'python*', `${kind}-packages`)));
  // Of the interpreters that are installed beside each other, whichever is used: the packages that most others use.
  const others = join(env['PYENV_ROOT'] ?? join(home, '.pyenv'), 'versions', '*', 'lib', 'python*');
  const ruby = [
    ...set('GEM_HOME').map(folder => join(folder, 'gems')),
    ...folders.map(folder => join(folder, 'vendor', 'bundle', 'ruby', '*', 'gems')),
    ...set('BUNDLE_PATH').map(folder => join(folder, 'ruby', '*', 'gems')),
    '/usr/local/bundle/gems',
    '/usr/local/bundle/ruby/*/gems',
    '/var/lib/gems/*/gems',
    '/usr/local/lib/ruby/gems/*/gems',
    join(home, '.gem', 'ruby', '*', 'gems'),
    join(home, '.local', 'share', 'gem', 'ruby', '*', 'gems'),
    join(home, '.rbenv', 'versions', '*', 'lib', 'ruby', 'gems', '*', 'gems'),
  ];
  return [
    ...set('CONDA_PREFIX').map(folder => join(folder, 'ssl')),
    ...folders.flatMap(folder => PHP.map(each => join(folder, 'vendor', each))),
    ...['certifi', 'botocore', 'stripe/data'].map(name => join(others, 'site-packages', name)),
    ...python.flatMap(folder => PYTHON.map(each => join(folder, each))),
    ...ruby.flatMap(folder => RUBY.map(each => join(folder, each))),
  ];
}

function isBundle(file: string): boolean {
  try {
    const { size } = statSync(file);
    if (size < BUNDLE_BYTES_MIN || size > BUNDLE_BYTES_MAX) return false;
    const text = readFileSync(file, 'latin1');
    const certificates = text.split('-----BEGIN CERTIFICATE-----').length - 1;
    return certificates >= BUNDLE_CERTIFICATES_MIN && !text.includes('PRIVATE KEY-----');
  } catch {
    return false;
  }
}

function javaStores(env: BundlesOptions['env']): readonly string[] {
  const java = onPath('java', env['PATH']);
  const homes = [
    ...(env['JAVA_HOME'] ? [env['JAVA_HOME']] : []),
    ...(java === null ? [] : [dirname(dirname(java))]),
  ];
  const places = [
    ...homes.map(home => join(home, 'lib', 'security', 'cacerts')),
    '/etc/ssl/certs/java/cacerts',
    '/etc/pki/ca-trust/extracted/java/cacerts',
  ];
  const real = places.map(realOf);
  return [...new Set(real.filter(file => file !== null))];
}

function onPath(program: string, path = ''): string | null {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const real = realOf(join(folder, program));
    if (real !== null) return real;
  }
  return null;
}
