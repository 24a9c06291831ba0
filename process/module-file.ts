// A module of this program by its file, for what is started with a file's name: threads, and the proxy's process. In the
// repository it is TypeScript, and in the package, which is compiled, JavaScript.
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `from`: who asks (`import.meta.url`). `path`: from there, without an extension. */
export function moduleFile(from: string, path: string): URL {
  return new URL(`${path}${extname(fileURLToPath(from))}`, from);
}

const OWN_MODULES = moduleFile(import.meta.url, './own-modules').href;

/** Node's arguments to run one of them as a process: its imports are found as own-modules.ts says. */
export function processArguments(script: string): readonly string[] {
  return ['--import', OWN_MODULES, script];
}
