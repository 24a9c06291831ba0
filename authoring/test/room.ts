// A world for tests as the thread that runs it has it: a folder that is gone afterwards, control, and the proxy beside it.
// What a test does with it is in test-world.ts, which may be in another thread (thread-room.ts).
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../cli/environment.ts';
import { worldClient } from '../../cli/world-client.ts';
import { type Reach, worldEnvironment } from '../../cli/world-environment.ts';
import { startControl } from '../../control/node/control.ts';
import { worldPaths } from '../../control/node/paths.ts';
import { type TwinRequest, twinRequestOf } from '../../control/node/twin-request.ts';
import type { Log } from '../../control/ports/log.ts';
import type { Call } from '../../twins/kit/call.ts';
import type { Features } from '../../twins/kit/generative.ts';
import type { HandlerReply, Handlers } from '../../twins/kit/handlers.ts';
import { userEnvironment } from './environment.ts';
import { startNearProxy } from './near-proxy.ts';

/** What a world is made of, as plain data. */
export type RoomOptions = {
  /** Service → the name of a twin that ships, or the URL of a module. */
  readonly twins: { readonly [service: string]: string };
  /** Service → the document of its handlers file. */
  readonly handlers: { readonly [service: string]: object };
  /** Null: a sandbox, which reaches its twins alone. */
  readonly grants: Grants | null;
  /** A trust store for JVMs too, which takes a second to make. */
  readonly java: boolean;
};

export type Grants = {
  readonly egress?: readonly string[];
  readonly writes?: readonly string[];
};

/** Where a world, or a branch of it, is reached. */
export type Place = Reach & {
  /** `<org>/<world>`. */
  readonly name: string;
  /** Of the world's authority. */
  readonly ca: string;
  /** For child processes: what `wrld world run` sets. */
  readonly env: Environment;
};

export type { TwinRequest };

/** Asks the test's functions what they say to a call. */
export type RoomPrompt = {
  /** What the world complains of, a line each. */
  readonly complain: (line: string) => void;
  readonly prompt: (service: string, request: TwinRequest) => Promise<HandlerReply | null>;
};

/** To the world's own endpoints. */
export type Question = {
  readonly method: string;
  /** Begins with `/`. */
  readonly path: string;
  readonly token: string;
  readonly body: unknown;
};

export type RoomAnswer = { readonly status: number; readonly body: unknown };

export type Room = AsyncDisposable & {
  readonly place: Place;
  /** Whether the calls to a service are to be told to `prompt` first: from the next one on. */
  want(service: string, wants: boolean): void;
  ask(question: Question): Promise<RoomAnswer>;
  /** Of a branch that was made; `proxyUrl` names the run whose calls go there. */
  placeOf(name: string, token: string, proxyUrl: string): Promise<Place>;
};

export const WORLD_NAME = 'twin/test';

type Aside = RoomPrompt & {
  /** Asked of each call, so it answers at once. Unless given, what `want` was told. */
  readonly wants?: (service: string) => boolean;
};

/** Rejects with what is wrong, in words, where a twin or its handlers cannot be used. */
export async function openRoom(options: RoomOptions, { prompt, wants, complain }: Aside): Promise<Room> {
  await using opened = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-test-')));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await writeWorld(folder, options);
  const wanted = new Set<string>();
  const isWanted = wants ?? (service => wanted.has(service));
  const control = opened.use(
    await startControl({
      folder,
      host: '127.0.0.1',
      port: 0,
      proxyPort: 0,
      sandbox: options.grants === null,
      log: complainingLog(complain),
      prompt: (vendor, call, features) => (isWanted(vendor) ? answer(vendor, call, features) : null),
      proxy: { start: startNearProxy },
    }),
  );
  const answer = async (
    vendor: string,
    call: Call,
    features: () => Promise<Features | null>,
  ): Promise<HandlerReply | null> => prompt(vendor, twinRequestOf(call, await features()));

  const paths = worldPaths(folder);
  const ca = await readFile(control.caFile, 'utf8');
  const { baseUrl, caFile } = control;
  const placeOf = async (name: string, token: string, proxyUrl: string): Promise<Place> => {
    const reach: Reach = { baseUrl, worldUrl: `${baseUrl}/${name}`, proxyUrl, caFile, token };
    const made = await worldEnvironment(paths, reach, userEnvironment(options));
    if (!made.ok) throw new Error(made.why);
    return { ...reach, name, ca, env: made.set };
  };
  const place = await placeOf(WORLD_NAME, control.token, control.proxyUrl);
  const kept = opened.move();
  return {
    place,
    want: (service, wants) => void (wants ? wanted.add(service) : wanted.delete(service)),
    ask: async ({ method, path, token, body }) => {
      const client = worldClient(baseUrl, token);
      const told =
        method === 'GET'
          ? await client.get(path)
          : await client.send(method as 'PUT', path, body, { patient: true });
      if (!told.ok) throw new Error(`${method} ${path}: ${told.why}`);
      return told;
    },
    placeOf,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function writeWorld(folder: string, { twins, handlers, grants }: RoomOptions): Promise<void> {
  const services = Object.entries(twins).map(([service, module]) => [
    service,
    {
      twin: module.startsWith('file:') ? fileURLToPath(module) : module,
      colocate: { scenarioPath: `${service}.json` },
    },
  ]);
  await mkdir(join(folder, '.wrld'));
  const config = {
    name: WORLD_NAME,
    services: Object.fromEntries(services),
    ...(grants === null ? {} : { runtime: { network: grants } }),
  };
  await writeFile(join(folder, '.wrld', 'world.json'), JSON.stringify(config));
  for (const service of Object.keys(twins)) {
    const document: Handlers = { version: 1, handlers: [], ...handlers[service] };
    await writeFile(join(folder, `${service}.json`), JSON.stringify(document));
  }
}

function complainingLog(complain: (line: string) => void): Log {
  const keep = (fields: object, message: string): void => {
    complain(`${message} ${JSON.stringify(fields)}`);
  };
  const drop = (): void => undefined;
  return { debug: drop, info: drop, warn: keep, error: keep };
}
