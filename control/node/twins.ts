// The twins a world's config names: those that ship with wrld, and modules of the user's own.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mountTwin } from '../../twins/kit/mount.ts';
import type { Twin } from '../../twins/kit/twin.ts';
import type { Log } from '../ports/log.ts';
import type { TwinConfig } from '../world/config/config.ts';
import type { TwinInWorld } from '../world/twins/status.ts';
import { HandlersFile } from './handlers-file.ts';
import { loadShipped, SHIPPED_TWINS } from './shipped-twins.ts';
import { loadTwin, type TwinModule, watchStrays } from './twin-module.ts';

export type TwinsResult =
  /** `close` ends the watch of their handlers files. */
  | {
      readonly ok: true;
      readonly twins: readonly TwinInWorld[];
      /** Of those that declare one, by service. */
      readonly files: ReadonlyMap<string, HandlersFile>;
      readonly close: () => void;
    }
  /** Names the service and what to do. */
  | { readonly ok: false; readonly why: string };

/** `folder`: the world's, from which modules and handlers files are found. */
export async function openTwins(
  folder: string,
  configs: readonly TwinConfig[],
  log: Log,
): Promise<TwinsResult> {
  const twins: TwinInWorld[] = [];
  const files = new Map<string, HandlersFile>();
  const modules: (TwinModule & { readonly vendor: string })[] = [];
  let unwatch = (): void => {};
  const close = (): void => {
    for (const file of files.values()) file.close();
    unwatch();
  };
  const fail = (why: string): TwinsResult => {
    close();
    return { ok: false, why };
  };
  for (const { vendor, twin: name, scenarioPath } of configs) {
    let found = await shippedTwin(name);
    if (found === null) {
      const loaded = await loadTwin(folder, name, { vendor, log, shipped: SHIPPED_TWINS });
      if (!loaded.ok) return fail(`services.${vendor}.twin: ${loaded.why}`);
      modules.push({ ...loaded, vendor });
      found = loaded;
    }
    const twin = mountTwin(found.twin, null);
    if (scenarioPath !== null) {
      const file = new HandlersFile({ folder, vendor, path: scenarioPath, twin, log });
      files.set(vendor, file);
      const why = await file.open();
      if (why !== null) return fail(why);
    }
    twins.push({ id: vendor, twin, package: found.package });
  }
  const twice = hostTakenTwice(twins);
  if (twice !== null) return fail(twice);
  unwatch = watchStrays(modules, log);
  return { ok: true, twins, files, close };
}

type Found = Pick<TwinInWorld, 'package'> & { readonly twin: Twin };

async function shippedTwin(name: string): Promise<Found | null> {
  const twin = await loadShipped(name);
  return twin === null ? null : { twin, package: { name: 'wrld', version: await ownVersion() } };
}

/** Of two twins that answer the same prefix of a host, one would never be asked. */
function hostTakenTwice(twins: readonly TwinInWorld[]): string | null {
  const taken = new Map<string, string>();
  for (const { id, twin } of twins) {
    for (const { host, paths } of twin.twin.manifest.hosts) {
      for (const path of paths) {
        const other = taken.get(`${host}${path}`);
        if (other !== undefined)
          return `services.${id}.twin answers ${host}${path}, and so does services.${other}.twin; take one of them out, or give it other hosts or paths`;
        taken.set(`${host}${path}`, id);
      }
    }
  }
  return null;
}

async function ownVersion(): Promise<string | null> {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8').catch(
    () => '{}',
  );
  return (JSON.parse(text) as { version?: string }).version ?? null;
}
