// What a recording makes: a handlers document, in which each request that was asked is a handler that takes it and no other,
// with what it was answered, one after the other. What somebody wrote into the file by hand stays before it.
import { type ExactRequest, exactMismatches } from '../../../twins/kit/exact-request.ts';
import type { Handler, HandlerReply, Handlers } from '../../../twins/kit/handlers.ts';
import type { Json } from '../../../twins/kit/json.ts';
import { HANDLERS_MAX, REPLIES_MAX } from '../../../twins/kit/limits.ts';
import { maskJson } from '../../../twins/kit/secrets.ts';
import { RECORDING_CHARS_MAX } from '../limits.ts';

type Recorded = {
  readonly exact: ExactRequest;
  readonly id: string;
  replies: readonly HandlerReply[];
  anew: boolean;
};

export class Recording {
  readonly #before: Handlers;
  readonly #strict: boolean;
  readonly #recorded: Recorded[];
  #count: number;
  #chars = 0;

  /** `before`: what the file holds, checked; null for no file. `strict`: what is not recorded is refused when it is replayed. */
  constructor(before: Handlers | null, strict: boolean) {
    const { handlers, ...rest } = before ?? { version: 1 as const, handlers: [] };
    const recorded = handlers.filter(({ match }) => match.exact !== undefined);
    this.#before = { ...rest, handlers: handlers.filter(({ match }) => match.exact === undefined) };
    this.#strict = strict;
    this.#recorded = recorded.map(({ id, match, reply, replies }) => ({
      id,
      exact: match.exact!,
      replies: replies ?? (reply === undefined ? [] : [reply]),
      anew: true,
    }));
    this.#count = Math.max(0, ...recorded.map(({ id }) => Number(/^recorded (\d+):/.exec(id)?.[1] ?? 0)));
    this.#chars = JSON.stringify(handlers).length;
  }

  /** Null, or why it is not kept. A request of an earlier recording is recorded anew. */
  add(exact: ExactRequest, reply: HandlerReply, own: readonly string[]): string | null {
    const whole = { exact, reply } as unknown as Json;
    // The last look: whatever made these, nothing that looks like a key goes into the file.
    if (maskJson(whole, own) !== whole) return 'it holds what looks like a key after all was masked';
    const chars = JSON.stringify(whole).length;
    if (this.#chars + chars > RECORDING_CHARS_MAX) return 'the recording is full';
    const there = this.#recorded.find(recorded => exactMismatches(recorded.exact, exact).length === 0);
    if (there === undefined) {
      if (this.#before.handlers.length + this.#recorded.length >= HANDLERS_MAX)
        return 'the recording is full';
      this.#count += 1;
      const id = `recorded ${this.#count}: ${exact.method} ${exact.path}`;
      this.#recorded.push({ id, exact, replies: [reply], anew: false });
    } else if (there.anew) {
      there.replies = [reply];
      there.anew = false;
    } else if (there.replies.length >= REPLIES_MAX) return 'it was asked too often';
    else there.replies = [...there.replies, reply];
    this.#chars += chars;
    return null;
  }

  /** Of a handlers file. */
  get text(): string {
    const { unmatched, ...rest } = this.#before;
    const strict = this.#strict ? ('error' as const) : unmatched;
    const document: Handlers = {
      ...rest,
      ...(strict !== undefined && { unmatched: strict }),
      handlers: [...this.#before.handlers, ...this.#recorded.map(handlerOf)],
    };
    return `${JSON.stringify(document, null, 2)}\n`;
  }
}

function handlerOf({ id, exact, replies }: Recorded): Handler {
  const [only] = replies;
  return { id, match: { exact }, ...(replies.length === 1 ? { reply: only! } : { replies }) };
}
