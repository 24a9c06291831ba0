// A site that knows whether anybody is with it: a world is closed when nobody is (world-shelf.ts).
import type { Reply } from '../../twins/kit/reply.ts';
import { problem } from '../http/answer.ts';
import type { Arrived } from '../http/arrived.ts';
import type { Admission, Site } from '../http/site.ts';
import type { ServedSite } from '../http/sites.ts';
import type { Stream, UpgradeAdmission } from '../http/upgrade.ts';
import type { OpenSocket } from '../world/work/open-socket.ts';

/** Hears the status of each answer. */
export type Answered = (status: number) => void;

export type Attending = {
  /** Answers what was admitted before the world was closed. */
  readonly again: (arrived: Arrived, body: Uint8Array) => Promise<Reply>;
  readonly answered?: Answered;
};

export class AttendedSite implements ServedSite {
  readonly #site: Site;
  readonly #attending: Attending;
  /** Answers and WebSockets that have not ended. */
  #present = 0;
  #askedAt = performance.now();
  #closed = false;

  constructor(site: Site, attending: Attending) {
    this.#site = site;
    this.#attending = attending;
  }

  get world(): string {
    return this.#site.world;
  }

  get ownHost(): string | null {
    return this.#site.ownHost;
  }

  get isAttended(): boolean {
    return this.#present > 0;
  }

  /** By `performance.now()`. */
  get askedAt(): number {
    return this.#askedAt;
  }

  /** The world is about to close: what was admitted and has not begun is admitted again. */
  close(): void {
    this.#closed = true;
  }

  admit(arrived: Arrived): Admission {
    this.#askedAt = performance.now();
    const admission = this.#site.admit(arrived);
    const { again, answered } = this.#attending;
    if (admission.at === 'answered') {
      answered?.(admission.reply.status);
      return admission;
    }
    if (admission.at === 'forwarded') {
      const { forward } = admission;
      const attended = async (...given: Parameters<typeof forward>): Promise<Reply> =>
        this.#closed ? COME_AGAIN : await this.#attended(() => forward(...given));
      return { ...admission, forward: attended };
    }
    const { answer } = admission;
    return {
      ...admission,
      answer: body => (this.#closed ? again(arrived, body) : this.#attended(() => answer(body))),
    };
  }

  upgrade(arrived: Arrived): UpgradeAdmission {
    this.#askedAt = performance.now();
    const admission = this.#site.upgrade(arrived);
    if (admission.at !== 'socket') return admission;
    return { ...admission, open: () => (this.#closed ? COMING_AGAIN : this.#socket(admission.open)) };
  }

  stream(vendor: string, id: string): Stream | null {
    this.#askedAt = performance.now();
    return this.#site.stream(vendor, id);
  }

  #attended(answer: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
    this.#present += 1;
    try {
      const reply = answer();
      if (!(reply instanceof Promise)) return this.#leftAtEnd(reply);
      return reply.then(
        whole => this.#leftAtEnd(whole),
        error => this.#leftByFault(error),
      );
    } catch (error) {
      return this.#leftByFault(error);
    }
  }

  #leftAtEnd(reply: Reply): Reply {
    this.#attending.answered?.(reply.status);
    const { body } = reply;
    if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
      this.#left();
      return reply;
    }
    return { ...reply, body: untilEnd(body, () => this.#left()) };
  }

  async #socket(open: () => Promise<OpenSocket | Reply>): Promise<OpenSocket | Reply> {
    this.#present += 1;
    const socket = await open().catch((error: unknown) => this.#leftByFault(error));
    if ('status' in socket) {
      this.#left();
      return socket;
    }
    return { ...socket, closed: () => socket.closed().finally(() => this.#left()) };
  }

  #leftByFault(error: unknown): never {
    this.#left();
    throw error;
  }

  #left(): void {
    this.#present -= 1;
    this.#askedAt = performance.now();
  }
}

/** The same chunks; `ended` is called once, however they end. */
function untilEnd(body: AsyncIterable<Uint8Array>, ended: () => void): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = body[Symbol.asyncIterator]();
      let over = false;
      const end = (): void => {
        if (!over) ended();
        over = true;
      };
      return {
        next: async () => {
          try {
            const next = await chunks.next();
            if (next.done) end();
            return next;
          } catch (error) {
            end();
            throw error;
          }
        },
        return: async () => {
          end();
          await chunks.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

const COME_AGAIN = problem(503, 'opening', 'The world was closed while nobody asked it; ask again.');
const COMING_AGAIN = Promise.resolve(COME_AGAIN);
