// What a program needs to be in a world that runs beside it, on a volume that both see, as containers have them: trust,
// what its runtime loads, and the variables that lead there. It reads nothing else of the world's, and may be another user.
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Environment, shellWord } from './environment.ts';
import { ATTACH_FOLDER, type Reach, worldEnvironment } from './world-environment.ts';

/** Those that a program's image may set for itself, and what stands between its own and the world's. */
const ADDED: { readonly [name: string]: string } = {
  NODE_OPTIONS: ' ',
  RUBYOPT: ' ',
  JAVA_TOOL_OPTIONS: ' ',
  PYTHONPATH: ':',
};
/** Of whoever starts the world: where its roots and its tools are. All else in it is none of the program's. */
const KEPT = ['PATH', 'HOME', 'JAVA_HOME', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];

export type Share =
  /** Until it is disposed of, the program may start. */
  ({ readonly ok: true } & AsyncDisposable) | { readonly ok: false; readonly why: string };

/** `config`: of the world, for what it says of loopback. */
export async function fillShare(
  folder: string,
  reach: Reach,
  { config, env }: { readonly config: string; readonly env: { readonly [name: string]: string | undefined } },
): Promise<Share> {
  const ready = join(folder, 'ready');
  const attach = join(folder, 'attach');
  try {
    await rm(ready, { force: true });
    for (const part of ['attach', 'trust', 'policies'])
      await rm(join(folder, part), { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await cp(ATTACH_FOLDER, attach, { recursive: true, filter: from => basename(from) !== '__pycache__' });
    const kept = Object.fromEntries(KEPT.map(name => [name, env[name]]));
    const attached = await worldEnvironment({ run: folder, config }, reach, kept, attach);
    if (!attached.ok) return attached;
    const { phpFolder } = attached.trust;
    for (const name of await readdir(phpFolder)) {
      const file = join(phpFolder, name);
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll(ATTACH_FOLDER, attach));
    }
    await writeFile(join(folder, 'env'), variables(attached.set));
    await writeFile(join(folder, 'run'), `#!/bin/sh\n. ${shellWord(join(folder, 'env'))}\nexec "$@"\n`);
    await openForAll(folder);
    await writeFile(ready, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Whatever is no answer of the system's is a fault of ours.
    if (code === undefined) throw error;
    return {
      ok: false,
      why: `--share ${folder} cannot be filled (${code}); give a folder that this user may write`,
    };
  }
  return { ok: true, [Symbol.asyncDispose]: () => rm(ready, { force: true }) };
}

/** For a shell. The program's own values are kept, behind the world's. */
function variables(set: Environment): string {
  return Object.entries(set)
    .map(([name, value]) => {
      const word = shellWord(value);
      const between = ADDED[name];
      return `export ${name}=${word}${between === undefined ? '' : `"\${${name}:+${between}$${name}}"`}\n`;
    })
    .join('');
}

/** Whoever has the volume may read it: its files are of the user who runs the world, and the program may be another. */
async function openForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const runs = entry.isDirectory() || (entry.name === 'run' && entry.parentPath === folder);
    await chmod(join(entry.parentPath, entry.name), runs ? 0o755 : 0o644);
  }
}
