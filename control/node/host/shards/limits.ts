// What bounds the shards of a host, with its unit in its name.

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

export const SHARDS_MAX = 64;
/** Unless told: a process for each processor, at least two, so that one that is gone is not all of them. */
export const SHARDS_BY_ITSELF_MIN = 2;
export const SHARDS_BY_ITSELF_MAX = 4;
/** Of what the front writes to a shard: an inventory of thousands is asked for in pages. */
export const SHARD_CONNECTIONS_KEPT_MAX = 64;
/** A WebSocket that was not ended by its shard when the front closes is cut. */
export const PIPE_CLOSE_MS_MAX: number = 5 * SECOND_MS;

/** Between two looks whether a shard that is to be renewed has answered everybody. */
export const QUIET_LOOK_MS = 10;

export type ShardLimits = {
  /** From its start until it serves its worlds. */
  readonly startMs: number;
  /** Between two times that it is asked how it is. */
  readonly pulseMs: number;
  /** Without an answer for so long it is said to be held up, and not asked what the admin reads. */
  readonly heldUpMs: number;
  /** What it may use of a processor without an answer before it is ended: a world in it never comes to its end. */
  readonly stallCpuMs: number;
  /** As that, by the clock: where the system does not tell what a process used, or it waits for something. */
  readonly stallMs: number;
  /** How long its front waits for what it reads of it on behalf of the admin. */
  readonly answerMs: number;
  /** As that, for what changes something: a removal takes as long as there is to remove. */
  readonly changeMs: number;
  /** How long a request waits for a shard that is being started again. */
  readonly holdMs: number;
  /** As that, for one that is renewed: its process has answered all it was asked, and closes its worlds first. */
  readonly renewMs: number;
  /** The wait before the second start in a row; it doubles up to `restartMsMax`. The first is at once. */
  readonly restartMs: number;
  readonly restartMsMax: number;
  /** One that lived so long ended a row of deaths. */
  readonly steadyMs: number;
  /** A world at which its shard ended so often within `culpritMs` is barred for `barredMs`. */
  readonly culpritDeaths: number;
  readonly culpritMs: number;
  readonly barredMs: number;
  /** From the word to close to SIGKILL. */
  readonly closeMs: number;
};

export const SHARD_LIMITS: ShardLimits = {
  startMs: MINUTE_MS,
  pulseMs: SECOND_MS,
  heldUpMs: 5 * SECOND_MS,
  stallCpuMs: 10 * SECOND_MS,
  stallMs: MINUTE_MS,
  answerMs: 30 * SECOND_MS,
  changeMs: MINUTE_MS,
  holdMs: 10 * SECOND_MS,
  renewMs: MINUTE_MS,
  restartMs: 100,
  restartMsMax: 5 * SECOND_MS,
  steadyMs: 10 * SECOND_MS,
  culpritDeaths: 3,
  culpritMs: MINUTE_MS,
  barredMs: 10 * MINUTE_MS,
  closeMs: 20 * SECOND_MS,
};
