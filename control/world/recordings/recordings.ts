// The recordings of a world that run now, one a twin. They live as long as the process: a world that starts anew records
// nothing until somebody says so.
import type { Handlers } from '../../../twins/kit/handlers.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { Outbound } from '../../ports/outbound.ts';
import type { ReachedVendor } from '../../ports/reach.ts';
import type { Journal } from '../requests/journal.ts';
import type { Seat } from '../work/seat.ts';
import { Recorder, type RecordingStanding } from './recorder.ts';
import { Recording } from './recording.ts';

type Parts = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly seats: ReadonlyMap<string, Seat>;
  readonly outbound: Outbound;
  readonly wall: WallClock;
  readonly requests: Journal;
  /** Resolves when the host's policy has where recordings go. */
  readonly tell: () => Promise<void>;
};

export type RecordingAsk = {
  readonly strict: boolean;
  /** The URL to ask in the place of the vendor's own hosts. */
  readonly at: string | null;
  readonly to: string;
  /** What is in the file already. */
  readonly before: Handlers | null;
  readonly put: (text: string) => Promise<string | null>;
};

export type RecordingResult =
  | { readonly ok: true; readonly standing: RecordingStanding }
  | {
      readonly ok: false;
      readonly why: 'no-such-twin' | 'no-http' | 'bad-at' | 'recording';
      readonly message: string;
    };

export class Recordings {
  readonly #parts: Parts;
  readonly #running = new Map<string, Recorder>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get list(): readonly RecordingStanding[] {
    return [...this.#running.values()].map(({ standing }) => standing);
  }

  /** As the policy has to know them. */
  get places(): readonly ReachedVendor[] {
    return [...this.#running.values()].flatMap(recorder =>
      recorder.places.map(place => ({ by: 'recording' as const, ...place })),
    );
  }

  of(vendor: string): Recorder | null {
    return this.#running.get(vendor) ?? null;
  }

  /** In force when it resolves. */
  async start(vendor: string, { strict, at, to, before, put }: RecordingAsk): Promise<RecordingResult> {
    const { seats, tell, ...parts } = this.#parts;
    const no = (why: Extract<RecordingResult, { ok: false }>['why'], message: string): RecordingResult => ({
      ok: false,
      why,
      message,
    });
    const twin = seats.get(vendor)?.twin;
    if (twin === undefined) return no('no-such-twin', `The world has no twin “${vendor.slice(0, 64)}”.`);
    if (this.#running.has(vendor))
      return no(
        'recording',
        `${vendor} is recorded already; end that first: wrld world record ${vendor} --stop`,
      );
    const { protocol, hosts } = twin.manifest;
    const named = hosts.filter(({ host }) => !host.includes('*'));
    if (protocol !== 'http' || named.length === 0)
      return no('no-http', `${vendor} is asked over ${protocol}; what is asked over HTTP can be recorded.`);
    const place = at === null ? null : placeOf(at);
    if (place === undefined)
      return no(
        'bad-at',
        'Where it is asked instead is a URL such as https://gateway.example.com/openai, without a query.',
      );
    const recording = new Recording(before, strict);
    const meant = twin.keeps?.headers ?? [];
    const recorder = new Recorder({
      ...parts,
      vendor,
      meant,
      hosts: named,
      at: place,
      strict,
      to,
      recording,
      put,
    });
    this.#running.set(vendor, recorder);
    await tell();
    return { ok: true, standing: recorder.standing };
  }

  /** What was kept is in its file when it resolves; null when nothing is recorded of it. */
  async stop(vendor: string): Promise<RecordingStanding | null> {
    const recorder = this.#running.get(vendor);
    if (recorder === undefined) return null;
    this.#running.delete(vendor);
    await this.#parts.tell();
    return recorder.end();
  }

  async close(): Promise<void> {
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(running.map(recorder => recorder.end()));
  }
}

/** Without the slash at its end, which the vendor's own paths begin with. */
function placeOf(at: string): { readonly origin: string; readonly base: string } | undefined {
  const parts = /^(https?:\/\/[^/?#\\@\s]+)(\/[^?#\s]*)?$/i.exec(at);
  return parts === null
    ? undefined
    : { origin: parts[1]!.toLowerCase(), base: (parts[2] ?? '').replace(/\/+$/, '') };
}
