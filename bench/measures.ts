// What is measured of each target, in the order it is done: memory first, on a process that has done
// nothing yet, and the heaviest load last.
import type { Child } from './child.ts';
import { getRequest, HOST } from './client/dial.ts';
import type { Answer, Command, Result } from './client/main.ts';
import { type Machine, residentMb } from './machine.ts';
import type { BenchOptions } from './options.ts';
import type { Target } from './targets.ts';

/** One number of one target in one round; what could not be measured is absent. */
export type Figures = { [name in Figure]?: number };

export const FIGURES = [
  'rps1',
  'p50at1',
  'p99at1',
  'cpu1',
  'busy1',
  'rps32',
  'p50at32',
  'p99at32',
  'cpu32',
  'busy32',
  'rps256',
  'p50at256',
  'p99at256',
  'cpu256',
  'busy256',
  'newPerSecond',
  'newP50',
  'cpuNew',
  'firstP50',
  'warmP50',
  'mbPerSecond',
  'cpuPerMb',
  'idleMb',
  'tunnelsMb',
  'manyTunnelsMb',
  'startMs',
  'pushMs',
  'pushP99',
] as const;
export type Figure = (typeof FIGURES)[number];

const CONNECTIONS = [1, 32, 256] as const;
const NEW_AT_ONCE = 8;
const BULK_CONNECTIONS = 4;
export const IDLE_TUNNELS = 1_000;
export const MANY_IDLE_TUNNELS = 10_000;

/** Above this share of the proxy's core for others, a figure is no measure of the proxy. */
const QUIET_SHARE_MAX = 0.15;

const PUSH_CONNECTIONS = 32;
export const PUSHED_GRANTS = 10_000;

/** Beyond the window: dials, the slowest peer's answers, the client's own bookkeeping. */
const COMMAND_SLACK_MS = 45_000;

export type Measured = {
  readonly figures: Figures;
  readonly failures: readonly string[];
  /** What makes a figure doubtful. */
  readonly notes: readonly string[];
};

export async function measure(
  target: Target,
  client: Child,
  firstHosts: readonly string[],
  { machine, options }: { readonly machine: Machine; readonly options: BenchOptions },
): Promise<Measured> {
  const measuring = new Measuring({ target, client, machine, windowMs: options.windowMs });
  const { groups } = options;
  const { pid, push } = target;
  if (groups.has('memory') && pid !== null) await measuring.memory(pid);
  if (groups.has('first') && pid !== null) await measuring.first(firstHosts);
  if (groups.has('connections')) await measuring.connections();
  if (groups.has('requests')) await measuring.requests();
  if (groups.has('push') && push !== undefined) await measuring.push(push);
  if (groups.has('bulk')) await measuring.bulk();
  if (groups.has('tunnels')) await measuring.manyTunnels();
  return measuring.measured;
}

type Parts = {
  readonly target: Target;
  readonly client: Child;
  readonly machine: Machine;
  readonly windowMs: number;
};

/** One target's measures, each a command to the client. */
class Measuring {
  readonly #parts: Parts;
  readonly #figures: Figures = {};
  readonly #failures: string[] = [];
  readonly #notes: string[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get measured(): Measured {
    return { figures: this.#figures, failures: this.#failures, notes: this.#notes };
  }

  async memory(pid: number): Promise<void> {
    const hold = { does: 'hold', tunnels: IDLE_TUNNELS } as const;
    Object.assign(this.#figures, withNumber('idleMb', residentMb(pid)));
    await this.#take(`${IDLE_TUNNELS} idle tunnels`, hold, result =>
      withNumber('tunnelsMb', result.residentMb),
    );
  }

  async first(hosts: readonly string[]): Promise<void> {
    const ask = { does: 'first', hosts } as const;
    await this.#take('first requests', ask, ({ p50, warmP50 }) => ({ firstP50: p50, warmP50 }));
  }

