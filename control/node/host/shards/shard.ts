// One shard as its host's front knows it: a process that serves its part of the worlds for as long as the host runs. It is asked
// how it is, ended when it no longer answers, and started again when it ended.
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../../ports/log.ts';
import { ControlError } from '../../control-error.ts';
import type { Looking } from '../directory.ts';
import { QUIET_LOOK_MS, type ShardLimits } from './limits.ts';
import type { Ask, AskKind, Asks, Begin, FromShard, Pulse } from './messages.ts';
import { type ShardProcess, startShardProcess } from './shard-process.ts';

export type ShardState =
  | 'starting'
  | 'up'
  /** It has not answered for a while. */
  | 'held-up'
  /** It ended, and is about to be started again. */
  | 'down'
  | 'closed';

export type ShardParts = {
  readonly number: number;
  readonly socket: string;
  readonly script: URL;
  /** Of each start. */
  readonly begin: () => Begin;
  readonly limits: ShardLimits;
  readonly log: Log;
  /** While it starts. */
  readonly onLooking: (looking: Looking) => void;
  /** Its worlds that came and went. */
  readonly onNames: (names: Extract<FromShard, { kind: 'names' }>) => void;
  /** It ended without being told to, at that world; null where it had nothing to do for any. */
  readonly onDeath: (at: string | null, how: string) => void;
};

/** A request that it has not begun to answer. */
type Unanswered = { readonly world: string };
type Pending = (answer: Asks[AskKind]['answer'] | null | Fault) => void;

/** What was asked of a shard ended in a bug there. */
class Fault {}

export class Shard {
  readonly #parts: ShardParts;
  readonly #pending = new Map<number, Pending>();
  readonly #unanswered = new Set<Unanswered>();
  readonly #waiting = new Set<(up: boolean) => void>();
  readonly #stop = Promise.withResolvers<null>();
  #state: ShardState = 'starting';
  #process: ShardProcess | null = null;
  #run: Promise<void> = Promise.resolve();
  /** Worlds that it is opening. */
  readonly #opening = new Set<string>();
  #pulse: Pulse = { worlds: 0, open: 0 };
  #pulseSent: { readonly at: number; readonly cpuMs: number | null } | null = null;
  #why: string | null = null;
  #restarts = 0;
  /** It ends because another takes its place. */
  #renewing = false;
  #id = 0;

  constructor(parts: ShardParts) {
    this.#parts = parts;
  }

  get number(): number {
    return this.#parts.number;
  }

  get socket(): string {
    return this.#parts.socket;
  }

  get state(): ShardState {
    return this.#state;
  }

