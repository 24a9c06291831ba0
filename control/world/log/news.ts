// What changed in a world, told to whoever looks at it right now (4.9): that something is new, never what it
// holds, which a listener reads with its own credential. Told when it lasts, so nobody hears of what may yet be lost;
// not kept, so whoever comes later reads the state anew.
import type { Threshold } from '../store/threshold.ts';

export type News =
  /** An entry was appended to the twin's log. */
  | { readonly kind: 'entry'; readonly twin: string; readonly position: number }
  /** The clock was set or advanced. */
  | { readonly kind: 'clock' }
  /** The world's proxy refused a request. */
  | { readonly kind: 'refusal' }
  /** Lines were added to the journal of requests. */
  | { readonly kind: 'requests' }
  /** A branch was made or removed. */
  | { readonly kind: 'branches' }
  /** A key was made, or one or all were revoked. */
  | { readonly kind: 'keys' };

export type Follower = {
  /** Called while the teller waits: notes the news and returns; never throws. */
  readonly hear: (news: News) => void;
  /** The world ends; nothing is told any more. */
  readonly end?: () => void;
};

export class Newsroom {
  readonly #followers = new Set<Follower>();
  readonly #threshold: Pick<Threshold, 'once'>;
  #closed = false;

  constructor(threshold: Pick<Threshold, 'once'>) {
    this.#threshold = threshold;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** How many follow now. */
  get followers(): number {
    return this.#followers.size;
  }

  tell(news: News): void {
    this.#threshold.once(() => {
      for (const { hear } of this.#followers) hear(news);
    });
  }

  /** Returns how to stop following. */
  follow(listener: Follower['hear'], end?: () => void): () => void {
    const follower: Follower = end === undefined ? { hear: listener } : { hear: listener, end };
    if (this.#closed) end?.();
    else this.#followers.add(follower);
    return () => {
      this.#followers.delete(follower);
    };
  }

  /** Ends what follows, so that no listener of the host waits for streams that never end by themselves. */
  close(): void {
    this.#closed = true;
    const followers = [...this.#followers];
    this.#followers.clear();
    for (const { end } of followers) end?.();
  }
}