  async connections(): Promise<void> {
    const { windowMs } = this.#parts;
    const ask = { does: 'connections', concurrency: NEW_AT_ONCE, windowMs } as const;
    await this.#take('new connections', ask, result => ({
      newPerSecond: perSecond(result),
      newP50: result.p50,
      ...withNumber('cpuNew', cpuEach(result)),
    }));
  }

  async requests(): Promise<void> {
    for (const connections of CONNECTIONS) {
      await this.#take(`requests at ${connections}`, this.#load(connections, '/1k'), result => ({
        [`rps${connections}`]: perSecond(result),
        [`p50at${connections}`]: result.p50,
        [`p99at${connections}`]: result.p99,
        ...withNumber(`cpu${connections}`, cpuEach(result)),
        ...withNumber(`busy${connections}`, result.cpuMs === null ? null : (100 * result.cpuMs) / result.ms),
      }));
    }
  }

  /** Any request that fails while the policy is replaced fails the measure. */
  async push(push: NonNullable<Target['push']>): Promise<void> {
    const load = this.#take('a push under load', this.#load(PUSH_CONNECTIONS, '/1k'), result => ({
      pushP99: result.p99,
    }));
    await new Promise(resolve => setTimeout(resolve, (this.#parts.windowMs * 3) / 4));
    const startedAt = performance.now();
    await push(PUSHED_GRANTS);
    this.#figures.pushMs = performance.now() - startedAt;
    await load;
  }

  async bulk(): Promise<void> {
    await this.#take('10 MB bodies', this.#load(BULK_CONNECTIONS, '/10m'), result => ({
      mbPerSecond: result.bytes / 1_000 / result.ms,
      ...withNumber('cpuPerMb', result.cpuMs === null ? null : (result.cpuMs * 1_000) / (result.bytes / 1e6)),
    }));
  }

  async manyTunnels(): Promise<void> {
    const many = { does: 'hold', tunnels: MANY_IDLE_TUNNELS } as const;
    await this.#take(`${MANY_IDLE_TUNNELS} idle tunnels`, many, result =>
      withNumber('manyTunnelsMb', result.residentMb),
    );
  }

  #load(connections: number, path: string): Omit<Command & { does: 'requests' }, 'route' | 'pid'> {
    const { target, windowMs } = this.#parts;
    const request = getRequest(HOST, target.route.originPort, path);
    return { does: 'requests', connections, host: HOST, requests: [request], windowMs };
  }

  async #take(
    what: string,
    rest: Omit<Command, 'route' | 'pid'>,
    keep: (result: Result) => Figures,
  ): Promise<void> {
    const { target, client, machine, windowMs } = this.#parts;
    client.send({ route: target.route, pid: target.pid, ...rest } as Command);
    const answer = await client.message<Answer>(what, windowMs + COMMAND_SLACK_MS);
    if (!answer.ok) {
      this.#failures.push(`${what}: ${answer.why}`);
      return;
    }
    Object.assign(this.#figures, keep(answer.result));
    const others = othersShare(answer.result);
    if (machine.pinned && others > QUIET_SHARE_MAX)
      this.#notes.push(`${what}: other programs took ${Math.round(100 * others)}% of the proxy’s core`);
  }
}

/** 0–1; what the proxy's core did that was not the proxy. 0 where there is no proxy or no telling. */
function othersShare({ cpuMs, coreMs, ms }: Result): number {
  return cpuMs === null || coreMs === null ? 0 : (coreMs - cpuMs) / ms;
}

function perSecond({ count, ms }: Result): number {
  return (count * 1_000) / ms;
}

/** CPU microseconds of the proxy for each thing done. */
function cpuEach({ cpuMs, count }: Result): number | null {
  return cpuMs === null || count === 0 ? null : (cpuMs * 1_000) / count;
}

function withNumber<Name extends Figure>(name: Name, value: number | null): Figures {
  return value === null ? {} : { [name]: value };
}

/** Each figure's median over the rounds that have it. */
export function medians(rounds: readonly Figures[]): Figures {
  const middle: Figures = {};
  for (const figure of FIGURES) {
    const values = rounds.flatMap(round => round[figure] ?? []).sort((a, b) => a - b);
    if (values.length > 0) middle[figure] = values[Math.floor(values.length / 2)]!;
  }
  return middle;
}
