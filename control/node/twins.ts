// The twins a world's config names: those that ship with wrld, and modules of the user's own.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mountTwin } from '../../twins/kit/mount.ts';
import type { Twin } from '../../twins/kit/twin.ts';
import type { Log } from '../ports/log.ts';
import type { TwinConfig } from '../world/config.ts';
import type { TwinInWorld } from '../world/open-world.ts';
import { HandlersFile } from './handlers-file.ts';
import { loadShipped, SHIPPED_TWINS } from './shipped-twins.ts';

export type TwinsResult =
  /** `close` ends the watch of their handlers files. */
  | { readonly ok: true; readonly twins: readonly TwinInWorld[]; readonly close: () => void }
  /** Names the service and what to do. */
  | { readonly ok: false; readonly why: string };

/** `folder`: the world's, from which modules and handlers files are found. */
export async function openTwins(
  folder: string,
  configs: readonly TwinConfig[],
  log: Log,
): Promise<TwinsResult> {
  const twins: TwinInWorld[] = [];
  const files: HandlersFile[] = [];
  const close = (): void => files.forEach(file => file.close());
  const fail = (why: string): TwinsResult => {
    close();
    return { ok: false, why };
  };
  for (const { vendor, twin: name, scenarioPath } of configs) {
    const found = await findTwin(folder, name);
    if (!found.ok) return fail(`services.${vendor}.twin: ${found.why}`);
    const twin = mountTwin(found.twin, null);
    if (scenarioPath !== null) {
      const file = new HandlersFile({ folder, vendor, path: scenarioPath, twin, log });
      files.push(file);
      const why = await file.open();
      if (why !== null) return fail(why);
    }
    twins.push({ id: vendor, twin, package: found.package });
  }
  return { ok: true, twins, close };
}

type Found =
  | { readonly ok: true; readonly twin: Twin; readonly package: TwinInWorld['package'] }
  | { readonly ok: false; readonly why: string };

async function findTwin(folder: string, name: string): Promise<Found> {
  const shipped = await loadShipped(name);
  if (shipped !== null)
    return { ok: true, twin: shipped, package: { name: 'wrld', version: await ownVersion() } };
  const local = name.startsWith('.') || isAbsolute(name);
  const from = createRequire(join(folder, 'package.json'));
  let file: string;
  try {
    file = local ? resolve(folder, name) : from.resolve(name);
  } catch {
    const shippedNames = SHIPPED_TWINS.join(', ');
    return {
      ok: false,
      why: `no twin “${name}” ships with wrld (${shippedNames}), and no package of that name is installed here`,
    };
  }
  let exported: { readonly twin?: unknown };
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (error) {
    return { ok: false, why: `${name} cannot be loaded: ${(error as Error).message}` };
  }
  if (!isTwin(exported.twin)) return { ok: false, why: `${name} exports no twin (\`export const twin\`)` };
  return {
    ok: true,
    twin: exported.twin,
    package: local ? null : { name, version: versionOf(from, name) },
  };
}

function isTwin(value: unknown): value is Twin {
  const twin = value as Partial<Twin> | null | undefined;
  return (
    typeof twin === 'object' &&
    twin !== null &&
    twin.manifest?.kind === 'wrld-twin' &&
    typeof twin.respond === 'function' &&
    typeof twin.error === 'function' &&
    typeof twin.records === 'object'
  );
}

function versionOf(from: NodeJS.Require, name: string): string | null {
  try {
    return (from(`${name}/package.json`) as { version?: string }).version ?? null;
  } catch {
    // A package need not export its package.json.
    return null;
  }
}

async function ownVersion(): Promise<string | null> {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8').catch(
    () => '{}',
  );
  return (JSON.parse(text) as { version?: string }).version ?? null;
}
