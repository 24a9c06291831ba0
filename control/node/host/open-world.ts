// Opens a bare world of a host: what `wrld world serve` opens in a folder, but for what listens, which all of them share.
import { join } from 'node:path';
import { endpointsOf } from '../addresses.ts';
import { ControlError } from '../control-error.ts';
import { sealingOfEnvironment } from '../environment.ts';
import { takeHome } from '../home.ts';
import { openHostedWorld, type WorldHost } from '../hosted-world.ts';
import type { Opened } from '../known-worlds.ts';
import { LiveConfig } from '../live-config.ts';
import { logWith } from '../log.ts';
import { policyOf } from '../policy.ts';
import { openSealers } from '../sealers.ts';
import type { Streams } from '../streams.ts';
import { VendorRegistry } from '../vendor-registry.ts';

/** What the worlds of a host share. */
export type SharedHost = Omit<
  WorldHost,
  'folder' | 'twins' | 'handled' | 'policy' | 'vendors' | 'sealer' | 'test'
> & {
  readonly directory: string;
  /** Where the host listens. */
  readonly listens: { readonly host: string; readonly port: number };
  readonly streams: Streams;
};

/** Throws `ControlError`, with nothing left open. */
export async function openBareWorld(name: string, shared: SharedHost): Promise<Opened> {
  const { directory, listens, streams, ...common } = shared;
  const log = logWith({ world: name }, shared.log);
  await using opened = new AsyncDisposableStack();
  const { paths, loaded } = await takeHome({ folder: join(directory, name) }, opened);
  if (loaded.config.name !== name)
    throw new ControlError(
      'config-invalid',
      `${paths.config}: name is ${loaded.config.name}, and the folder says ${name}; a host's world has the name of its folder`,
    );
  const live = new LiveConfig({ loaded, log });
  // Whoever has a world here may not look around in the machine by a root of its.
  const vendors = new VendorRegistry({ ownMachine: false, changed: () => live.refresh() });
  const host: WorldHost = {
    ...common,
    log,
    folder: paths.folder,
    get twins() {
      return live.twins;
    },
    handled: new Set(),
    policy: live,
    vendors,
    sealer: openSealers(sealingOfEnvironment(), paths.sealKey, log),
  };
  const hosted = opened.use(await openHostedWorld({ host, name, files: paths }));
  await streams.load(hosted.twins.map(({ twin }) => twin.twin.manifest.protocol));
  const twins = hosted.twins.map(({ id, twin }) => ({ id, manifest: twin.twin.manifest }));
  opened.use(live);
  await live.start({
    policyOf: edited =>
      policyOf({
        loaded: edited,
        world: name,
        twins,
        docsUrl: shared.baseUrl,
        sandbox: false,
        endpoints: endpointsOf(listens.host, listens.port),
        runs: [],
        anonymousRuns: false,
        vendors: vendors.all,
      }),
    ipc: null,
    onChange: () => {},
    onHandlers: async configs => {
      await Promise.all([...host.handled].map(handle => handle(configs)));
    },
  });
  const kept = opened.move();
  return { hosted, host, rotated: () => live.refresh(), close: () => kept.disposeAsync() };
}
