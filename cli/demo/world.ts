// The demo's world, in a temporary folder that is gone with it.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningControl } from '../../control/node/control.ts';
import { worldPaths } from '../../control/node/paths.ts';
import type { Output } from '../output.ts';
import { type WorldClient, worldClient } from '../world-client.ts';
import { worldEnvironment } from '../world-environment.ts';

export type DemoWorld = AsyncDisposable & {
  readonly folder: string;
  readonly control: RunningControl;
  readonly client: WorldClient;
  /** `/demo/shop` */
  readonly place: string;
  /** What a program in the world is started with. */
  readonly environment: { readonly [name: string]: string | undefined };
};

export async function openDemoWorld(
  config: object,
  output: Output,
  env: { readonly [name: string]: string | undefined },
): Promise<DemoWorld> {
  await using made = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-demo-')));
  made.defer(() => rm(folder, { recursive: true, force: true }));
  const paths = worldPaths(folder);
  await mkdir(paths.home);
  await writeFile(paths.config, `${JSON.stringify(config, null, 2)}\n`);
  const { startWorld } = await import('../start-world.ts');
  const started = await startWorld({
    paths,
    sandbox: false,
    forRun: false,
    tell: line => output.error(`wrld: ${line}`),
  });
  if (!started.ok) throw new Error(started.why);
  const control = made.use(started.control);
  const attached = await worldEnvironment(paths, control, env);
  if (!attached.ok) throw new Error(attached.why);
  const open = made.move();
  return {
    folder,
    control,
    client: worldClient(control.baseUrl, control.token),
    place: new URL(control.worldUrl).pathname,
    environment: { ...env, ...attached.set },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
