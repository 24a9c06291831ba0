// What a test says to the calls of a world's twins: functions of a request, asked newest first before handlers and twin.
import { parseJson } from '../../policy/json-text.ts';
import { type HandlerReply, replyFault } from '../../twins/kit/handlers.ts';
import type { TwinRequest } from './room.ts';
import { hold } from './view.ts';

/**
 * What to answer a call: a reply as handlers files have it, or a text for `{ text }`. Nothing leaves it to the function
 * before this one, then to the handlers, then to the twin.
 */
export type Answer = (request: TwinRequest) => Said | Promise<Said>;
type Said = HandlerReply | string | null | undefined;

export type AnswersOptions = {
  readonly services: readonly string[];
  /** Whether there is a function for a service's calls, whenever that changes. */
  readonly onChange: (service: string, any: boolean) => void;
  /** A function that threw, or said what is no reply; the client is told so too. */
  readonly onFault: (line: string) => void;
};

type Row = { readonly service: string; readonly answer: Answer };

export class Answers {
  readonly #options: AnswersOptions;
  #rows: readonly Row[] = [];
  #kept: readonly Row[] = [];

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  add(service: string, answer: Answer): Disposable {
    hold(this.#options.services, service);
    if (typeof answer !== 'function')
      throw new Error(
        `world.on(${JSON.stringify(service)}, …) takes a function of the request; a handlers document goes to openWorld({ handlers }).`,
      );
    const row = { service, answer };
    this.#put([row, ...this.#rows]);
    return { [Symbol.dispose]: () => this.#put(this.#rows.filter(each => each !== row)) };
  }

  /** Those that there are now stay when all that come after them go. */
  keep(): void {
    this.#kept = this.#rows;
  }

  reset(): void {
    this.#put(this.#kept);
  }

  #put(rows: readonly Row[]): void {
    this.#rows = rows;
    for (const service of this.#options.services)
      this.#options.onChange(
        service,
        rows.some(row => row.service === service),
      );
  }

  /** Never rejects: a fault is what the client is answered. */
  async prompt(service: string, request: TwinRequest): Promise<HandlerReply | null> {
    for (const { answer } of this.#rows.filter(row => row.service === service)) {
      let said: Said;
      try {
        said = await answer(request);
      } catch (error) {
        return this.#fault(service, request, `threw: ${error instanceof Error ? error.message : error}`);
      }
      if (said === null || said === undefined) continue;
      const reply = typeof said === 'string' ? { text: said } : said;
      const faults = faultsOf(reply, request);
      return faults === null ? plain(reply) : this.#fault(service, request, faults);
    }
    return null;
  }

  /** A status that no SDK tries again: what the function would say then is the same. */
  #fault(service: string, { method, path }: TwinRequest, what: string): HandlerReply {
    const message = `The function of world.on('${service}') for ${method} ${path} ${what}`;
    this.#options.onFault(message);
    return {
      error: { status: 400, type: 'invalid_request_error', code: 'wrld_test_answer_failed', message },
    };
  }
}

/** It crosses to another thread, and what JSON cannot say no client would get. */
function plain(reply: HandlerReply): HandlerReply {
  const read = parseJson(JSON.stringify(reply));
  if (!read.ok) throw new Error(read.fault);
  return read.value as HandlerReply;
}

function faultsOf(reply: HandlerReply, { said }: TwinRequest): string | null {
  try {
    const fault = replyFault(plain(reply), { generative: said !== null });
    return fault === null ? null : `said what is no reply: ${fault}`;
  } catch (error) {
    return `said what cannot be sent: ${(error as Error).message}`;
  }
}
