// What every world on this host stands on, with a proxy or without one: its folder, what listens at its address, its
// config, and its store. None of it answers a request yet.
import type { Prompter } from '../http/prompter.ts';
import { isLoopback, ownOriginOf } from './addresses.ts';
import { CallList } from './call-list.ts';
import { configFile } from './config-edit.ts';
import { issuersOfEnvironment, sealingOfEnvironment } from './environment.ts';
import { type Front, openFront } from './front.ts';
import { type Home, openHome } from './home.ts';
import { type HostedTest, type HostedWorld, openHostedWorld, type WorldHost } from './hosted-world.ts';
import { LiveConfig } from './live-config.ts';
import type { ServeOptions } from './options.ts';
import { ProxyJournal } from './proxy-journal.ts';
import { RefusalList } from './refusal-list.ts';
import { openSealers } from './sealers.ts';
import { StatusFiles } from './status-file.ts';
import { trustedIssuers } from './trusted-issuers.ts';
import { VendorRegistry } from './vendor-registry.ts';

export type Base = {
  readonly home: Home;
  readonly front: Front;
  /** Judges nothing before it is started. */
  readonly live: LiveConfig;
  readonly refusals: RefusalList;
  /** Tells nothing before it begins. */
  readonly files: StatusFiles;
  readonly vendors: VendorRegistry;
  readonly worldHost: WorldHost;
  readonly root: HostedWorld;
};

/** `hasProxy`: one is started beside these worlds. Throws `ControlError`. */
export async function openBase(
  options: ServeOptions,
  opened: AsyncDisposableStack,
  hasProxy: boolean,
): Promise<Base> {
  const { host, port, log, budget = null, trust = [] } = options;
  const home = await openHome(options, opened);
  const { paths, loaded, authority } = home;
  const { name } = loaded.config;
  const front = await openFront({ name, host, port, authority, log }, opened);
  const live = new LiveConfig({ loaded, log });
  const refusals = new RefusalList();
  // Whoever listens for this machine alone runs worlds of their own; a world for others may not look around in it.
  const vendors = new VendorRegistry({
    ownMachine: options.ownMachine ?? isLoopback(host),
    changed: () => live.refresh(),
  });
  const test = options.prompt === undefined ? undefined : hostedTest(options.prompt, refusals);
  const worldHost: WorldHost = {
    folder: paths.folder,
    // A branch that is opened after an edit has the handlers that the config names then.
    get twins() {
      return live.twins;
    },
    handled: new Set(),
    log,
    policy: live,
    vendors,
    sealer: openSealers(sealingOfEnvironment(), paths.sealKey, log),
    baseUrl: front.baseUrl,
    ownOrigin: world => ownOriginOf(world, host, front.port),
    siteForm: 'local',
    ca: authority.certificatePem,
    refusals: () => refusals.newestFirst,
    ...(hasProxy && { outside: new ProxyJournal(paths.proxyLog) }),
    config: configFile(paths.config, live),
    trusted: await trustedIssuers([...issuersOfEnvironment(), ...trust], paths.folder),
    budget,
    ...(test && { test }),
  };
  const root = opened.use(await openHostedWorld({ host: worldHost, name, files: paths }));
  await front.streams.load(root.twins.map(({ twin }) => twin.twin.manifest.protocol));
  return { home, front, live, refusals, files: new StatusFiles(paths, log), vendors, worldHost, root };
}

function hostedTest(prompt: Prompter['prompt'], refusals: RefusalList): HostedTest {
  const calls = new CallList();
  return {
    prompter: { prompt, answered: (vendor, call, reply, { ms }) => calls.add(vendor, call, reply, ms) },
    calls: () => calls.oldestFirst,
    onReset: () => {
      calls.clear();
      refusals.clear();
    },
  };
}
