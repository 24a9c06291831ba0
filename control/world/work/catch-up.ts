// Lets what has fallen due happen before anybody sees a twin at a later instant, and lets nobody wait long for it: a
// request does no more of it than a small turn; the rest is done beside the requests, in turns of its own, while whoever
// asks a twin is told to come back. The store has the progress: after a restart it goes on where it was.
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Durability } from '../../ports/durability.ts';
import type { Processor } from '../../ports/processor.ts';
import {
  CATCH_UP_GRACE_EVENTS_MAX,
  CATCH_UP_GRACE_MS_MAX,
  CATCH_UP_GUARD_MS,
  DUE_MS_PER_TURN_MAX,
  OTHERS_MS_PER_SHARED_DUE_MS,
  SHARED_DUE_MS_PER_TURN_MAX,
  WAKE_AGAIN_MS,
  WAKE_MS_MAX,
  WAKE_MS_MIN,
} from '../limits.ts';
import type { Newsroom } from '../log/news.ts';
import { storeLoss } from '../store/fault.ts';
import { formatInstant } from '../store/instant.ts';
import { turn } from '../store/turn.ts';
import { DueEvents, type DueEventsParts } from './due-events.ts';
import type { CatchUpProgress } from './world-clock.ts';

type Parts = DueEventsParts & {
  readonly durability: Pick<Durability, 'resting'>;
  readonly processor?: Processor;
  readonly wall: WallClock;
  readonly alarms: Alarms;
  readonly news: Newsroom;
  /** Of the world: aborted when it closes. */
  readonly lifetime: AbortSignal;
};

type Run = {
  /** Rejects when the store fails. */
  readonly whole: Promise<void>;
  /** Resolves when it has taken too long for who asks a twin to wait for it; never, where it does not. */
  readonly late: Promise<void>;
  isLate: boolean;
  /** Events before it. */
  readonly from: number;
};

/**
 * What follows a turn that took so long, where others ran for so long after it: they wait for each of these turns several
 * times, so it is shorter and they have the loop longer. What is committed in between takes less. Milliseconds.
 */
export const nextTurn = (took: number, others: number): { readonly room: number; readonly rest: number } =>
  others > DUE_MS_PER_TURN_MAX / 2
    ? { room: SHARED_DUE_MS_PER_TURN_MAX, rest: Math.max(restAfter(took) - others, 0) }
    : { room: DUE_MS_PER_TURN_MAX, rest: 0 };

/** One that waited for its disk took longer than it was let; that is no reason to wait as many times as long again. */
const restAfter = (took: number): number => Math.min(took, DUE_MS_PER_TURN_MAX) * OTHERS_MS_PER_SHARED_DUE_MS;

export class CatchUp {
  readonly #parts: Parts;
  readonly #events: DueEvents;
  #run: Run | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#events = new DueEvents(parts);
    parts.due.follow(() => this.arm());
    parts.alarms.onWake(() => this.#wake());
    parts.lifetime.addEventListener('abort', () => parts.alarms.set(null));
  }

  /** True when nothing is due, or so little that it has happened now. */
  atOnce(): boolean {
    return this.#run === null && this.#events.turn();
  }

  /** True when nothing is due any more; false when that takes longer than a request waits. */
  async soon(): Promise<boolean> {
    const { whole, late, isLate } = this.#begun();
    return isLate ? false : Promise.race([whole.then(() => true), late.then(() => false)]);
  }

  /** Resolves when nothing is due any more, however long that takes, or when the world closes. */
  async all(): Promise<void> {
    await this.#begun().whole;
  }

  /** Whether what was at an instant is known for good: `soon`, where that instant has not been reached yet. */
  async reaches(at: Instant): Promise<boolean> {
    await this.#parts.hydration?.due();
    const next = this.#parts.due.first();
    return next === undefined || at < next.at || this.#isThere() || (await this.soon());
  }

