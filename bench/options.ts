// The command line of `npm run bench`, parsed once.
import { parseArgs } from 'node:util';

/** Every proxy that can be measured, in the order of the table. */
export const TARGETS = ['direct', 'nginx', 'tunnel', 'wrld', 'http-mitm-proxy', 'mockttp'] as const;
export type TargetName = (typeof TARGETS)[number];

export const GROUPS = [
  'requests',
  'connections',
  'first',
  'bulk',
  'memory',
  'push',
  'tunnels',
  'decide',
  'mint',
  'parse',
  'journal',
  'store',
  'operations',
  'mails',
  'catch-up',
  'twins',
  'versions',
  'replay',
  'looks',
  'workers',
  'contained',
  'attach',
  'native',
] as const;
/** The measures that load a proxy, and so need an upstream and a client. */
export const NETWORK_GROUPS = ['requests', 'connections', 'first', 'bulk', 'memory', 'push'] as const;
export type Group = (typeof GROUPS)[number];

export type BenchOptions = {
  readonly rounds: number;
  /** How long one measured window lasts, milliseconds. */
  readonly windowMs: number;
  /** Hosts asked for the first time, a round. */
  readonly firstHosts: number;
  readonly targets: ReadonlySet<TargetName>;
  readonly groups: ReadonlySet<Group>;
  /** Keep what comes of it (results.ts), and write docs/benchmarks.md of all that is kept. */
  readonly write: boolean;
  /** Write the tables there as JSON; null for nowhere. */
  readonly json: string | null;
};

export const HELP = `npm run bench -- [options]

Measures the proxy and the twins beside their peers, and the store, on loopback, in one run, and prints tables. It
takes most of an hour, much of it for a store of a million entries and the twins' operations, and two GB of the temporary folder.

  --quick          one short round instead of the median of three, and no store of a million: some four minutes
  --only <names>   comma-separated targets and measures to run; all by default
                   targets:  ${TARGETS.join(', ')}
                   measures: ${GROUPS.join(', ')}
  --write          keep what comes of these measures, and write docs/benchmarks.md of all that is kept
  --json <file>    write the tables there as JSON
  --help           this text

nginx (upstream and reference) is used when it is on the PATH; a Node TLS server answers otherwise.
`;

export type Parsed =
  | { readonly ok: true; readonly options: BenchOptions }
  | { readonly ok: false; readonly help: boolean; readonly why: string };

export function parseOptions(argv: readonly string[]): Parsed {
  let values: { quick?: boolean; only?: string[]; write?: boolean; json?: string; help?: boolean };
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: {
        quick: { type: 'boolean' },
        only: { type: 'string', multiple: true },
        write: { type: 'boolean' },
        json: { type: 'string' },
        help: { type: 'boolean' },
      },
    }));
  } catch (error) {
    return { ok: false, help: false, why: (error as Error).message };
  }
  if (values.help) return { ok: false, help: true, why: '' };
  const only = (values.only ?? []).flatMap(list => list.split(',')).filter(name => name !== '');
  const targets = TARGETS.filter(name => only.includes(name));
  const groups = GROUPS.filter(name => only.includes(name));
  const unknown = only.filter(name => !isOneOf(TARGETS, name) && !isOneOf(GROUPS, name));
  if (unknown.length > 0) {
    const accepted = [...TARGETS, ...GROUPS].join(', ');
    return {
      ok: false,
      help: false,
      why: `--only ${unknown.join(',')}: no such target or measure; accepted: ${accepted}`,
    };
  }
  const loads = NETWORK_GROUPS.filter(group => groups.length === 0 || groups.includes(group));
  const someProxies = targets.length > 0 || (loads.length > 0 && loads.length < NETWORK_GROUPS.length);
  if (values.write && (values.quick || someProxies))
    return {
      ok: false,
      help: false,
      why: '--write keeps the medians of three rounds, and those of all proxies together: it takes neither --quick nor some of them',
    };
  return {
    ok: true,
    options: {
      rounds: values.quick ? 1 : 3,
      windowMs: values.quick ? 1_000 : 3_000,
      firstHosts: values.quick ? 20 : 50,
      targets: new Set(targets.length > 0 ? targets : TARGETS),
      groups: new Set(groups.length > 0 ? groups : GROUPS),
      write: values.write === true,
      json: values.json ?? null,
    },
  };
}

function isOneOf<T extends string>(all: readonly T[], name: string): name is T {
  return all.some(one => one === name);
}
