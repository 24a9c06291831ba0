// How the modules of this program find one another: by where they lie, as their imports say it. Node would look at the disk
// four times for each of several hundred (its real path, what it is, whose package it is in), which is a fifth of a start.
// Imported before everything else, by what starts a process.
import * as module from 'node:module';

const ROOT = new URL('..', import.meta.url).href;
const PACKAGES = '/node_modules/';

// Younger than the oldest Node that the package runs on.
(module as Partial<typeof module>).registerHooks?.({
  resolve: (specifier, context, next) => {
    const { parentURL } = context;
    const format = formatOf(specifier);
    if (format === null || parentURL === undefined || !isOwn(parentURL)) return next(specifier, context);
    return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
  },
});

/** Null for what is not named by where it lies. */
function formatOf(specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  if (specifier.endsWith('.ts')) return 'module-typescript';
  return specifier.endsWith('.js') ? 'module' : null;
}

const isOwn = (url: string): boolean => url.startsWith(ROOT) && !url.includes(PACKAGES, ROOT.length - 1);
