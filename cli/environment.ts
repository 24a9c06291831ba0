// The variables that put a program into a world, whatever it is written in: each client reads its own few of
// them. A pure function of what is known, so that a table test can hold it.
import { delimiter } from 'node:path';

export type Environment = { readonly [name: string]: string };

/** Files that hold certificates, PEM, on this machine. */
export type TrustFiles = {
  /** The system's roots, the user's own, and the world's authority: for clients that replace their roots. */
  readonly bundle: string;
  /** What the user had set and the world's authority: for clients that add to their own. */
  readonly extra: string;
  /** The same roots for the JVM; null where there is none. */
  readonly java: { readonly file: string; readonly password: string } | null;
  /** A folder with an ini file that points PHP's two TLS settings at the bundle. */
  readonly phpFolder: string;
  /** A settings file that points wget at the bundle; null where the user has settings of their own. */
  readonly wgetrc: string | null;
};

export type Attachment = {
  /** `http://127.0.0.1:4001` */
  readonly proxyUrl: string;
  readonly trust: TrustFiles;
  /** attach/register.cjs */
  readonly attachModule: string;
  /** attach/python */
  readonly pythonFolder: string;
  /** attach/ruby/wrld_attach.rb */
  readonly rubyModule: string;
  /** This run's copy of the network policy (network-policy.ts). */
  readonly networkPolicy: string;
  readonly worldUrl: string;
  readonly worldToken: string;
  /** What the world's manifest says to set (2.4). */
  readonly worldEnv: Environment;
  /** Variables of TCP twins, which are set once somebody listens for them. */
  readonly streamVariables: readonly string[];
  /** Hosts that twins answer: they must go through the proxy, whatever NO_PROXY said. */
  readonly twinHosts: readonly string[];
};

export type RunEnvironment = {
  /** What to set, in the order to show it. */
  readonly set: Environment;
  /** Entries of the user's NO_PROXY that were left out. */
  readonly droppedNoProxy: readonly string[];
};

/** This machine's loopback. Without `[::1]`: httpx, and so every SDK on it, fails at its start where that is listed. */
const LOOPBACK = ['localhost', '.localhost', '127.0.0.1', '::1'];

/** Variables that name a CA bundle which replaces the client's own. */
export const BUNDLE_VARIABLES: readonly string[] = [
  'SSL_CERT_FILE', // OpenSSL, Go, Ruby, PHP's streams, Python's ssl and httpx, .NET
  'CURL_CA_BUNDLE', // curl
  'REQUESTS_CA_BUNDLE', // Python's requests
  'PIP_CERT',
  'GIT_SSL_CAINFO',
  'AWS_CA_BUNDLE', // aws, boto3
  'CARGO_HTTP_CAINFO',
  'DENO_CERT',
  'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH',
  'NPM_CONFIG_CAFILE', // npm and pnpm, where a npmrc names a file of its own
  'npm_config_cafile',
];

export function runEnvironment(
  user: { readonly [name: string]: string | undefined },
  attachment: Attachment,
): RunEnvironment {
  const { proxyUrl, trust } = attachment;
  const { entries, dropped } = noProxy(user, attachment.twinHosts);
  const direct = [...LOOPBACK, ...entries].join(',');
  const set: { [name: string]: string } = {};
  // Both cases: curl reads only the lower one for http, Java tools and some SDKs only the upper one.
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']) set[name] = proxyUrl;
  // What clients for WebSockets of other languages read, where they read anything.
  for (const name of ['WSS_PROXY', 'wss_proxy', 'WS_PROXY', 'ws_proxy']) set[name] = proxyUrl;
  set['NO_PROXY'] = set['no_proxy'] = direct;
  for (const name of BUNDLE_VARIABLES) set[name] = trust.bundle;
  set['NODE_EXTRA_CA_CERTS'] = trust.extra;
  set['NODE_USE_ENV_PROXY'] = '1';
  set['NODE_OPTIONS'] = nodeOptions(user['NODE_OPTIONS'], attachment.attachModule);
  set['PYTHONPATH'] = pythonPath(user['PYTHONPATH'], attachment.pythonFolder);
  const ruby = rubyOptions(user['RUBYOPT'], attachment.rubyModule);
  if (ruby !== undefined) set['RUBYOPT'] = ruby;
  set['JAVA_TOOL_OPTIONS'] = javaOptions(user['JAVA_TOOL_OPTIONS'], proxyUrl, trust, entries);
  // A leading colon keeps the folder that PHP was built to scan.
  set['PHP_INI_SCAN_DIR'] = `${user['PHP_INI_SCAN_DIR'] ?? ''}:${trust.phpFolder}`;
  if (trust.wgetrc !== null) set['WGETRC'] = trust.wgetrc;
  set['WRLD_WORLD'] = attachment.worldUrl;
  set['WRLD_WORLD_TOKEN'] = attachment.worldToken;
  set['WRLD_WORLD_PROXY'] = proxyUrl;
  set['WRLD_WORLD_NETWORK_POLICY'] = attachment.networkPolicy;
  Object.assign(set, attachment.worldEnv);
  // What a program that cleans its children's environment leaves them in any case (attach/).
  set['WRLD_RUN_VARIABLES'] = [...new Set([...Object.keys(set), ...attachment.streamVariables])].join(',');
  return { set, droppedNoProxy: dropped };
}

