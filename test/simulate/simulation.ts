// Runs one schedule from its first step to its end, and holds the worlds to what must be true of them after each.

import type { TwinInWorld } from '../../control/world/twins/twin-in-world.ts';
import { mountTwin } from '../../twins/kit/mount.ts';
import { stripeTwin } from '../../twins/stripe/twin.ts';
import { noteTwin } from '../kit/note-twin.ts';
import { Calls } from './calls.ts';
import { startStopwatch } from './chosen-time.ts';
import { ClockWitness } from './clock-witness.ts';
import { checkWhole } from './end.ts';
import { ProcessGone } from './life.ts';
import { LogWitness } from './log-witness.ts';
import { type Logged, Machine, type Served } from './machine.ts';
import { Outside } from './outside.ts';
import { type Act, type Kind, type Schedule, type Step, VENDORS } from './schedule.ts';
import { StripeClient } from './stripe-client.ts';
import { Time } from './time.ts';
import { Violation } from './violation.ts';
import { WebhookWitness } from './webhook-witness.ts';

const SECOND_MS = 1000;
/** World milliseconds before each retry of a note's webhook. */
const NOTE_RETRIES = [5 * SECOND_MS, 60 * SECOND_MS, 600 * SECOND_MS];
/** Stripe makes the first attempt and nine others in three days. */
const STRIPE_ATTEMPTS = 10;
/** At the end: how often and how far time goes on until nothing may wait any more. */
const ROUNDS_MAX = 12;
const ROUND_SECONDS: { readonly [kind in Kind]: number } = { notes: 3_600, stripe: 86_400 };

const TWINS: { readonly [kind in Kind]: () => readonly TwinInWorld[] } = {
  notes: () =>
    VENDORS.map(id => ({ id, twin: noteTwin({ vendor: id, retries: NOTE_RETRIES }), package: null })),
  stripe: () => [{ id: 'stripe', twin: mountTwin(stripeTwin, null), package: null }],
};

/** Errors that the process log may tell of, up to the reason behind the colon: what a schedule asks for and what a disk does. */
const EXPECTED_ERRORS = new Set([
  'a twin failed; nothing was changed',
  'the store failed; nothing was changed',
  'the world could not catch up',
  'the world could not see what falls due; it looks again',
  'the world could not see where its real vendors are; it looks again',
  'the world could not see what to refresh; it looks again',
  'a webhook could not be handled',
  'a webhook could not be handled; it is tried again',
  'a webhook could not be signed',
  'webhooks could not be read; they are sent later',
  'the branch could not read its parent',
  'the journal of requests lost lines',
]);

