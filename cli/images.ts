// The images that a command is given: read from their files, with the world that they would run in, where there is one.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DeclarationView } from '../images/declaration-text.ts';
import { openFiles } from '../images/files.ts';
import { type Images, readImages } from '../images/images.ts';
import { type Note, Unreadable } from '../images/note.ts';
import { printable } from '../policy/printable.ts';
import type { Surround } from './command.ts';
import { NOTE_CHARS_SHOWN_MAX } from './limits.ts';
import { readUp } from './up-world.ts';
import { findFolder } from './world-folder.ts';

export type GivenImages =
  | { readonly ok: true; readonly images: Images }
  /** Names file and line. */
  | { readonly ok: false; readonly why: string };

/** Flags that say which files are meant, as every command about images has them. */
export const IMAGE_FLAGS = {
  file: {
    type: 'value',
    value: '<file>[,<file>…]',
    does: 'compose files that follow the first one, in this order, instead of its override',
  },
  target: { type: 'value', value: '<stage>', does: 'this stage of a build file, instead of its last one' },
} as const;

export function givenImages(
  operand: string | undefined,
  values: ReadonlyMap<string, string>,
  { folder, env }: Surround,
): GivenImages {
  try {
    const images = readImages({
      path: resolve(folder, operand ?? '.'),
      more: (values.get('file') ?? '')
        .split(',')
        .filter(Boolean)
        .map(each => resolve(folder, each)),
      target: values.get('target') ?? null,
      read: openFiles(folder),
      env,
    });
    return { ok: true, images };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, why: shown(error.message) };
    throw error;
  }
}

/** `file:line: what`, safe to show: file and text may be anybody's. */
export function noteText({ file, line, what }: Note): string {
  return shown(`${file}:${line}: ${what}`);
}

export function shown(text: string): string {
  return printable(text, NOTE_CHARS_SHOWN_MAX);
}

/** Where a refusal's link leads while no world is up: the page in the documentation. */
const DOCS = 'docs';

export async function declarationView(folder: string): Promise<DeclarationView> {
  const found = await findFolder(folder);
  const up = found.ok ? await readUp(found.paths) : null;
  return {
    docsUrl: up?.baseUrl ?? DOCS,
    worldFolder: found.ok ? found.paths.folder : null,
    realPath,
  };
}

/** With every link of it resolved, as far as it is there; a part that is not there stays as it is named. */
export function realPath(path: string): string {
  for (let at = path, rest = ''; ; ) {
    try {
      const real = realpathSync(at);
      return rest === '' ? real : `${real === '/' ? '' : real}${rest}`;
    } catch {
      const cut = at.lastIndexOf('/');
      if (cut <= 0) return path;
      rest = `${at.slice(cut)}${rest}`;
      at = at.slice(0, cut);
    }
  }
}
