// A world as a test has it: its clients' way in, what happened in it, and what is answered in its twins' place.
import type { Agent } from 'node:https';
import type { Environment } from '../../cli/environment.ts';
import { type Answer, Answers } from './answers.ts';
import {
  type Dispatcher,
  dispatcherLike,
  GLOBAL_DISPATCHERS,
  globalDispatcher,
  globalDispatchersMade,
} from './dispatchers.ts';
import { install, runWithin, type Way } from './install.ts';
import { proxiedFetch } from './proxied-fetch.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import type { Place, Room } from './room.ts';
import { type View, viewOf } from './view.ts';
import { connectorOf, WorldAgent } from './world-agent.ts';

/** A world, or a branch of one. */
export type Reachable = Omit<View, 'ask'> & {
  /** `<org>/<world>`. */
  readonly name: string;
  /** Under it, `/<service>/…` is a twin. */
  readonly url: string;
  /** Opens everything: `x-wrld-token` at the world's endpoints, `x-twins-key` at its twins. */
  readonly token: string;
  /** For what takes a proxy and a certificate of its own: a browser, an HTTP client's settings. */
  readonly proxyUrl: string;
  readonly caFile: string;
  /** What puts a child process into the world, beside what its environment has anyhow. */
  readonly env: Environment;
  /** To the vendors' own hosts, as an app has it; a refusal is its 502. */
  readonly fetch: typeof fetch;
  /** For an SDK that takes an agent. */
  readonly agent: Agent;
  /** By the protocol of the URL: `http:` and `https:`. */
  readonly agents: { readonly [protocol: string]: Agent };
  /** Sends this process's fetch, http, https and undici through the world, until it is disposed of. */
  install(): Disposable;
  /** As `install`, for what `work` does and all that comes of it. */
  run<T>(work: () => T): T;
  /** As it is now, on its own from here on. Its answers are the world's. */
  branch(): Promise<Branch>;
  close(): Promise<void>;
};

export type Branch = Reachable & AsyncDisposable;

export type World = Reachable &
  AsyncDisposable & {
    /** Back to how it was after `seed`: its twins, clock, counts, answers. What it has of branches goes. */
    reset(): Promise<void>;
    /** Answers a twin's calls by a function, until the next reset; the newest function is asked first. */
    on(service: string, answer: Answer): Disposable;
    /** What it is now is what `reset` comes back to from now on. */
    keep(): Promise<void>;
    /** A receiver of webhooks on this machine, closed with the world. */
    receiver(): Promise<Receiver>;
    /** What the world and the functions of `on` complained of since the last reset, a line each. */
    readonly complaints: readonly string[];
  };

/** Before somebody replaces it: `msw` and the like do. */
const ownFetch = globalThis.fetch;

export type WorldParts = {
  readonly room: Room;
  readonly services: readonly string[];
  readonly answers: Answers;
  readonly complaints: string[];
};

/** `kept`: of the room; the world closes it. */
export async function worldIn(parts: WorldParts, kept: AsyncDisposableStack): Promise<World> {
  const { room, answers, complaints } = parts;
  const branches = new Set<Branch>();
  const reachable = await reachableAt(room.place, parts, branches, kept);
  const { ask } = viewOf(room, room.place, []);
  return {
    ...reachable,
    complaints,
    on: (service, answer) => answers.add(service, answer),
    keep: async () => {
      answers.keep();
      await ask('PUT', 'savepoint');
    },
    reset: async () => {
      answers.reset();
      complaints.length = 0;
      for (const branch of branches) await branch.close();
      branches.clear();
      await ask('POST', 'reset', { to: { savepoint: true } });
    },
    receiver: async () => {
      const made = await openReceiver();
      kept.use(made);
      return made;
    },
    [Symbol.asyncDispose]: reachable.close,
  };
}

