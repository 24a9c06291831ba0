// How the modules of this program find one another: by where they lie, as their imports say it. Node would look at the disk
// four times for each of several hundred (its real path, what it is, whose package it is in), which is a fifth of a start.
// Imported before everything else, by what starts a process.
import * as module from 'node:module';

const ROOT = new URL('..', import.meta.url).href;
/** What a world's own modules and what lies in `node_modules` are is for Node to find out. */
const PARTS = /^(?:authoring|certs|cli|contained|control|images|policy|process|proxy|twins)\//;
/** In the repository, and in the package. */
const [ENDING, FORMAT] = import.meta.url.endsWith('.ts') ? ['.ts', 'module-typescript'] : ['.js', 'module'];

// Younger than the oldest Node that the package runs on.
(module as Partial<typeof module>).registerHooks?.({
  resolve: (specifier, context, next) => {
    const { parentURL = '' } = context;
    if (!specifier.startsWith('.') || !specifier.endsWith(ENDING) || !isOwn(parentURL))
      return next(specifier, context);
    return { url: new URL(specifier, parentURL).href, format: FORMAT, shortCircuit: true };
  },
});

const isOwn = (url: string): boolean => url.startsWith(ROOT) && PARTS.test(url.slice(ROOT.length));
