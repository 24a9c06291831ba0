// What an app says it needs, in a file that a command names.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseDeclaration } from '../policy/declaration.ts';
import type { Declaration } from '../policy/run.ts';

export type DeclarationFile =
  | { readonly ok: true; readonly declaration: Declaration | null }
  | { readonly ok: false; readonly why: string };

/** `file` as it was typed, which is how refusals name it (`declaredBy`). */
export async function readDeclarationFile(
  file: string | undefined,
  folder: string,
): Promise<DeclarationFile> {
  if (file === undefined) return { ok: true, declaration: null };
  let text: string;
  try {
    text = await readFile(resolve(folder, file), 'utf8');
  } catch (error) {
    return {
      ok: false,
      why: `the declaration ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    };
  }
  return parseDeclaration(text, file);
}
