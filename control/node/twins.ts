// The twins a world's config names: those that ship with wrld, and modules of the user's own.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseHandlers } from '../../twins/kit/handlers.ts';
import { mountTwin } from '../../twins/kit/mount.ts';
import type { Twin } from '../../twins/kit/twin.ts';
import type { Log } from '../ports/log.ts';
import type { TwinConfig } from '../world/config.ts';
import type { TwinInWorld } from '../world/open-world.ts';
import { readIfThere } from './files.ts';

/** Loaded when a world names them: a world of one twin does not pay for the others. */
const SHIPPED: { readonly [name: string]: () => Promise<Twin> } = {
  stripe: async () => (await import('../../twins/stripe/twin.ts')).stripeTwin,
};

/** Names that `services.<vendor>.twin` takes besides modules. */
const SHIPPED_TWINS: readonly string[] = Object.keys(SHIPPED);

export type TwinsResult =
  | { readonly ok: true; readonly twins: readonly TwinInWorld[] }
  /** Names the service and what to do. */
  | { readonly ok: false; readonly why: string };

/** `folder`: the world's, from which modules and handlers files are found. */
export async function openTwins(
  folder: string,
  configs: readonly TwinConfig[],
  log: Log,
): Promise<TwinsResult> {
  const twins: TwinInWorld[] = [];
  for (const config of configs) {
    const found = await findTwin(folder, config.twin);
    if (!found.ok) return { ok: false, why: `services.${config.vendor}.twin: ${found.why}` };
    const handlers = await readHandlers(folder, config, log);
    if (!handlers.ok) return handlers;
    const twin = mountTwin(found.twin, handlers.handlers);
    twins.push({ id: config.vendor, twin, package: found.package });
  }
  return { ok: true, twins };
}

type Found =
  | { readonly ok: true; readonly twin: Twin; readonly package: TwinInWorld['package'] }
  | { readonly ok: false; readonly why: string };

async function findTwin(folder: string, name: string): Promise<Found> {
  const shipped = Object.hasOwn(SHIPPED, name) ? SHIPPED[name] : undefined;
  if (shipped)
    return { ok: true, twin: await shipped(), package: { name: 'wrld', version: await ownVersion() } };
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

async function readHandlers(
  folder: string,
  { vendor, scenarioPath }: TwinConfig,
  log: Log,
): Promise<
  | { readonly ok: true; readonly handlers: Parameters<typeof mountTwin>[1] }
  | { readonly ok: false; readonly why: string }
> {
  if (scenarioPath === null) return { ok: true, handlers: null };
  const file = resolve(folder, scenarioPath);
  const text = await readIfThere(file);
  if (text === null) {
    log.warn({ twin: vendor }, `the twin ${vendor} has no handlers: ${scenarioPath} is not there`);
    return { ok: true, handlers: null };
  }
  const parsed = parseHandlers(text);
  if (parsed.ok) return parsed;
  const faults = parsed.faults.map(fault => `${relative(folder, file)}${fault.pointer}: ${fault.message}`);
  return { ok: false, why: faults.join('\n') };
}
