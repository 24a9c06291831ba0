// `openWorld`: a whole world around a test, in a thread of its own beside it: real proxy, real TLS, real store, in a folder
// that is gone afterwards.
import type { Grants, Room, RoomOptions, RoomPrompt } from './room.ts';
import { openThreadRoom } from './thread-room.ts';
import { answersFor, type World, worldIn } from './world.ts';

export type OpenWorldOptions = {
  /** Names of twins that ship (`['stripe', 'openai']`), or service → such a name or the URL of a module of your own. */
  readonly twins: readonly string[] | { readonly [service: string]: URL | string };
  /** Service → the document of its handlers file. */
  readonly handlers?: { readonly [service: string]: object };
  /** What it reaches besides, as `runtime.network` has it; nothing unless given. */
  readonly grants?: Grants;
  /** The instant that its clock stands at; it runs with the wall's unless given. */
  readonly clock?: Date | string;
  /** Fills it once, with this process's clients in the world (`run`); `reset` comes back to what it leaves. */
  readonly seed?: (world: World) => unknown;
  /** `env` is for JVMs too, which takes a second more. */
  readonly java?: boolean;
};

/** Rejects with what is wrong, in words, where a twin or its handlers cannot be used. */
export function openWorld(options: OpenWorldOptions): Promise<World> {
  return openWorldIn(openThreadRoom, options);
}

export async function openWorldIn(
  openRoom: (options: RoomOptions, prompt: RoomPrompt) => Promise<Room>,
  { twins, handlers = {}, grants, clock, seed, java = false }: OpenWorldOptions,
): Promise<World> {
  const modules = servicesOf(twins);
  const services = Object.keys(modules);
  const complaints: string[] = [];
  await using opened = new AsyncDisposableStack();
  const answers = answersFor(services, complaints, (service, wants) => room.want(service, wants));
  const room = opened.use(
    await openRoom(
      { twins: modules, handlers, grants: grants ?? null, java },
      {
        prompt: (service, request) => answers.prompt(service, request),
        complain: line => complaints.push(line),
      },
    ),
  );
  const kept = opened.move();
  const world = await worldIn({ room, services, answers, complaints }, kept);
  try {
    if (clock !== undefined) await world.clock.set(clock);
    // By whatever client, what it writes goes nowhere else.
    if (seed !== undefined) await world.run(async () => seed(world));
    await world.keep();
  } catch (error) {
    await world.close();
    throw error;
  }
  return world;
}

function servicesOf(twins: OpenWorldOptions['twins']): { readonly [service: string]: string } {
  const entries = Array.isArray(twins) ? twins.map(name => [name, name] as const) : Object.entries(twins);
  return Object.fromEntries(entries.map(([service, module]) => [service, String(module)]));
}