/** `export NAME='value'` for each, for bash, zsh and sh. */
export function exportLines(environment: Environment): string[] {
  return Object.entries(environment).map(([name, value]) => `export ${name}=${shellWord(value)}`);
}

export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The user's own exceptions, less those that would let a request to a twin leave for the real vendor:
 * that is the one mistake a world may never make.
 */
function noProxy(
  user: { readonly [name: string]: string | undefined },
  twinHosts: readonly string[],
): { readonly entries: readonly string[]; readonly dropped: readonly string[] } {
  const given = `${user['no_proxy'] ?? ''},${user['NO_PROXY'] ?? ''}`.split(/[\s,]+/).filter(Boolean);
  const own = [...new Set(given)].filter(entry => !LOOPBACK.includes(entry));
  const covers = (entry: string): boolean => {
    const name = entry
      .toLowerCase()
      .replace(/:\d+$/, '')
      .replace(/^\*?\.?/, '');
    return name === '' || twinHosts.some(host => host === name || host.endsWith(`.${name}`));
  };
  return { entries: own.filter(entry => !covers(entry)), dropped: own.filter(covers) };
}

function nodeOptions(own: string | undefined, module: string): string {
  // NODE_OPTIONS splits at spaces, and knows double quotes with backslash escapes.
  const quoted = /[\s"\\]/.test(module) ? `"${module.replace(/["\\]/g, '\\$&')}"` : module;
  const option = `--require ${quoted}`;
  if (own === undefined || own === '') return option;
  // A run inside a run: once is enough.
  return own.includes(option) ? own : `${own} ${option}`;
}

/** RUBYOPT splits at spaces and knows no quotes: a path with one cannot be said in it. */
function rubyOptions(own: string | undefined, module: string): string | undefined {
  const option = `-r${module}`;
  if (/\s/.test(module) || own?.includes(option)) return own;
  return own ? `${own} ${option}` : option;
}

function pythonPath(own: string | undefined, folder: string): string {
  const others = (own ?? '').split(delimiter).filter(each => each !== '' && each !== folder);
  return [folder, ...others].join(delimiter);
}

function javaOptions(
  own: string | undefined,
  proxyUrl: string,
  trust: TrustFiles,
  direct: readonly string[],
): string {
  const { hostname, port } = new URL(proxyUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const patterns = direct
    .map(entry => (entry.startsWith('.') ? `*${entry}` : entry))
    .filter(entry => !entry.includes('/'));
  const options = [
    ...['https', 'http'].flatMap(scheme => [
      `-D${scheme}.proxyHost=${host}`,
      `-D${scheme}.proxyPort=${port}`,
    ]),
    `-Dhttp.nonProxyHosts=${['localhost', '*.localhost', '127.*', '[::1]', ...patterns].join('|')}`,
  ];
  if (trust.java !== null) {
    options.push(
      javaWord(`-Djavax.net.ssl.trustStore=${trust.java.file}`),
      `-Djavax.net.ssl.trustStorePassword=${trust.java.password}`,
    );
  }
  return [...(own ? [own] : []), ...options].join(' ');
}

/** The JVM splits JAVA_TOOL_OPTIONS at spaces outside quotes. */
function javaWord(text: string): string {
  return /\s/.test(text) ? `"${text}"` : text;
}
