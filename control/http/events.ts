// GET …/events: what is new in the world, as server-sent events (ours, beside 4.9). An event says that there is
// something to read again and not what, so one that was missed costs nothing: a client reads the state when the
// stream opens, and again what an event names.
import { EVENT_FOLLOWERS_MAX, EVENT_HEARTBEAT_MS, EVENT_RECONNECT_MS } from '../world/limits.ts';
import type { News, Newsroom } from '../world/log/news.ts';
import { problem } from './answer.ts';
import type { Route } from './route.ts';
import { failure } from './shapes.ts';

export const events: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/events',
    access: 'read',
    tag: 'Looking',
    summary:
      'server-sent events: `entry` (twin and position), `clock`, `refusal`, `requests`, `branches`, `keys`',
    answers: {
      200: { description: 'a stream that does not end by itself', type: 'text/event-stream' },
      503: failure('as many follow the world as it takes'),
    },
    run: (call, world, { stands }) => {
      const { news } = world;
      if (news.followers >= EVENT_FOLLOWERS_MAX) {
        const message = `The world tells its news to ${EVENT_FOLLOWERS_MAX} at once; close some first.`;
        return problem(503, 'too-many-followers', message, {
          headers: [['retry-after', String(Math.ceil(EVENT_HEARTBEAT_MS / 1000))]],
        });
      }
      return {
        status: 200,
        headers: [
          ['content-type', 'text/event-stream; charset=utf-8'],
          ['cache-control', 'no-store'],
          ['x-accel-buffering', 'no'],
        ],
        body: call.method === 'HEAD' ? null : new EventStream(news, stands),
      };
    },
  },
];

const TEXT = new TextEncoder();
const HEARTBEAT = ': here\n\n';

/**
 * One follower's stream. What is told while it has not read what came before waits as a set: the newest position
 * of each twin and one of every other kind, so a follower that never reads holds no more than that.
 */
export class EventStream implements AsyncIterableIterator<Uint8Array> {
  readonly #stands: () => boolean;
  readonly #unfollow: () => void;
  readonly #timer: unknown;
  readonly #waiting = new Map<string, News>();
  #opening = true;
  #beat = false;
  #ended = false;
  #wake: (() => void) | null = null;

  /** `stands`: whether what let the follower in still would; asked with every heartbeat. */
  constructor(news: Newsroom, stands: () => boolean, heartbeatMs: number = EVENT_HEARTBEAT_MS) {
    this.#stands = stands;
    const timer = setInterval(() => this.#tick(), heartbeatMs);
    this.#timer = timer;
    // On Node a waiting timer keeps the process alive; a follower does not.
    (timer as unknown as { unref?: () => void }).unref?.();
    this.#unfollow = news.follow(
      told => this.#hear(told),
      () => this.#end(),
    );
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    while (!this.#ended && !this.#opening && !this.#beat && this.#waiting.size === 0) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
    if (this.#ended) return { done: true, value: undefined };
    let text = this.#opening ? `retry: ${EVENT_RECONNECT_MS}\n\n` : '';
    for (const told of this.#waiting.values())
      text += `event: ${told.kind}\ndata: ${JSON.stringify(told)}\n\n`;
    if (text === '') text = HEARTBEAT;
    this.#opening = false;
    this.#beat = false;
    this.#waiting.clear();
    return { done: false, value: TEXT.encode(text) };
  }

  /** The follower left. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#end();
    return { done: true, value: undefined };
  }

  #hear(told: News): void {
    this.#waiting.set(told.kind === 'entry' ? `entry ${told.twin}` : told.kind, told);
    this.#turn();
  }

  #tick(): void {
    if (!this.#stands()) return this.#end();
    this.#beat = true;
    this.#turn();
  }

  #end(): void {
    this.#ended = true;
    clearInterval(this.#timer as number);
    // Not there yet when the world had ended before the follower came.
    this.#unfollow?.();
    this.#turn();
  }

  #turn(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
