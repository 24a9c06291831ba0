// A run of a command: opened at the world before the command starts, with what it declares, and closed when it ends.
import type { Declaration } from '../policy/run.ts';
import { worldClient } from './world-client.ts';
import type { Reach } from './world-environment.ts';

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
