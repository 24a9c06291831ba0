// What a run is refused, told as it happens: each thing once, on standard error, and how often in the end. Many programs
// swallow the answer of the proxy, and who started them would look for a fault of their own.
import { REFUSALS_TOLD_MAX } from './limits.ts';
import type { Output } from './output.ts';
import { worldClient } from './world-client.ts';
import type { Reach } from './world-environment.ts';

/** An answer of GET …/refusals, as far as it is read. */
type Seen = {
  readonly nth: number;
  readonly run: string;
  readonly agent: string | null;
  readonly record: {
    readonly target: string;
    readonly rule: string;
    readonly missing: string;
    readonly reason: string;
    readonly see: string;
  };
};

export type RunRefusals = {
  /** Tells what was not told yet, and in a line how many there were. Resolves to their number. */
  end(): Promise<number>;
};

type Options = {
  readonly output: Output;
  /** Whose refusals: the run's own name, and the default one's where the run's clients may have lost it. */
  readonly runs: readonly string[];
  /** Counts alone. */
  readonly quiet: boolean;
};

/** Begins with what is refused from now on. */
export async function followRefusals(reach: Reach, { output, runs, quiet }: Options): Promise<RunRefusals> {
  const client = worldClient(reach.baseUrl, reach.token);
  const place = `/-${new URL(reach.worldUrl).pathname}`;
  const told = new Set<string>();
  let untold = false;
  let grants = false;
  let last = 0;
  let count = 0;
  let missed = false;

  const look = async (): Promise<readonly Seen[]> => {
    const answered = await client.get(`${place}/refusals`);
    if (!answered.ok || answered.status !== 200) return [];
    return (answered.body as { readonly refusals: readonly Seen[] }).refusals;
  };
  const read = async (): Promise<void> => {
    for (const seen of (await look()).toReversed()) {
      if (seen.nth <= last) continue;
      // The world keeps its newest alone: in a storm some are gone before anybody looks.
      if (seen.nth > last + 1) missed = true;
      last = seen.nth;
      if (runs.includes(seen.run)) tell(seen);
    }
  };
  const tell = ({ agent, record }: Seen): void => {
    count += 1;
    grants ||= record.missing === 'grant';
    const key = `${record.rule} ${withoutQuery(record.target)}`;
    if (quiet || told.has(key)) return;
    if (told.size === REFUSALS_TOLD_MAX) {
      untold = true;
      return;
    }
    told.add(key);
    const who = agent === null ? '' : ` to ${agent.split(' ')[0]}`;
    const words = `${record.reason} (missing: ${record.missing}; fix: ${record.see})`;
    output.error(`${output.ink('yellow', 'wrld:')} refused${who} [${record.rule}]: ${words}`);
  };

  last = (await look())[0]?.nth ?? 0;
  // One look at a time, and one more after what was told during it.
  let turn = Promise.resolve();
  const following = new AbortController();
  const hear = async (kind: string): Promise<boolean> => {
    if (kind === 'refusal' || kind === 'open') await (turn = turn.then(read));
    return true;
  };
  void client.events(`${place}/events`, hear, following.signal);
  return {
    end: async () => {
      following.abort();
      await turn;
      await read();
      if (count > 0 && !quiet) {
        const kinds = told.size === 1 ? 'one kind' : `${told.size} kinds`;
        const which = untold ? `the first ${kinds} are told above` : kinds;
        const many = `${count}${missed ? ' or more' : ''} requests were refused (${which})`;
        const where = grants ? ' What may leave stands in .wrld/world.json, under runtime.network.' : '';
        const words = count === 1 ? '1 request was refused' : many;
        output.error(`${output.ink('yellow', 'wrld:')} ${words}.${where}`);
      }
      return count;
    },
  };
}

function withoutQuery(target: string): string {
  const at = target.indexOf('?');
  return at === -1 ? target : target.slice(0, at);
}
