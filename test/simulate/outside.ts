// Where the webhooks of simulated worlds go. How it answers changes by the schedule: at once, with an error, not at all;
// and it remembers what it took.
import type { Outbound } from '../../control/ports/outbound.ts';
import { type Receipt, receiver, type Webhook } from '../kit/receiver.ts';
import type { Life } from './life.ts';
import type { Time } from './time.ts';

export const MOODS = ['takes', 'fails', 'down', 'refused', 'silent'] as const;
export type Mood = (typeof MOODS)[number];

/** Something that was sent, and was answered or is not yet. */
type Pending = {
  readonly world: string;
  readonly request: Webhook;
  readonly life: Life;
  readonly late: number;
  readonly answer: (receipt: Receipt) => void;
};

const RECEIPTS: { readonly [mood in Exclude<Mood, 'silent'>]: Receipt } = {
  takes: { ok: true, status: 200, ms: 3 },
  fails: { ok: true, status: 500, ms: 3 },
  down: { ok: false, refused: false, sent: false, why: 'connection refused', ms: 1 },
  refused: { ok: false, refused: true, sent: false, why: 'ungranted: no grant names this host', ms: 0 },
};
const UNREADABLE: Receipt = {
  ok: false,
  refused: true,
  sent: false,
  why: 'policy-unreadable: not read yet',
  ms: 0,
};
const NO_ANSWER: Receipt = { ok: false, refused: false, sent: true, why: 'no answer', ms: 20_000 };

export class Outside {
  mood: Mood = 'takes';
  #policyRead = true;
  #inForce = Promise.withResolvers<void>();
  /** Deliveries that were accepted, by what is the same in each attempt. */
  readonly taken = new Map<string, number>();
  /** Called when something is sent, before it is answered. */
  onSend: (world: string, request: Webhook) => void = () => {};
  readonly #time: Time;
  #pending: Pending[] = [];
  #sent = 0;

  constructor(time: Time) {
    this.#time = time;
  }

  /** Of one process and one world. */
  outbound(life: Life, world: string): Outbound {
    const sends = receiver(request => {
      if (!life.alive) return new Promise(() => {});
      this.#sent += 1;
      this.onSend(world, request);
      if (!this.#policyRead) return UNREADABLE;
      if (this.mood !== 'silent') return this.#receipt(world, request, this.mood);
      const late = this.#time.elapsed + request.timeoutMs;
      return new Promise(answer => void this.#pending.push({ world, request, life, late, answer }));
    });
    return Object.assign(sends, { ready: () => (this.#policyRead ? null : this.#inForce.promise) });
  }

  /** The host starts and has not read its policy yet: until it has, whatever is sent is refused. */
  policyUnread(): void {
    if (this.#policyRead) this.#inForce = Promise.withResolvers<void>();
    this.#policyRead = false;
  }

  policyRead(): void {
    this.#policyRead = true;
    this.#inForce.resolve();
  }

  get activity(): number {
    return this.#sent;
  }

  get waiting(): number {
    return this.#pending.length;
  }

  /** An answer at last; `n`: of those that wait. */
  answer(n: number, mood: Exclude<Mood, 'silent'>): void {
    const [pending] = this.#pending.splice(n % Math.max(this.#pending.length, 1), 1);
    if (pending === undefined) return;
    const receipt = this.#receipt(pending.world, pending.request, mood);
    if (pending.life.alive) pending.answer(receipt);
  }

  /** Time has passed: who waited as long as he wanted to waits no more. */
  passed(): void {
    const late = this.#pending.filter(each => each.late <= this.#time.elapsed);
    this.#pending = this.#pending.filter(each => each.late > this.#time.elapsed);
    for (const { life, answer } of late) if (life.alive) answer(NO_ANSWER);
  }

  #receipt(world: string, request: Webhook, mood: Exclude<Mood, 'silent'>): Receipt {
    if (mood === 'takes') {
      const key = sameIn(world, request);
      this.taken.set(key, (this.taken.get(key) ?? 0) + 1);
    }
    return RECEIPTS[mood];
  }
}

/** What two attempts at one webhook have in common. */
export const sameIn = (
  world: string,
  { url, body }: { readonly url: string; readonly body: string },
): string => `${world} ${url} ${body}`;