  /** Null when the world has arrived at its clock. */
  progress(): CatchUpProgress | null {
    const { due, clock } = this.#parts;
    if (this.#isThere()) return null;
    const done = this.#run === null ? 0 : this.#events.happened - this.#run.from;
    return { done, left: due.left(clock.now()), at: formatInstant(clock.stamp()) };
  }

  /**
   * A world on the wall clock has webhooks to retry and renewals to make while nobody asks it anything: wakes it when
   * the next event falls due. A frozen clock never arrives there by itself.
   */
  arm(): void {
    this.#setAlarm(() => this.#armForNext());
  }

  #setAlarm(set: () => void): void {
    const { wall, alarms, processLog } = this.#parts;
    try {
      set();
    } catch (error) {
      // Nobody asked for it who could be told, and what was done before it stands.
      processLog.error(
        { fault: storeLoss(error).fault },
        'the world could not see what falls due; it looks again',
      );
      alarms.set(wall.now() + WAKE_AGAIN_MS);
    }
  }

  #armForNext(): void {
    const { clock, due, wall, alarms, lifetime } = this.#parts;
    // The run keeps the alarm until it ends.
    if (this.#run !== null) return;
    const next = lifetime.aborted || clock.frozen ? undefined : due.first();
    if (next === undefined) return alarms.set(null);
    alarms.set(wall.now() + Math.min(Math.max(next.at - clock.now(), WAKE_MS_MIN), WAKE_MS_MAX));
  }

  /** When the world opens, and when its disk lost something: what was not brought to an end goes on, whoever asks. */
  resume(): void {
    this.#setAlarm(() => {
      const { clock, wall, alarms } = this.#parts;
      if (this.#run === null && clock.frozen && !this.#isThere()) alarms.set(wall.now() + WAKE_MS_MIN);
      else this.#armForNext();
    });
  }

  /** After the world's lifetime: resolves when nothing of it is under way any more. */
  async close(): Promise<void> {
    await this.#run?.whole.catch(() => {});
  }

  #isThere(): boolean {
    const { due, clock } = this.#parts;
    const next = due.first();
    return next === undefined || next.at > clock.now();
  }

  #wake(): void {
    if (this.#run === null) this.#begun();
    else this.#guard();
  }

  /** A host may end a world that only works by itself (a Durable Object does); its alarm takes it up again. */
  #guard(): void {
    const { wall, alarms, lifetime } = this.#parts;
    if (!lifetime.aborted) alarms.set(wall.now() + CATCH_UP_GUARD_MS);
  }

  #begun(): Run {
    if (this.#run !== null) return this.#run;
    const from = this.#events.happened;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const tooLong = (): void => {
      if (this.#run !== null) this.#run.isLate = true;
      resolve();
    };
    const whole = this.#work(from, tooLong).then(
      () => this.#ended(),
      (error: unknown) => {
        this.#run = null;
        this.#guard();
        this.#parts.processLog.error({ fault: storeLoss(error).fault }, 'the world could not catch up');
        throw error;
      },
    );
    // Whoever waits is told; the alarm takes it up again.
    whole.catch(() => {});
    const run = { whole, late, isLate: false, from };
    this.#run = run;
    this.#guard();
    return run;
  }

  async #work(from: number, tooLong: () => void): Promise<void> {
    const { hydration, durability, processor, lifetime } = this.#parts;
    const until = performance.now() + CATCH_UP_GRACE_MS_MAX;
    await hydration?.due();
    let room: number = DUE_MS_PER_TURN_MAX;
    for (;;) {
      await durability.resting();
      const began = performance.now();
      if (lifetime.aborted || this.#events.turn(room)) return;
      const done = this.#events.happened - from;
      if (done >= CATCH_UP_GRACE_EVENTS_MAX || performance.now() > until) tooLong();
      if (await this.#events.obstacle()) continue;
      const took = performance.now() - began;
      const spent = processor?.spent() ?? 0;
      await turn();
      const next = nextTurn(took, (processor?.spent() ?? 0) - spent);
      room = next.room;
      if (next.rest > 0) await turn(next.rest);
    }
  }

  #ended(): void {
    const { news, lifetime } = this.#parts;
    const wasLate = this.#run?.isLate === true;
    this.#run = null;
    this.arm();
    // Whoever was told that it is under way hears that it has ended.
    if (wasLate && !lifetime.aborted) news.tell({ kind: 'clock' });
  }
}
