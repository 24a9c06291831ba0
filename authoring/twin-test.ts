// `wrld/twin-test`: a whole world around a twin, for its tests: real proxy, real TLS, real store, in a folder that is gone
// afterwards. It is one of `wrld/test` in this thread, where a debugger and a coverage tool see the twin; nothing leaves it
// but what goes to this machine's own loopback (webhooks).
import type { Agent } from 'node:https';
import { openWorldIn } from './test/open-world.ts';
import { proxiedFetch } from './test/proxied-fetch.ts';
import type { Receiver } from './test/receiver.ts';
import { openRoom } from './test/room.ts';
import type { Entry, ScenarioSeen } from './test/view.ts';

export type { Received, Receiver } from './test/receiver.ts';
export type { Entry, ScenarioSeen } from './test/view.ts';

export type TwinWorldOptions = {
  /** Service → its module (`new URL('./acme.ts', import.meta.url)`, a package) or the name of a twin that ships. */
  readonly twins: { readonly [service: string]: URL | string };
  /** Service → the document of its handlers file. */
  readonly handlers?: { readonly [service: string]: object };
  /** The instant that the world's clock stands at; it runs with the wall's unless given. */
  readonly at?: string;
};

export type TwinWorld = AsyncDisposable & {
  /** As the app's: to the vendor's own hosts, through the world's proxy. */
  readonly fetch: typeof fetch;
  /** For an SDK that takes an agent instead of a fetch. */
  readonly agent: Agent;
  /** `<baseUrl>/<org>/<world>`: under it `/<service>/…` is a twin. */
  readonly worldUrl: string;
  /** Opens everything of this world: `x-wrld-token` at its endpoints, `x-twins-key` at its twins. */
  readonly token: string;
  /** What the world complained of so far, a line each; a twin that failed is told of here. */
  readonly complaints: readonly string[];
  /** The twin's log, oldest first. */
  log(service: string): Promise<readonly Entry[]>;
  /** `GET /twin/scenario` (handlers, how often each matched, what nothing answered). */
  scenario(service: string): Promise<ScenarioSeen>;
  /** Moves the clock on (`90s`, `4h`, `31d`) and lets happen what is due until then. Stops the clock, if it ran. */
  advance(by: string): Promise<void>;
  /** A receiver of webhooks on this machine. */
  receiver(): Promise<Receiver>;
};

/** Rejects with what is wrong, in words, where a twin or its handlers cannot be used. */
export async function openTwinWorld({ twins, handlers, at }: TwinWorldOptions): Promise<TwinWorld> {
  const world = await openWorldIn(openRoom, {
    twins,
    ...(handlers && { handlers }),
    ...(at !== undefined && { clock: at }),
  });
  const { agents, url, token, complaints, clock } = world;
  return {
    fetch: proxiedFetch(agents).fetch,
    agent: world.agent,
    worldUrl: url,
    token,
    complaints,
    log: service => world.twin(service).log(),
    scenario: service => world.twin(service).scenario(),
    advance: by => clock.advance(by),
    receiver: () => world.receiver(),
    [Symbol.asyncDispose]: () => world.close(),
  };
}
