// A run of a command: opened at the world before the command starts, with what it declares, and closed when it ends.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseDeclaration } from '../policy/declaration.ts';
import type { Declaration } from '../policy/run.ts';
import { worldClient } from './world-client.ts';
import type { Reach } from './world-environment.ts';

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

export type DeclaredRun =
  | ({ readonly ok: true; readonly name: string; readonly proxyUrl: string } & AsyncDisposable)
  | ({ readonly ok: false; readonly why: string } & AsyncDisposable);

export async function openRun(reach: Reach, declaration: Declaration): Promise<DeclaredRun> {
  const client = worldClient(reach.baseUrl, reach.token);
  const place = `/-${new URL(reach.worldUrl).pathname}/runs`;
  const no = (why: string): DeclaredRun => ({
    ok: false,
    why: `the world opened no run for this command: ${why}`,
    [Symbol.asyncDispose]: async () => {},
  });
  const opened = await client.send('POST', place, { declaration });
  if (!opened.ok) return no(opened.why);
  if (opened.status !== 201) {
    const { error } = opened.body as { readonly error?: { readonly message?: string } };
    return no(error?.message ?? `status ${opened.status}`);
  }
  const { name, secret } = opened.body as { readonly name: string; readonly secret: string };
  let open = true;
  const proxy = new URL(reach.proxyUrl);
  proxy.username = name;
  proxy.password = secret;
  return {
    ok: true,
    name,
    proxyUrl: proxy.href.replace(/\/$/, ''),
    // The world may have gone first, and its runs with it.
    [Symbol.asyncDispose]: async () => {
      if (open) await client.send('DELETE', `${place}/${name}`);
      open = false;
    },
  };
}
