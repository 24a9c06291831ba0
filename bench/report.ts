// Tables of a run: for the terminal, and as docs/benchmarks.md.
import type { Machine, Memory } from './machine.ts';
import { type Figure, type Figures, IDLE_TUNNELS, MANY_IDLE_TUNNELS, PUSHED_GRANTS } from './measures.ts';
import type { BenchOptions, TargetName } from './options.ts';

export type Table = {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What a reader has to know besides: a line each. */
  readonly foot?: readonly string[];
  /** For the table of targets (standing.ts). */
  readonly figures?: { readonly [figure: string]: number };
};

export type Row = { readonly name: TargetName; readonly figures: Figures };

const LABELS: { readonly [name in TargetName]: string } = {
  direct: 'direct, no proxy',
  nginx: 'nginx, TLS reverse proxy (C)',
  tunnel: 'Node, blind CONNECT tunnel',
  wrld: 'wrld',
  'http-mitm-proxy': 'http-mitm-proxy 1.1.0',
  mockttp: 'mockttp 4.6.5',
};

export function requestTable(rows: readonly Row[]): Table {
  const direct = rows.find(row => row.name === 'direct')?.figures ?? {};
  return {
    title:
      'Kept-alive requests for 1 KB: a second, p50/p99 µs, added over direct µs, CPU µs a request (proxy core busy)',
    head: [
      '',
      '1 connection',
      'added',
      'CPU',
      '32 connections',
      'added',
      'CPU',
      '256 connections',
      'added',
      'CPU',
    ],
    rows: rows.map(({ name, figures }) => [
      LABELS[name],
      ...([1, 32, 256] as const).flatMap(n => [
        cells(figures, `rps${n}`, [`p50at${n}`, `p99at${n}`]),
        name === 'direct' ? '–' : added(figures, direct, [`p50at${n}`, `p99at${n}`]),
        cpu(figures, `cpu${n}`, `busy${n}`),
      ]),
    ]),
  };
}

export function otherTable(rows: readonly Row[]): Table {
  return {
    title: `New connections (tunnel, full TLS handshake, one request); first request to a host never seen; 10 MB bodies; memory`,
    head: [
      '',
      'new/s',
      'p50 ms',
      'CPU µs/new',
      'first, p50 ms',
      'again, p50 ms',
      '10 MB: MB/s',
      'CPU µs/MB',
      `MB idle → ${IDLE_TUNNELS} idle tunnels`,
      'start ms',
    ],
    rows: rows.map(({ name, figures }) => [
      LABELS[name],
      whole(figures.newPerSecond),
      milli(figures.newP50),
      whole(figures.cpuNew),
      milli(figures.firstP50),
      milli(figures.warmP50),
      whole(figures.mbPerSecond),
      whole(figures.cpuPerMb),
      figures.tunnelsMb === undefined ? '–' : `${whole(figures.idleMb)} → ${whole(figures.tunnelsMb)}`,
      whole(figures.startMs),
    ]),
    foot: [
      'wrld’s start finds its code compiled by an earlier start, as it does outside this bench (the median of the rounds); the very first one on a machine takes about twice as long.',
    ],
  };
}

/** What matters across machines: ours against each peer in the same run; above 1 is better for us. */
export function ratioTable(rows: readonly Row[]): Table | null {
  const ours = rows.find(row => row.name === 'wrld')?.figures;
  if (ours === undefined || rows.length < 2) return null;
  const more = (theirs: Figures, figure: Figure): string => ratio(ours[figure], theirs[figure]);
  const less = (theirs: Figures, figure: Figure): string => ratio(theirs[figure], ours[figure]);
  return {
    title: 'wrld against each, same run (above 1: wrld does better)',
    head: [
      '',
      'req/s at 32',
      'CPU a request at 32',
      'p99 at 32',
      'new/s',
      'CPU a connection',
      'first request',
      '10 MB: MB/s',
    ],
    rows: rows
      .filter(row => row.name !== 'wrld')
      .map(({ name, figures }) => [
        LABELS[name],
        more(figures, 'rps32'),
        less(figures, 'cpu32'),
        less(figures, 'p99at32'),
        more(figures, 'newPerSecond'),
        less(figures, 'cpuNew'),
        less(figures, 'firstP50'),
        more(figures, 'mbPerSecond'),
      ]),
  };
}

