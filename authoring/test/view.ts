// A world, or a branch of one, as a test looks at it and moves it: over its endpoints, whatever thread it runs in.
import type { SeenCall, SeenRefusal } from '../../control/http/surroundings.ts';
import type { Entry } from '../../control/world/log/entry.ts';
import type { RefusalRecord } from '../../policy/refusal.ts';
import { TIMELINE_PAGE } from './limits.ts';
import type { Place, Room } from './room.ts';

export type { Entry } from '../../control/world/log/entry.ts';

export type TwinView = {
  /** Oldest first. */
  log(): Promise<readonly Entry[]>;
  /** `GET /twin/scenario`: handlers, how often each matched, what nothing answered. */
  scenario(): Promise<ScenarioSeen>;
};

export type ScenarioSeen = {
  readonly handlers: readonly { readonly id: string; readonly matched: number }[];
  readonly unmatched: readonly { readonly method: string; readonly path: string }[];
  readonly unmatchedTotal: number;
};

export type WorldClock = {
  now(): Promise<Date>;
  /** Stops it at an instant, which is none before the newest entry. */
  set(at: Date | string): Promise<void>;
  /** Moves it on (`90s`, `4h`, `31d`) and lets happen what is due until then. Stops it, if it ran. */
  advance(by: string): Promise<void>;
};

/** What a client was refused, and when. */
export type Refused = RefusalRecord & Pick<SeenRefusal, 'at' | 'run'>;

/** A step of what happened, newest last. */
export type TimelineRow = { readonly twin: string; readonly position: number; readonly entry: Entry };

export type View = {
  readonly clock: WorldClock;
  twin(service: string): TwinView;
  /** Calls to the twins since the last reset, oldest first. */
  requests(): Promise<readonly SeenCall[]>;
  /** Refusals since the last reset, oldest first. */
  refusals(): Promise<readonly Refused[]>;
  /** The newest entries of all logs, oldest first. */
  timeline(): Promise<readonly TimelineRow[]>;
  /** An endpoint of the world's (`clock`); rejects with what it says. */
  ask(method: string, path: string, body?: object): Promise<unknown>;
};

/** `services`: those it has twins of. */
export function viewOf(
  room: Pick<Room, 'ask'>,
  { name, token }: Pick<Place, 'name' | 'token'>,
  services: readonly string[],
): View {
  const asked = async (method: string, path: string, body?: object): Promise<unknown> => {
    const { status, body: told } = await room.ask({ method, path, token, body });
    if (status >= 200 && status < 300) return told;
    const message = (told as { readonly error?: { readonly message?: string } } | null)?.error?.message;
    throw new Error(`${method} ${path}: ${message ?? status}`);
  };
  const ask: View['ask'] = (method, path, body) => asked(method, `/-/${name}/${path}`, body);
  const clock: WorldClock = {
    now: async () => new Date(((await ask('GET', 'clock')) as { readonly at: string }).at),
    set: async at => void (await ask('PUT', 'clock', { at: new Date(at).toISOString() })),
    advance: async by => {
      const { at, frozen } = (await ask('GET', 'clock')) as { readonly at: string; readonly frozen: boolean };
      if (!frozen) await ask('PUT', 'clock', { at });
      await ask('POST', 'clock/advance', { by });
    },
  };
  return {
    ask,
    clock,
    twin: service => {
      hold(services, service);
      return {
        log: async () => {
          const entries: Entry[] = [];
          for (let after = 0; ; after = entries.at(-1)!.position) {
            const page = (await ask('GET', `log/${service}?after=${after}`)) as {
              readonly entries: readonly Entry[];
            };
            if (page.entries.length === 0) return entries;
            entries.push(...page.entries);
          }
        },
        scenario: async () => (await asked('GET', `/${name}/${service}/twin/scenario`)) as ScenarioSeen,
      };
    },
    requests: async () => ((await ask('GET', 'calls')) as { readonly calls: readonly SeenCall[] }).calls,
    refusals: async () => {
      const { refusals } = (await ask('GET', 'refusals')) as { readonly refusals: readonly SeenRefusal[] };
      return refusals.map(({ at, run, record }) => ({ ...record, at, run })).reverse();
    },
    timeline: async () => {
      const page = (await ask('GET', `timeline?limit=${TIMELINE_PAGE}`)) as {
        readonly entries: readonly TimelineRow[];
      };
      return [...page.entries].reverse();
    },
  };
}

/** Throws, in words, for a service that the world has not. */
export function hold(services: readonly string[], service: string): void {
  if (services.includes(service)) return;
  const there = services.length === 0 ? 'it has none' : `it has ${services.join(', ')}`;
  throw new Error(`This world has no twin “${service}”; ${there}.`);
}
