// A browser as a program of the world: a profile of its own, which trusts the world's authority and goes through its proxy.
// A person's own profile stays as it is.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { loadLeafKey, publicKeyHash } from '../certs/leaf-key.ts';
import { runQuietly } from './child.ts';

export type BrowserKind = 'chromium' | 'firefox';

const KINDS: readonly (readonly [pattern: RegExp, kind: BrowserKind])[] = [
  [
    /^(?:chromium|chromium-browser|google-chrome|chrome|brave|brave-browser|microsoft-edge|msedge|vivaldi)(?:-stable|-beta|-dev)?(?:\.exe)?$/i,
    'chromium',
  ],
  [/^firefox(?:-esr|-bin|-nightly|-developer-edition)?(?:\.exe)?$/i, 'firefox'],
];

/** Looked for in this order when nobody names one. */
const PROGRAMS: readonly string[] = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'brave-browser',
  'firefox',
  'firefox-esr',
];
/** Where the others keep theirs. */
const PLACES: readonly string[] = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** What kind of browser a program is; null where it is none that is known. */
export function browserKind(program: string): BrowserKind | null {
  const name = basename(program.replaceAll('\\', '/')).replaceAll(' ', '-');
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** The first browser of this machine, as a program to start; null where there is none. */
export function findBrowser(path: string): string | null {
  for (const program of PROGRAMS) {
    const found = path
      .split(delimiter)
      .map(folder => join(folder, program))
      .find(existsSync);
    if (found !== undefined) return found;
  }
  return PLACES.find(existsSync) ?? null;
}

/** Where the world's proxy listens; null where every connection arrives at the world without it. */
export type BrowserProxy = { readonly host: string; readonly port: number } | null;

/** Where a browser's own errands end. */
const NOWHERE = 'http://localhost:1/';

/**
 * What makes a Chromium, started by a person or by a test, a program of the world. It says nothing of a profile: with that
 * of every day the switches would do nothing, or harm.
 */
export async function chromiumArgs(caFile: string, proxy: BrowserProxy): Promise<string[]> {
  const hash = publicKeyHash(await loadLeafKey(dirname(caFile)));
  return [
    proxy === null ? '--no-proxy-server' : `--proxy-server=http://${proxy.host}:${proxy.port}`,
    `--ignore-certificate-errors-spki-list=${hash}`,
    // Its own errands are nothing that an app asks for, and all of them would be told as refused.
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-background-networking',
    '--disable-component-update',
    `--component-updater=url-source=${NOWHERE}`,
    `--gaia-url=${NOWHERE}`,
    '--disable-default-apps',
    '--disable-sync',
    '--disable-quic',
    '--dns-prefetch-disable',
    '--disable-features=NetworkTimeServiceQuerying,OptimizationHints,MediaRouter',
  ];
}

export type Launch =
  | ({
      readonly ok: true;
      readonly command: readonly string[];
      /** Beside what the run has. */
      readonly env?: { readonly [name: string]: string };
    } & AsyncDisposable)
  | ({ readonly ok: false; readonly why: string } & AsyncDisposable);

type LaunchOptions = { readonly caFile: string; readonly proxy: BrowserProxy };

/** The command with a profile of the world's own, unless it names one; the profile goes with the run. */
export async function launchOf(
  kind: BrowserKind,
  [program = '', ...args]: readonly string[],
  { caFile, proxy }: LaunchOptions,
): Promise<Launch> {
  const switches = kind === 'chromium' ? await chromiumArgs(caFile, proxy) : [];
  const profile = await mkdtemp(join(tmpdir(), 'wrld-browser-'));
  const gone = (): Promise<void> => rm(profile, { recursive: true, force: true, maxRetries: 5 });
  if (kind === 'chromium') {
    const own = args.some(arg => arg.startsWith('--user-data-dir')) ? [] : [`--user-data-dir=${profile}`];
    // Its sandbox refuses to run as root, in containers above all; the person there has no lesser user to protect.
    const asRoot = process.getuid?.() === 0 && !args.includes('--no-sandbox') ? ['--no-sandbox'] : [];
    return {
      ok: true,
      command: [program, ...own, ...switches, ...asRoot, ...args],
      [Symbol.asyncDispose]: gone,
    };
  }
  const why = await prepareFirefox(profile, caFile, proxy);
  if (why !== null) {
    await gone();
    return { ok: false, why, [Symbol.asyncDispose]: async () => {} };
  }
  const own = args.some(arg => /^--?profile$/i.test(arg) || arg === '-P')
    ? []
    : ['--no-remote', '--profile', profile];
  return { ok: true, command: [program, ...own, ...args], env: FIREFOX_ENV, [Symbol.asyncDispose]: gone };
}

/** Where its settings are asked for is its own to say, but for who develops them. */
const FIREFOX_ENV = { MOZ_REMOTE_SETTINGS_DEVTOOLS: '1' };

const FIREFOX_PREFERENCES: { readonly [name: string]: string | number | boolean } = {
  'browser.shell.checkDefaultBrowser': false,
  'browser.aboutwelcome.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.enabled': false,
  'app.update.enabled': false,
  'app.normandy.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.dns.disablePrefetch': true,
  'network.http.http3.enable': false,
  'network.prefetch-next': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.topsites.contile.enabled': false,
  'extensions.systemAddon.update.enabled': false,
  'services.settings.server': NOWHERE,
  'browser.region.network.url': '',
  'geo.provider.network.url': '',
  'extensions.getAddons.cache.enabled': false,
  'media.gmp-manager.updateEnabled': false,
};

/** Null when the profile is ready; otherwise what it needs. */
async function prepareFirefox(profile: string, caFile: string, proxy: BrowserProxy): Promise<string | null> {
  const made = await runQuietly('certutil', ['-N', '-d', `sql:${profile}`, '--empty-password']);
  if (made === 'missing')
    return 'Firefox is told whom to trust by certutil, which is not on this machine: install libnss3-tools (Debian, Ubuntu), nss-tools (Fedora) or nss (brew), or use a Chromium.';
  const trust = ['-A', '-d', `sql:${profile}`, '-n', 'wrld', '-t', 'C,,', '-i', caFile];
  if (made !== 'done' || (await runQuietly('certutil', trust)) !== 'done')
    return `certutil could not make a profile that trusts ${caFile}; use a Chromium.`;
  const preferences = {
    ...FIREFOX_PREFERENCES,
    ...(proxy === null
      ? { 'network.proxy.type': 0 }
      : {
          'network.proxy.type': 1,
          'network.proxy.http': proxy.host,
          'network.proxy.http_port': proxy.port,
          'network.proxy.ssl': proxy.host,
          'network.proxy.ssl_port': proxy.port,
        }),
  };
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  await writeFile(join(profile, 'user.js'), lines.join(''));
  return null;
}
