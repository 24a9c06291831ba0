// What was asked of simulated worlds and what came of it: each call has a trace of its own, by which the log tells whether
// it happened. What was acknowledged happened once, lasts, and still has at the end; what was refused never did.
import type { Call } from '../../twins/kit/call.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { Served } from './machine.ts';
import { Violation } from './violation.ts';

type Asked = {
  readonly world: string;
  readonly twin: string;
  readonly trace: string;
  readonly what: string;
  /** Entries that it made, once it was answered; null while nobody knows. */
  entries: number | null;
};

export class Calls {
  readonly #asked: Asked[] = [];
  readonly #open = new Set<string>();
  readonly #failed: (error: unknown) => void;

  /** `failed`: told of what must not have been answered. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Those that wait for their answer. */
  get open(): readonly string[] {
    return [...this.#open];
  }

  /** The process is gone, and nobody is answered any more. */
  crashed(): void {
    this.#open.clear();
  }

  /** `alive`: whether the process is still that which was asked. `writes`: it makes an entry when it is done. */
  ask(
    served: Served,
    twin: string,
    asked: Pick<Call, 'method' | 'path'> & Partial<Call>,
    { alive, writes }: { readonly alive: () => boolean; readonly writes: boolean },
  ): Promise<Reply | null> {
    // It crashed between two steps: nobody is there to answer, nor to be asked.
    if (!alive()) return Promise.resolve(null);
    const trace = (this.#asked.length + 1).toString(16).padStart(32, '0');
    const what = `${served.name} ${twin} ${asked.method} ${asked.path} (${trace.replace(/^0+/, '')})`;
    const known: Asked = { world: served.name, twin, trace, what, entries: null };
    this.#asked.push(known);
    this.#open.add(what);
    const call: Call = {
      host: `${twin}.test`,
      via: 'host',
      query: '',
      headers: {},
      body: new Uint8Array(),
      caller: 'token',
      scope: 'write',
      trace: { traceId: trace, spanId: trace.slice(16), parentId: null },
      ...asked,
    };
    return served.world.call(twin, call).then(
      reply => {
        if (!alive()) return null;
        this.#open.delete(what);
        try {
          known.entries = this.#answered(served, known, reply, writes);
        } catch (error) {
          this.#failed(error);
        }
        return reply;
      },
      error => {
        if (alive()) this.#failed(new Violation(`${what}: the world threw ${error}`));
        return null;
      },
    );
  }

  /** How often each happened, whatever has been lost and opened since. */
  check(served: Served): void {
    for (const { world, twin, trace, what, entries } of this.#asked) {
      if (world !== served.name) continue;
      const found = positions(served, twin, trace).length;
      if (entries === null ? found > 1 : found !== entries)
        throw new Violation(`${what}: it stands ${found} times in the log, and ${entries} was acknowledged`);
    }
  }

  #answered(served: Served, { twin, trace, what }: Asked, { status }: Reply, writes: boolean): number {
    const found = positions(served, twin, trace);
    const lasted = served.store.lasted.get(twin) ?? 0;
    if (found.length > 1) throw new Violation(`${what}: it happened ${found.length} times`);
    if (status >= 500 && found.length > 0)
      throw new Violation(`${what}: it was answered ${status}, and happened`);
    if (status < 300 && writes && found.length === 0)
      throw new Violation(`${what}: it was answered ${status}, and did not happen`);
    if (found.some(({ pos }) => pos > lasted))
      throw new Violation(`${what}: it was answered ${status} before it lasted`);
    return found.length;
  }
}

const positions = ({ store }: Served, twin: string, trace: string): { pos: number }[] =>
  store.peek<{ pos: number }>(
    "SELECT pos FROM entry WHERE trace = ? AND twin = ? AND actor = 'client' ORDER BY at, pos",
    trace,
    twin,
  );