export class Simulation {
  readonly #schedule: Schedule;
  readonly #time = new Time();
  readonly #outside = new Outside(this.#time);
  readonly #calls = new Calls(error => this.#fail(error));
  readonly #webhooks: WebhookWitness;
  readonly #log: LogWitness;
  readonly #clock = new ClockWitness();
  readonly #machine: Machine;
  readonly #stripe: StripeClient;
  #failure: unknown = null;
  /** What was lost by the time the worlds were last looked at. */
  #losses = 0;
  #policyLate = false;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    const { kind, seed } = schedule;
    this.#webhooks = new WebhookWitness(
      this.#outside,
      kind === 'stripe' ? STRIPE_ATTEMPTS : NOTE_RETRIES.length + 1,
    );
    this.#log = new LogWitness((served, twin, row, state) => {
      if (kind === 'notes') this.#webhooks.caused(served, twin, row, state);
    });
    this.#machine = new Machine({
      ...{ seed, time: this.#time, outside: this.#outside, twins: TWINS[kind] },
      onCrash: () => this.#calls.crashed(),
      onLog: logged => this.#logged(logged),
    });
    this.#stripe = new StripeClient(this.#calls);
    this.#outside.onSend = (world, request) => {
      const served = this.#machine.served.find(({ name }) => name === world);
      if (served !== undefined) this.#guarded(() => this.#webhooks.sent(served, request));
    };
  }

  /** Throws what does not hold. */
  async run(): Promise<void> {
    const { seed, kind, steps } = this.#schedule;
    startStopwatch(seed);
    // What still runs of a process that is gone is nobody's.
    const stray = (error: unknown): void => (error instanceof ProcessGone ? undefined : this.#fail(error));
    process.on('unhandledRejection', stray);
    process.on('uncaughtException', stray);
    try {
      await this.#machine.start();
      if (kind === 'stripe') await this.#stripe.open(this.#machine);
      for (const step of steps) await this.#step(step);
      await this.#end();
    } finally {
      this.#machine.life.close();
      // What still runs of the processes that are gone ends here, and not beside the next schedule.
      await this.#machine.turns(5);
      this.#machine.close();
      process.off('unhandledRejection', stray);
      process.off('uncaughtException', stray);
    }
    this.#mustHold();
  }

  async #step(step: Step): Promise<void> {
    await this.#living();
    await this.#act(step);
    if (step.turns === null) await this.#machine.quiet();
    else await this.#machine.turns(step.turns);
    if (step.lasts) this.#machine.lasts();
    this.#outside.policyRead();
    await this.#living();
    this.#look(step.turns === null);
  }

  /** A process that is gone is started again; it may crash while it starts. */
  async #living(): Promise<void> {
    while (!this.#machine.life.alive) {
      if (this.#policyLate) this.#outside.policyUnread();
      this.#policyLate = false;
      await this.#machine.start();
      await this.#machine.turns(2);
      this.#outside.policyRead();
    }
  }

  async #act(act: Act): Promise<void> {
    const served = 'world' in act ? this.#machine.pick(act.world) : undefined;
    switch (act.do) {
      case 'mood':
        this.#outside.mood = act.mood;
        return;
      case 'answer':
        return this.#outside.answer(act.n, act.mood);
      case 'wall':
        this.#time.move(act.by * SECOND_MS);
        return this.#outside.passed();
      case 'crash':
        this.#policyLate = act.policyLate;
        if (act.after === 0) return this.#machine.life.crash();
        return this.#machine.life.crashAfter(act.after);
      case 'restart':
        this.#policyLate = act.policyLate;
        return this.#stop();
      default:
        if (served !== undefined) await this.#inWorld(served, act);
    }
  }

  /** A clean end: whoever asked is answered. */
  async #stop(): Promise<void> {
    await this.#machine.stop();
    const { open } = this.#calls;
    if (open.length > 0) throw new Violation(`not answered when the world closed: ${open.join()}`);
  }

  async #inWorld(served: Served, act: Extract<Act, { readonly world: number }>): Promise<void> {
    switch (act.do) {
      case 'ask':
        return this.#ask(served, act);
      case 'stripe':
        return this.#stripe.ask(served, act, this.#machine.life);
      case 'set':
        return this.#clock.move(served, this.#machine.life, world =>
          world.setClock(new Date(this.#clock.now(served, this.#time) + act.by * SECOND_MS).toISOString()),
        );
      case 'advance':
        return this.#clock.move(served, this.#machine.life, world => world.advanceClock(act.by));
      case 'ring': {
        const { alarm } = served;
        if (act.how === 'due') return this.#ringDue();
        alarm.ring();
        if (act.how === 'twice') alarm.ringAgain();
        return;
      }
      case 'branch': {
        const now = this.#clock.now(served, this.#time);
        const at = act.ago === null ? null : new Date(now - act.ago * 120 * SECOND_MS).toISOString();
        await this.#machine.branch(served, at, act.live && at === null);
        return;
      }
      case 'fault':
        if (act.after === null) lose(served);
        else served.store.failAfter(act.after, act.fault);
    }
  }

  #ask(served: Served, { vendor, method, path, body }: Extract<Act, { readonly do: 'ask' }>): void {
    const { life } = this.#machine;
    const due = path.startsWith('/due/') ? (body as { in: number; times: number; every: number }) : null;
    const sent =
      due === null
        ? body
        : {
            at: this.#clock.now(served, this.#time) + due.in * SECOND_MS,
            payload: { times: due.times, every: due.every * SECOND_MS },
          };
    const writes = method === 'PUT' ? path.startsWith('/notes/') : path === '/notes';
    const bytes = new TextEncoder().encode(sent === undefined ? '' : JSON.stringify(sent));
    void this.#calls.ask(served, vendor, { method, path, body: bytes }, { alive: () => life.alive, writes });
  }

  #ringDue(): void {
    for (const { alarm } of this.#machine.served)
      if (alarm.at !== null && alarm.at <= this.#time.now()) alarm.ring();
  }

  #look(quiet: boolean): void {
    this.#mustHold();
    const { served, losses } = this.#machine;
    const lost = losses !== this.#losses;
    this.#losses = losses;
    if (lost) this.#webhooks.forget();
    for (const each of served) {
      if (lost) this.#log.recount(each);
      this.#log.look(each);
      this.#webhooks.look(each, this.#log);
      this.#clock.look(each, quiet && !lost);
      if (lost) this.#calls.check(each);
    }
  }

  /** The outside is well and time goes on: whatever may wait comes to its end. */
  async #end(): Promise<void> {
    const machine = this.#machine;
    machine.life.crashIfMeant();
    for (const store of machine.stores.values()) store.failAfter(null, 'full');
    this.#outside.mood = 'takes';
    await this.#living();
    while (this.#outside.waiting > 0) this.#outside.answer(0, 'takes');
    await machine.rest();
    this.#look(true);
    const seconds = ROUND_SECONDS[this.#schedule.kind];
    for (let round = 0; round < ROUNDS_MAX && (round < 2 || this.#waits()); round++) {
      this.#time.move(seconds * SECOND_MS);
      for (const { world } of machine.served) await machine.until(world.advanceClock(`${seconds}s`));
      this.#ringDue();
      await machine.rest();
      this.#look(false);
    }
    const { open } = this.#calls;
    if (open.length > 0) throw new Violation(`never answered: ${open.join()}`);
    for (const served of machine.served) {
      this.#webhooks.finish(served);
      this.#calls.check(served);
      await checkWhole(served, machine);
    }
    await this.#stop();
  }

  #waits(): boolean {
    return this.#machine.served.some(
      ({ store }) => store.peek("SELECT 1 FROM delivery WHERE state = 'pending' LIMIT 1").length > 0,
    );
  }

  #logged({ level, fields, message }: Logged): void {
    // What helps against it follows a colon.
    if (level === 'error' && !EXPECTED_ERRORS.has(message.split(': ')[0]!))
      this.#fail(new Violation(`the process log: ${message} ${JSON.stringify(fields)}`));
  }

  #guarded(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
  }

  #mustHold(): void {
    if (this.#failure !== null) throw this.#failure;
  }
}

/** What is open is lost, and the world forgets it; the crash that was to come may come as it does. */
function lose({ store }: Served): void {
  try {
    store.lose();
  } catch (error) {
    if (!(error instanceof ProcessGone)) throw error;
  }
}