/** Memory of ours at many idle tunnels: TLS ended, one request each, then silence. */
export function tunnelsTable({ idleMb, tunnelsMb, manyTunnelsMb }: Figures): Table | null {
  if (idleMb === undefined || manyTunnelsMb === undefined) return null;
  const each = (count: number, mb: number | undefined): string =>
    mb === undefined ? '–' : (((mb - idleMb) * 1024) / count).toFixed(1);
  return {
    title: 'Idle tunnels, memory',
    head: [
      '',
      'MB with none',
      ...[IDLE_TUNNELS, MANY_IDLE_TUNNELS].flatMap(count => [`MB at ${count}`, 'KB each']),
    ],
    rows: [
      [
        LABELS.wrld,
        whole(idleMb),
        whole(tunnelsMb),
        each(IDLE_TUNNELS, tunnelsMb),
        whole(manyTunnelsMb),
        each(MANY_IDLE_TUNNELS, manyTunnelsMb),
      ],
    ],
    figures: { idleTunnelKb: ((manyTunnelsMb - idleMb) * 1024) / MANY_IDLE_TUNNELS },
  };
}

/** What a large policy pushed in the middle of a load does; ours alone can be pushed to. */
export function pushTable(rows: readonly Row[]): Table | null {
  const { pushMs, pushP99, p99at32 } = rows.find(row => row.name === 'wrld')?.figures ?? {};
  if (pushMs === undefined) return null;
  return {
    title: `${PUSHED_GRANTS.toLocaleString('en-US')} grants pushed under load at 32 connections, no request dropped`,
    head: ['', 'in force after, ms', 'p99 of that window, µs', 'p99 without a push, µs'],
    rows: [[LABELS.wrld, pushMs.toFixed(1), whole(pushP99), whole(p99at32)]],
  };
}

export function asText({ title, head, rows, foot = [] }: Table): string {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map(row => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ');
  return [`${title}\n`, line(head), ...rows.map(line), ...foot.map(text => `  ${text}`), ''].join('\n');
}

export function asMarkdown({ title, head, rows, foot = [] }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = `|${head.map((_, column) => (column === 0 ? '---' : '--:')).join('|')}|`;
  const below = foot.length === 0 ? [] : ['', ...foot.map(text => `- ${text}`)];
  return [`## ${title}`, '', line(head), rule, ...rows.map(line), ...below, ''].join('\n');
}

export type RunFacts = {
  readonly machine: Machine;
  readonly memory: Memory;
  readonly options: BenchOptions;
  /** Null when nothing was loaded. */
  readonly upstream: string | null;
  readonly date: Date;
};

export function facts({ machine, memory, options, upstream, date }: RunFacts): string[] {
  const { rounds, windowMs } = options;
  const seats =
    machine.cores > 2
      ? 'proxy, client and upstream each on a core'
      : 'proxy on one core, client and upstream on the other';
  return [
    `${date.toISOString().slice(0, 10)}, ${machine.cores} cores, ${machine.cpu}, ${machine.system}, Node ${machine.node.slice(1)}`,
    `memory: ${Math.round(memory.readNs)} ns a read from anywhere in 16 MB, ${memory.touchUs.toFixed(1)} µs the first touch of a page`,
    ...(upstream === null
      ? []
      : [`upstream: ${upstream}; loopback; ${machine.pinned ? seats : 'not pinned to cores'}`]),
    rounds === 1
      ? `one round of ${windowMs} ms windows`
      : `medians of ${rounds} interleaved rounds of ${windowMs} ms windows`,
  ];
}

function cells(figures: Figures, count: Figure, [p50, p99]: readonly [Figure, Figure]): string {
  return figures[count] === undefined
    ? '–'
    : `${whole(figures[count])} (${whole(figures[p50])}/${whole(figures[p99])})`;
}

function added(figures: Figures, direct: Figures, [p50, p99]: readonly [Figure, Figure]): string {
  const over = (figure: Figure): string => {
    const [mine, base] = [figures[figure], direct[figure]];
    return mine === undefined || base === undefined ? '–' : whole(mine - base);
  };
  return over(p50) === '–' ? '–' : `+${over(p50)}/+${over(p99)}`.replaceAll('+-', '-');
}

function cpu(figures: Figures, each: Figure, busy: Figure): string {
  return figures[each] === undefined ? '–' : `${whole(figures[each])} (${whole(figures[busy])}%)`;
}

function ratio(a: number | undefined, b: number | undefined): string {
  if (a === undefined || b === undefined || b === 0) return '–';
  return `${(a / b).toFixed(a / b < 10 ? 2 : 1)}×`;
}

function whole(value: number | undefined): string {
  return value === undefined ? '–' : Math.round(value).toLocaleString('en-US');
}

/** Microseconds shown as milliseconds. */
function milli(value: number | undefined): string {
  return value === undefined ? '–' : (value / 1_000).toFixed(1);
}
