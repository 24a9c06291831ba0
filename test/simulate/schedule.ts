// What happens to the worlds of one simulation, step after step, as plain data drawn from a seed: so that it can be
// printed, run again, and made shorter.
import { type Chance, chanceOf } from '../kit/chance.ts';
import type { StoreFault } from './disk.ts';
import { MOODS, type Mood } from './outside.ts';

export type Act =
  /** A request to a note twin; its answer is not waited for. */
  | {
      readonly do: 'ask';
      readonly world: number;
      readonly vendor: string;
      readonly method: string;
      readonly path: string;
      readonly body?: object;
    }
  /** A request to Stripe; `n` says which of what there is. */
  | { readonly do: 'stripe'; readonly world: number; readonly what: StripeAsk; readonly n: number }
  /** From what the clock shows; seconds. */
  | { readonly do: 'set'; readonly world: number; readonly by: number }
  | { readonly do: 'advance'; readonly world: number; readonly by: string }
  /** The machine's clock, by seconds; it may be set back. */
  | { readonly do: 'wall'; readonly by: number }
  /** Alarms come: those whose time it is, one before its time, or one twice. */
  | { readonly do: 'ring'; readonly world: number; readonly how: 'due' | 'early' | 'twice' }
  /** `ago`: a share of the time since the beginning; null leaves at the present instant. */
  | {
      readonly do: 'branch';
      readonly world: number;
      readonly ago: number | null;
      readonly live: boolean;
    }
  | { readonly do: 'mood'; readonly mood: Mood }
  | { readonly do: 'answer'; readonly n: number; readonly mood: Exclude<Mood, 'silent'> }
  /** What has not lasted yet is lost; `after`: that statement fails, in the middle of what it belongs to. */
  | {
      readonly do: 'fault';
      readonly world: number;
      readonly fault: StoreFault;
      readonly after: number | null;
    }
  /** At that statement, counted from now; and how the next process begins. */
  | { readonly do: 'crash'; readonly after: number; readonly policyLate: boolean }
  | { readonly do: 'restart'; readonly policyLate: boolean };

export type StripeAsk = 'customer' | 'intent' | 'subscription' | 'cancel' | 'delete' | 'read';

/** `turns`: of the event loop before the next step; null until nothing moves. `lasts`: then all of it does. */
export type Step = Act & { readonly turns: number | null; readonly lasts: boolean };

export type Kind = 'notes' | 'stripe';
export type Schedule = { readonly seed: number; readonly kind: Kind; readonly steps: readonly Step[] };

export const VENDORS = ['a', 'b'];
const STEPS_MIN = 8;
const STEPS_MAX = 45;
/** Stripe's twin does so much for a request that one of its schedules takes the time of ten others. */
const STRIPE_ONE_IN = 12;
const IDS = ['p', 'q', 'r'];
const HOOKS = ['h', 'k'];
const DAY_SECONDS = 86_400;

export const scheduleOf = (seed: number): Schedule => {
  const chance = chanceOf(seed);
  const kind: Kind = chance.below(STRIPE_ONE_IN) === 0 ? 'stripe' : 'notes';
  const count = STEPS_MIN + chance.below(STEPS_MAX - STEPS_MIN);
  const draw = new Draw(chance, kind);
  return { seed, kind, steps: Array.from({ length: count }, () => draw.step()) };
};

class Draw {
  readonly #chance: Chance;
  readonly #kind: Kind;
  #made = 0;

  constructor(chance: Chance, kind: Kind) {
    this.#chance = chance;
    this.#kind = kind;
  }

  step(): Step {
    const { below } = this.#chance;
    const act = this.#act();
    return { ...act, turns: below(3) === 0 ? null : below(4), lasts: below(3) > 0 };
  }

  #act(): Act {
    const { below, one } = this.#chance;
    const world = below(3);
    const drawn = below(100);
    if (drawn < 52) return this.#ask(world);
    if (drawn < 58) return { do: 'set', world, by: this.#seconds(-30) };
    if (drawn < 66) return { do: 'advance', world, by: `${this.#seconds(0)}s` };
    if (drawn < 72) return { do: 'wall', by: this.#seconds(-20) };
    if (drawn < 78) return { do: 'ring', world, how: one(['due', 'due', 'early', 'twice'] as const) };
    if (drawn < 82)
      return { do: 'branch', world, ago: below(2) === 0 ? null : below(100) / 100, live: below(3) === 0 };
    if (drawn < 86) return { do: 'mood', mood: one(MOODS) };
    if (drawn < 89) return { do: 'answer', n: below(4), mood: one(['takes', 'fails', 'down'] as const) };
    if (drawn < 93)
      return {
        ...{ do: 'fault', world, fault: one(['full', 'io'] as const) },
        after: below(3) === 0 ? null : below(60),
      };
    if (drawn < 97)
      return { do: 'crash', after: below(2) === 0 ? 0 : below(120), policyLate: below(2) === 0 };
    return { do: 'restart', policyLate: below(2) === 0 };
  }

  #seconds(from: number): number {
    const { below } = this.#chance;
    if (this.#kind === 'stripe') return below(40) * DAY_SECONDS + below(60);
    return from + below(90);
  }

  #ask(world: number): Act {
    const { below, one } = this.#chance;
    if (this.#kind === 'stripe')
      return {
        do: 'stripe',
        world,
        what: one(['customer', 'customer', 'intent', 'subscription', 'cancel', 'delete', 'read'] as const),
        n: below(5),
      };
    const vendor = one(VENDORS);
    const n = ++this.#made;
    const drawn = below(24);
    const to = (method: string, path: string, body?: object): Act => ({
      do: 'ask',
      world,
      vendor,
      method,
      path,
      ...(body === undefined ? {} : { body }),
    });
    if (drawn < 9) return to('PUT', `/notes/${one(IDS)}`, { tag: one(['x', 'y']), n });
    if (drawn < 11) return to('POST', '/notes', { n });
    if (drawn < 13) return to('DELETE', `/notes/${one(IDS)}`);
    if (drawn < 15) return to('GET', `/notes/${one(IDS)}`);
    if (drawn < 16) return to('POST', '/throw', {});
    const hook = one(HOOKS);
    const url = `https://app.test/${vendor}/${hook}`;
    if (drawn < 18) return to('PUT', `/hooks/${hook}`, { url, secret: 'whsec_x' });
    if (drawn < 19) return to('DELETE', `/hooks/${hook}`);
    if (drawn < 20) return to('PUT', `/files/${one(IDS)}`, { n: n % 3 });
    if (drawn < 21) return to('POST', `/once/o${n % 4}`, { seconds: below(60) });
    const due = { in: below(60), times: 1 + below(3), every: 1 + below(30) };
    return to('POST', `/due/d${n}`, due);
  }
}