  get restarts(): number {
    return this.#restarts;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** As it told last. */
  get pulse(): Pulse {
    return this.#pulse;
  }

  /** Resolves when it serves its worlds. Throws `ControlError` where it does not start. */
  async start(): Promise<void> {
    const began = await this.#startOne();
    if (!began.ok)
      throw new ControlError('shard-failed', `shard ${this.number} does not start: ${began.why}`);
    this.#run = this.#keepUp();
  }

  /** Whether it serves its worlds, if only in a moment. */
  async ready(): Promise<boolean> {
    if (this.#state === 'up' || this.#state === 'held-up') return true;
    if (this.#state === 'closed') return false;
    const { holdMs, renewMs } = this.#parts.limits;
    const late = new AbortController();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.add(resolve);
    const up = await Promise.race([
      promise,
      setTimeout(this.#renewing ? renewMs : holdMs, false, { signal: late.signal, ref: false }),
    ]);
    late.abort();
    this.#waiting.delete(resolve);
    return up;
  }

  /** Tells of a request that goes to it; what is answered is called when it has begun to answer, or never will. */
  asked(world: string): () => void {
    const one = { world };
    this.#unanswered.add(one);
    return () => void this.#unanswered.delete(one);
  }

  /** Null where it is not there, ended meanwhile or did not answer in time. Throws where that ended in a bug there. */
  async ask<K extends AskKind>(
    of: K,
    given: Asks[K]['ask'],
    waitMs: number,
  ): Promise<Asks[K]['answer'] | null> {
    if (this.#renewing) await this.ready();
    if (this.#state !== 'up' && this.#state !== 'held-up') return null;
    const late = new AbortController();
    const answer = await Promise.race([
      this.#send(of, given),
      setTimeout(waitMs, null, { signal: late.signal, ref: false }),
    ]);
    late.abort();
    if (answer instanceof Fault) throw new Error(`shard ${this.number} failed at ${of}; its log says how`);
    return answer;
  }

  /**
   * Another process takes the place of this one, of the code that lies there now: who asks waits from here on, what was asked is
   * answered, the worlds are closed, and opened there. Whether it serves them.
   */
  async renew(): Promise<boolean> {
    const running = this.#process;
    if (running === null || this.#state !== 'up') return this.ready();
    this.#renewing = true;
    this.#settle('starting');
    await this.#quiet();
    if (running === this.#process) await this.#end(running);
    return this.ready();
  }

  /** What is open without an end ends. */
  hush(): void {
    this.#process?.say({ kind: 'hush' });
  }

  /** Closes its worlds, and ends it. Nobody asks it any more. */
  async close(): Promise<void> {
    this.#stop.resolve(null);
    this.#settle('closed');
    await this.#run;
    const running = this.#process;
    if (running === null) return;
    await this.#end(running);
    this.#process = null;
    this.#giveUp();
  }

  /** Whether the process runs on that runs now: of what was cut, whose doing that was. */
  async lives(): Promise<boolean> {
    return this.#process !== null && (await this.#send('pulse', null)) !== null;
  }

  async #end(running: ShardProcess): Promise<void> {
    running.say({ kind: 'close' });
    const inTime = new AbortController();
    const ended = await Promise.race([
      running.ended,
      setTimeout(this.#parts.limits.closeMs, null, { signal: inTime.signal }),
    ]);
    inTime.abort();
    if (ended !== null) return;
    this.#parts.log.warn({ shard: this.number }, 'the shard did not close its worlds in time; it is ended');
    running.kill();
    await running.ended;
  }

  /** Resolves when it owes nobody an answer; what takes too long is cut. */
  async #quiet(): Promise<void> {
    const until = performance.now() + this.#parts.limits.closeMs;
    do await setTimeout(QUIET_LOOK_MS);
    while (this.#unanswered.size + this.#pending.size > 0 && performance.now() < until);
  }

  /** Runs until `close`. */
  async #keepUp(): Promise<void> {
    const { limits, log, number } = this.#parts;
    let inARow = 0;
    while (!this.#isClosed) {
      const since = performance.now();
      const ended = await this.#watched();
      if (ended === null) return;
      if (performance.now() - since >= limits.steadyMs) inARow = 0;
      if (this.#renewing) log.info({ shard: number }, 'a shard closed its worlds; another takes its place');
      else log.error({ shard: number, ended }, 'a shard ended; it is started again');
      this.#died(ended);
      for (let up = false; !up; ) {
        inARow += 1;
        const wait = inARow === 1 ? 0 : Math.min(limits.restartMs * 2 ** (inARow - 2), limits.restartMsMax);
        await Promise.race([setTimeout(wait, null, { ref: false }), this.#stop.promise]);
        if (this.#isClosed) return;
        if (!this.#renewing) this.#restarts += 1;
        const started = await this.#startOne();
        this.#renewing = false;
        if (started.ok) up = true;
        else if (this.#isClosed) return;
        else log.error({ shard: number, why: started.why }, 'a shard could not be started again');
      }
    }
  }

  /** How it ended; null when it is to be closed. */
  async #watched(): Promise<string | null> {
    const running = this.#process!;
    const look = setInterval(() => this.#look(running), this.#parts.limits.pulseMs).unref();
    try {
      const ended = await Promise.race([running.ended, this.#stop.promise]);
      return ended === null ? null : (this.#why ?? ended);
    } finally {
      clearInterval(look);
    }
  }

  #look(running: ShardProcess): void {
    const sent = this.#pulseSent;
    const now = performance.now();
    if (sent === null) {
      this.#pulseSent = { at: now, cpuMs: running.cpuMs() };
      void this.#send('pulse', null).then(pulse => {
        this.#pulseSent = null;
        if (pulse === null || pulse instanceof Fault) return;
        this.#pulse = pulse;
        if (this.#state === 'held-up') this.#settle('up');
      });
      return;
    }
    const { heldUpMs, stallCpuMs, stallMs } = this.#parts.limits;
    if (this.#state === 'up' && now - sent.at >= heldUpMs) this.#settle('held-up');
    // By what it used: on a machine that is busy with something else it gets to its answer late, and is not at fault.
    const used = sent.cpuMs === null ? 0 : (running.cpuMs() ?? sent.cpuMs) - sent.cpuMs;
    if (used < stallCpuMs && now - sent.at < stallMs) return;
    this.#why ??= `held up: no answer for ${Math.round((now - sent.at) / 1000)} seconds`;
    running.kill();
  }

  async #startOne(): Promise<{ readonly ok: true } | { readonly ok: false; readonly why: string }> {
    const { script, begin, limits } = this.#parts;
    this.#settle('starting');
    const up = Promise.withResolvers<{ readonly ok: true } | { readonly ok: false; readonly why: string }>();
    const running = startShardProcess(script, message => {
      if (message.kind === 'up') up.resolve({ ok: true });
      else if (message.kind === 'failed') up.resolve({ ok: false, why: message.why });
      else if (message.kind === 'looking') this.#parts.onLooking(message.looking);
      else if (message.kind !== 'speaks') this.#hear(running, message);
    });
    this.#process = running;
    this.#why = null;
    running.say(begin());
    const late = new AbortController();
    const started = await Promise.race([
      up.promise,
      running.ended.then(why => ({ ok: false as const, why })),
      setTimeout(limits.startMs, { ok: false as const, why: 'it does not come up' }, { signal: late.signal }),
      this.#stop.promise,
    ]);
    late.abort();
    // `close` ends it.
    if (started === null) return { ok: false, why: 'the host closes' };
    if (started.ok) this.#settle('up');
    else {
      running.kill();
      await running.ended;
      this.#died(started.why);
    }
    return started;
  }

  #hear(
    running: ShardProcess,
    message: Exclude<FromShard, { kind: 'up' | 'failed' | 'speaks' | 'looking' }>,
  ): void {
    if (running !== this.#process) return;
    if (message.kind === 'names') {
      this.#parts.onNames(message);
      if (message.id !== null) running.say({ kind: 'known', id: message.id });
    } else if (message.kind === 'opening') {
      if (message.is) this.#opening.add(message.name);
      else this.#opening.delete(message.name);
    } else {
      const settle = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      settle?.(message.kind === 'fault' ? new Fault() : message.answer);
    }
  }

  #send<K extends AskKind>(of: K, given: Asks[K]['ask']): Promise<Asks[K]['answer'] | null | Fault> {
    const id = ++this.#id;
    return new Promise(resolve => {
      // What is answered is of the kind that was asked for.
      this.#pending.set(id, resolve as Pending);
      this.#process?.say({ kind: 'ask', id, ask: { of, with: given } as Ask });
    });
  }

  #died(how: string): void {
    const [opening] = this.#opening;
    const [oldest] = this.#unanswered;
    const at = opening ?? oldest?.world ?? null;
    this.#process = null;
    this.#opening.clear();
    this.#pulseSent = null;
    this.#pulse = { ...this.#pulse, open: 0 };
    this.#giveUp();
    if (this.#state === 'closed') return;
    this.#settle('down');
    if (!this.#renewing) this.#parts.onDeath(at, how);
  }

  get #isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Of what was asked nothing will come. */
  #giveUp(): void {
    for (const settle of this.#pending.values()) settle(null);
    this.#pending.clear();
  }

  #settle(state: ShardState): void {
    if (this.#state === 'closed') return;
    this.#state = state;
    if (state !== 'up' && state !== 'closed') return;
    for (const settle of this.#waiting) settle(state === 'up');
    this.#waiting.clear();
  }
}
