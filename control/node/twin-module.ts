// A twin of the user's own, from the module that a world's config names: found, loaded, checked and guarded. Whatever is
// wrong with it is said with its place, and with what to do.
import module, { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { moduleFile } from '../../process/module-file.ts';
import type { Twin } from '../../twins/kit/twin.ts';
import type { Log } from '../ports/log.ts';
import { describeFault } from '../world/store/fault.ts';
import { guardedTwin } from '../world/twins/guarded-twin.ts';
import { twinFaults } from '../world/twins/twin-shape.ts';
import { callBound } from './call-bound.ts';

/** What these are in a twin's module: this very program's, whatever is installed beside it. */
const OWN: { readonly [specifier: string]: string } = {
  'wrld/twin': moduleFile(import.meta.url, '../../authoring/twin').href,
  'wrld/twin-test': moduleFile(import.meta.url, '../../authoring/twin-test').href,
};

export type TwinModule = {
  readonly twin: Twin;
  /** Null for a file of the user's. */
  readonly package: { readonly name: string; readonly version: string | null } | null;
  /** Where it was loaded from. */
  readonly file: string;
};

export type TwinModuleResult =
  | ({ readonly ok: true } & TwinModule)
  | { readonly ok: false; readonly why: string };

type LoadOptions = {
  /** What the world calls the twin. */
  readonly vendor: string;
  readonly log: Log;
  /** Names of the twins that ship, for who meant one of them. */
  readonly shipped: readonly string[];
};

/** `folder`: the world's. `name`: a path (`./twins/acme.ts`) or a package. */
export async function loadTwin(
  folder: string,
  name: string,
  { vendor, log, shipped }: LoadOptions,
): Promise<TwinModuleResult> {
  const local = name.startsWith('.') || isAbsolute(name);
  const from = createRequire(join(folder, 'package.json'));
  let file: string;
  try {
    file = local ? resolve(folder, name) : from.resolve(name);
  } catch {
    const ships = `no twin “${name}” ships with wrld (${shipped.join(', ')})`;
    return {
      ok: false,
      why: `${ships}, and no package of that name is installed here; a file of your own begins with ./`,
    };
  }
  const { href } = pathToFileURL(file);
  // Node would take a folder without a package.json for CommonJS at first, and warn.
  if (href.endsWith('.ts')) esmTypeScript.add(href);
  hookResolve();
  let exported: object;
  try {
    exported = await import(href);
  } catch (error) {
    return { ok: false, why: `${name} cannot be loaded: ${failureText(error, folder)}` };
  }
  const faults = twinFaults(exported);
  if (faults.length > 0) {
    const lines = faults.map(({ at, problem }) => `\n  ${at} ${problem}`);
    return { ok: false, why: `${name} is no twin yet:${lines.join('')}` };
  }
  const { twin } = exported as { readonly twin: Twin };
  return {
    ok: true,
    twin: guardedTwin(twin, { vendor, log, bound: callBound() }),
    package: local ? null : { name, version: versionOf(from, name) },
    file,
  };
}

/** Twins in TypeScript, by their URLs. */
const esmTypeScript = new Set<string>();
let hooked = false;

/** A one-file twin imports `wrld/twin` from a folder that has neither `node_modules` nor a package.json. */
function hookResolve(): void {
  const { registerHooks } = module as Partial<typeof module>;
  // Node before 22.15: `wrld/twin` is then what is installed beside the twin.
  if (hooked || registerHooks === undefined) return;
  hooked = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      if (esmTypeScript.has(specifier))
        return { url: specifier, format: 'module-typescript', shortCircuit: true };
      const own = Object.hasOwn(OWN, specifier) ? OWN[specifier] : undefined;
      return own === undefined ? next(specifier, context) : { url: own, shortCircuit: true };
    },
  });
}

/** What went wrong while a module was loaded, and the line that it went wrong at, as the user knows the file. */
function failureText(error: unknown, folder: string): string {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  const { code } = error as NodeJS.ErrnoException;
  const place = /(file:\/\/\/[^\s)]+?\.[cm]?[jt]s):(\d+)/.exec(error.stack ?? '');
  const file = place === null ? null : fileURLToPath(place[1]!);
  const ours = file === null || file.startsWith(`${import.meta.dirname}/`) || file.includes('node_modules');
  const at = ours ? '' : ` (${relative(folder, file)}:${place![2]})`;
  const [message = ''] = error.message.split('\n');
  return `${code === undefined ? `${error.name}: ` : ''}${message}${at}`;
}

function versionOf(from: NodeJS.Require, name: string): string | null {
  try {
    return (from(`${name}/package.json`) as { version?: string }).version ?? null;
  } catch {
    // A package need not export its package.json.
    return null;
  }
}

/**
 * A twin has no business between calls, but its module may leave a timer or a promise behind. What fails there would end the
 * process and the world with it: it is logged instead, where its stack leads into one of `twins`. All else stays fatal.
 */
export function watchStrays(
  twins: readonly (TwinModule & { readonly vendor: string })[],
  log: Log,
): () => void {
  if (twins.length === 0) return () => {};
  const folders = twins.map(({ vendor, file }) => ({ vendor, folder: dirname(file) }));
  const listener = (error: unknown): void => {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const of = folders.find(({ folder }) => stack.includes(`${folder}/`));
    if (of === undefined) {
      if (process.listenerCount('uncaughtException') === 1) throw error;
      return;
    }
    log.error({ twin: of.vendor, fault: describeFault(error) }, 'a twin failed outside of its calls');
  };
  process.on('uncaughtException', listener);
  return () => process.off('uncaughtException', listener);
}