async function reachableAt(
  place: Place,
  parts: WorldParts,
  branches: Set<Branch>,
  opened: AsyncDisposableStack,
): Promise<Reachable> {
  const { room, services } = parts;
  await globalDispatchersMade(ownFetch);
  const way = opened.use(wayInto(place));
  const { ask, ...view } = viewOf(room, place, services);
  const plain = proxiedFetch(way.agents);
  let closing: Promise<void> | null = null;
  const own = new Set<Branch>();
  return {
    ...view,
    name: place.name,
    url: place.worldUrl,
    token: place.token,
    proxyUrl: place.proxyUrl,
    caFile: place.caFile,
    env: place.env,
    fetch: (input, init) => {
      const dispatcher = way.dispatcher(GLOBAL_DISPATCHERS[0]!) ?? way.dispatcher(GLOBAL_DISPATCHERS[1]!);
      // Undici's, which the types of `fetch` do not name.
      const by = { ...init, dispatcher } as RequestInit;
      return dispatcher === null ? plain.fetch(input, init) : ownFetch(input, by);
    },
    agent: way.agents['https:'],
    agents: way.agents,
    install: () => install(way),
    run: work => runWithin(way, work),
    branch: async () => {
      const branch = await openBranch(place, parts, ask);
      for (const set of [branches, own]) set.add(branch);
      return { ...branch, ...forgetting(branch, [branches, own]) };
    },
    close: () =>
      (closing ??= (async () => {
        for (const branch of own) await branch.close();
        await opened.disposeAsync();
      })()),
  };
}

function forgetting(
  branch: Branch,
  sets: readonly Set<Branch>[],
): Pick<Branch, 'close' | typeof Symbol.asyncDispose> {
  const close = async (): Promise<void> => {
    for (const set of sets) set.delete(branch);
    await branch.close();
  };
  return { close, [Symbol.asyncDispose]: close };
}

async function openBranch(parent: Place, parts: WorldParts, ask: View['ask']): Promise<Branch> {
  const made = (await ask('POST', 'branches', {})) as { readonly name: string; readonly token: string };
  await using opened = new AsyncDisposableStack();
  opened.defer(async () => void (await ask('DELETE', `branches/${made.name}`)));
  const { ask: askBranch } = viewOf(parts.room, made, []);
  const run = (await askBranch('POST', 'runs', {})) as { readonly name: string; readonly secret: string };
  const proxy = new URL(parent.proxyUrl);
  proxy.username = run.name;
  proxy.password = run.secret;
  const place = await parts.room.placeOf(made.name, made.token, proxy.href.replace(/\/$/, ''));
  opened.defer(async () => void (await askBranch('DELETE', `runs/${run.name}`)));
  const reachable = await reachableAt(place, parts, new Set(), opened.move());
  return { ...reachable, [Symbol.asyncDispose]: reachable.close };
}

type WorldWay = Way &
  AsyncDisposable & { readonly agents: { readonly 'https:': WorldAgent; readonly 'http:': WorldAgent } };

function wayInto(place: Place): WorldWay {
  const agents = {
    'https:': new WorldAgent(place, { secure: true }),
    'http:': new WorldAgent(place, { secure: false }),
  };
  const dispatchers = new Map<symbol, Dispatcher | null>();
  return {
    agents,
    dispatcher: symbol => {
      const known = dispatchers.get(symbol);
      if (known !== undefined) return known;
      const made = dispatcherLike(globalDispatcher(symbol), connectorOf(place));
      dispatchers.set(symbol, made);
      return made;
    },
    [Symbol.asyncDispose]: async () => {
      for (const agent of Object.values(agents)) agent.destroy();
      for (const dispatcher of dispatchers.values()) await dispatcher?.destroy();
    },
  };
}

export function answersFor(
  services: readonly string[],
  complaints: string[],
  want: (service: string, wants: boolean) => void,
): Answers {
  return new Answers({ services, onChange: want, onFault: line => complaints.push(line) });
}
