// The twins a world's config names: those that ship with wrld, and modules of the user's own.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mountTwin } from '../../twins/kit/mount.ts';
import type { MountedTwin, Twin } from '../../twins/kit/twin.ts';
import type { Log } from '../ports/log.ts';
import type { TwinConfig } from '../world/config/config.ts';
import type { TwinInWorld } from '../world/twins/twin-in-world.ts';
import { HandlerFunctions } from './handler-functions.ts';
import { HandlersFile } from './handlers-file.ts';
import { threadSandbox } from './sandbox.ts';
import { loadShipped, SHIPPED_TWINS } from './shipped-twins.ts';
import { loadTwin, type TwinModule, watchStrays } from './twin-module.ts';

export type TwinsResult =
  /** `close` ends the watch of their handlers files. */
  | {
      readonly ok: true;
      readonly twins: readonly TwinInWorld[];
      /** Of those that declare one, by service: as the config in force has it. */
      readonly files: ReadonlyMap<string, HandlersFile>;
      readonly functions: ReadonlyMap<string, HandlerFunctions>;
      /** The config names other handlers files: those are in force when it resolves. */
      readonly handle: (configs: readonly TwinConfig[]) => Promise<void>;
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
  const handlers = new Handlers(folder, log);
  const modules: (TwinModule & { readonly vendor: string })[] = [];
  let unwatch = (): void => {};
  const close = (): void => {
    handlers.close();
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
    const why = await handlers.set(vendor, twin, scenarioPath);
    if (why !== null) return fail(why);
    twins.push({ id: vendor, twin, package: found.package });
  }
  const twice = hostTakenTwice(twins);
  if (twice !== null) return fail(twice);
  unwatch = watchStrays(modules, log);
  const { files, functions } = handlers;
  const handle = async (configs: readonly TwinConfig[]): Promise<void> => {
    for (const { vendor, scenarioPath } of configs) {
      const twin = twins.find(({ id }) => id === vendor)?.twin;
      if (twin === undefined) continue;
      if (handlers.path(vendor) === scenarioPath) continue;
      const why = await handlers.set(vendor, twin as Required<MountedTwin>, scenarioPath);
      if (why !== null)
        log.warn({ twin: vendor }, `the handlers of ${vendor} have faults; none are in force\n${why}`);
      else if (scenarioPath === null) log.info({ twin: vendor }, `${vendor} has no handlers any more`);
      else log.info({ twin: vendor }, `${scenarioPath} is the handlers file of ${vendor}`);
    }
  };
  return { ok: true, twins, files, functions, handle, close };
}

/** What is beside the twins of a world: their handlers files, and the functions beside those. */
class Handlers {
  readonly files = new Map<string, HandlersFile>();
  readonly functions = new Map<string, HandlerFunctions>();
  readonly #folder: string;
  readonly #log: Log;
  readonly #paths = new Map<string, string | null>();

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** The handlers file of a twin; undefined before it was said. */
  path(vendor: string): string | null | undefined {
    return this.#paths.get(vendor);
  }

  /** Null, or what is wrong with the file. */
  async set(vendor: string, twin: Required<MountedTwin>, path: string | null): Promise<string | null> {
    const moved = this.#paths.has(vendor);
    this.#paths.set(vendor, path);
    this.files.get(vendor)?.close();
    this.functions.get(vendor)?.close();
    this.files.delete(vendor);
    this.functions.delete(vendor);
    if (moved) twin.load(null);
    if (path === null) return null;
    const [folder, log] = [this.#folder, this.#log];
    const file = new HandlersFile({ folder, vendor, path, twin, log });
    const functions = new HandlerFunctions({ folder, vendor, path, sandbox: threadSandbox, log });
    this.files.set(vendor, file);
    this.functions.set(vendor, functions);
    await functions.open();
    return file.open();
  }

  close(): void {
    for (const each of [...this.files.values(), ...this.functions.values()]) each.close();
  }
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
