// Where we stand against what we set out to reach: every target with what this run measured, and why one is missed.
import type { Figures } from './measures.ts';
import type { Row, Table } from './report.ts';

/** Of this run: the proxies by name, and what single tables say of themselves (`Table.figures`). */
type Run = {
  readonly wrld: Figures;
  readonly of: (name: Row['name']) => Figures;
  readonly told: { readonly [figure: string]: number };
};

type Target = {
  readonly what: string;
  /** `least`: the measured value is to be at least that; `most`: at most. */
  readonly least?: number;
  readonly most?: number;
  readonly unit: string;
  readonly measured: (run: Run) => number | undefined;
  /** Why it is missed, where it is. */
  readonly why?: string;
};

const over = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined || b === 0 ? undefined : a / b;

const FLOOR =
  'Node’s own sockets and TLS are most of it: the same bytes passed on by a bare Node loop, without policy, journal or metrics, cost 1.1 times nginx.';
const SHARED = 'Client, upstream and what else the machine does share its second core with it.';

const COMMITTED =
  'Each is committed, with its versions and its entries, before it is answered: half of it is SQLite’s.';

const TARGETS: readonly Target[] = [
  {
    what: 'CPU a kept-alive request, over nginx’s',
    most: 1.25,
    unit: '×',
    measured: ({ wrld, of }) => over(wrld.cpu32, of('nginx').cpu32),
    why: FLOOR,
  },
  {
    what: 'kept-alive requests, over http-mitm-proxy’s',
    least: 7,
    unit: '×',
    measured: ({ wrld, of }) => over(wrld.rps32, of('http-mitm-proxy').rps32),
    why: 'Node 26 made that peer faster than where the target was taken; CPU a request is the steadier measure.',
  },
  {
    what: 'kept-alive requests, over mockttp’s',
    least: 14,
    unit: '×',
    measured: ({ wrld, of }) => over(wrld.rps32, of('mockttp').rps32),
    why: 'Node 26 made that peer faster than where the target was taken.',
  },
  {
    what: 'p99 at 32 connections, over nginx’s',
    most: 1.5,
    unit: '×',
    measured: ({ wrld, of }) => over(wrld.p99at32, of('nginx').p99at32),
    why: 'Its core is full at 32 connections, and each turn of Node’s loop answers many at once.',
  },
  {
    what: 'new connections, over nginx’s',
    least: 0.85,
    unit: '×',
    measured: ({ wrld, of }) => over(wrld.newPerSecond, of('nginx').newPerSecond),
    why: 'A CONNECT and its answer come before the handshake that nginx has alone.',
  },
  {
    what: 'new connections, over http-mitm-proxy’s',
    least: 1.8,
    unit: '×',
    measured: ({ wrld, of }) => over(wrld.newPerSecond, of('http-mitm-proxy').newPerSecond),
    why: 'The load client’s own handshakes are what ends first on two cores; CPU a connection tells more.',
  },
  {
    what: 'first request to a host never seen, over a warm one',
    most: 1,
    unit: ' ms',
    measured: ({ wrld }) =>
      wrld.firstP50 === undefined || wrld.warmP50 === undefined
        ? undefined
        : (wrld.firstP50 - wrld.warmP50) / 1_000,
    why: 'The leaf takes a third of a millisecond; the rest is a first handshake with an origin that cannot resume one.',
  },
  {
    what: '10 MB bodies, MB/s over nginx’s',
    least: 0.8,
    unit: '×',
    measured: ({ wrld, of }) => over(wrld.mbPerSecond, of('nginx').mbPerSecond),
    why: 'Every record passes from OpenSSL through Node’s streams and back; nginx hands it on without leaving C.',
  },
  {
    what: 'an idle tunnel',
    most: 50,
    unit: ' KB',
    measured: ({ told }) => told['idleTunnelKb'],
  },
  {
    what: 'a twin’s reads a second, through the proxy',
    least: 8_000,
    unit: '',
    measured: ({ told }) => told['twinReads'],
    why: SHARED,
  },
  {
    what: 'a twin’s logged writes a second, through the proxy',
    least: 4_000,
    unit: '',
    measured: ({ told }) => told['twinWrites'],
    why: 'A write is some forty rows in ten pages, committed before it is answered. The load client takes one of the two cores.',
  },
  {
    what: 'what falls due as subscriptions renew, CPU an entry',
    most: 600,
    unit: ' µs',
    measured: ({ told }) => told['catchUpUs'],
    why: 'Two fifths of it are SQLite’s; a month of a subscription is some eighty rows and a dozen events.',
  },
  {
    what: 'the same, of the store',
    most: 6,
    unit: ' KB',
    measured: ({ told }) => told['catchUpKb'],
    why: 'Invoice, charge, payment and their lines are four kilobytes by themselves; the invoice that is only announced is kept nowhere else and stands in its event whole.',
  },
  {
    what: '1,000 subscriptions advanced by 12 months',
    most: 12,
    unit: ' s',
    measured: ({ told }) => told['catchUpSeconds'],
    why: 'It is those 36,000 entries one after the other, beside somebody who asks all the time.',
  },
  {
    what: 'p99 of who asks meanwhile, their turn waited for',
    most: 100,
    unit: ' ms',
    measured: ({ told }) => told['catchUpP99'],
    why: 'When the log is begun anew, the loop waits for the disk’s two syncs: a tenth of a second here, once in 64 MB.',
  },
  {
    what: 'one decide() of what is granted, with 100,000 grants',
    most: 1_000,
    unit: ' ns',
    measured: ({ told }) => told['decideNs'],
  },
  {
    what: '10,000 grants pushed under load, in force after',
    most: 50,
    unit: ' ms',
    measured: ({ wrld }) => wrld.pushMs,
    why: SHARED,
  },
  {
    what: 'two workers, over one',
    least: 1.8,
    unit: '×',
    measured: ({ told }) => told['workersGain'],
    why: 'The target wants the client elsewhere; here client and upstream have the second core already.',
  },
  {
    what: 'from start to listening',
    most: 150,
    unit: ' ms',
    measured: ({ wrld }) => wrld.startMs,
    why: 'The blind tunnel’s start is that of Node and one small file; the rest is the proxy’s modules, read as TypeScript, and its authority.',
  },
  {
    what: 'a page of 50 of the timeline, CPU',
    most: 0.3,
    unit: ' ms',
    measured: ({ told }) => told['timelineMs'],
  },
  {
    what: 'the report of a day’s requests, of a full journal, CPU',
    most: 5,
    unit: ' ms',
    measured: ({ told }) => told['reportMs'],
  },
  {
    what: 'the longest turn of it, in which nobody else is answered',
    most: 10,
    unit: ' ms',
    measured: ({ told }) => told['reportTurnMs'],
  },
  {
    what: 'first answer of a branch of 100,000 records',
    most: 100,
    unit: ' ms',
    measured: ({ told }) => told['firstTouchMs'],
  },
  {
    what: 'wrld --help',
    most: 120,
    unit: ' ms',
    measured: ({ told }) => told['helpMs'],
    why: 'Two thirds of it are Node’s own start.',
  },
  {
    what: 'wrld world up to ready',
    most: 600,
    unit: ' ms',
    measured: ({ told }) => told['upMs'],
    why: 'Two processes start one after the other: the proxy when the world is open.',
  },
  {
    what: 'the same of a world with 256 branches, as many as one takes',
    most: 1_000,
    unit: ' ms',
    measured: ({ told }) => told['upBranchesMs'],
  },
  {
    what: 'wrld world run -- true in a world that is up',
    most: 200,
    unit: ' ms',
    measured: ({ told }) => told['runMs'],
    why: 'A Node starts, and asks the world three times.',
  },
  {
    what: 'model answers, over aimock’s in memory',
    least: 1,
    unit: '×',
    measured: ({ told }) => told['modelAnswers'],
    why: 'Each is an entry of a log and a record, committed before it is answered: two thirds of its CPU.',
  },
  {
    what: 'a confirmed payment intent, CPU',
    most: 290,
    unit: ' µs',
    measured: ({ told }) => told['confirmedUs'],
    why: COMMITTED,
  },
  {
    what: 'the same, over emulate’s in memory',
    most: 2,
    unit: '×',
    measured: ({ told }) => told['confirmedOver'],
    why: 'It keeps one record of it and no log: here payment intent, charge, balance and two events stand, each with its version.',
  },
  {
    what: 'a subscription with its first invoice, CPU',
    most: 700,
    unit: ' µs',
    measured: ({ told }) => told['subscriptionUs'],
    why: COMMITTED,
  },
  {
    what: 'customers created, over emulate’s rate',
    least: 1.2,
    unit: '×',
    measured: ({ told }) => told['createOver'],
    why: COMMITTED,
  },
  {
    what: 'customers updated, over emulate’s rate',
    least: 1,
    unit: '×',
    measured: ({ told }) => told['updateOver'],
    why: COMMITTED,
  },
  {
    what: 'p99 of 16 writers to a store of 1,000,000 records',
    most: 25,
    unit: ' ms',
    measured: ({ told }) => told['writeP99Ms'],
    why: 'What a write changes is scattered over all of the file, whose pages are in nobody’s cache.',
  },
  {
    what: 'p99.9 of the same',
    most: 50,
    unit: ' ms',
    measured: ({ told }) => told['writeP999Ms'],
    why: 'While the log is brought into the file, whoever writes has the disk to share.',
  },
  ...(['a payment, written', 'a subscription', 'ten invoices', 'ten payment intents'] as const).map(
    (what): Target => ({
      what: `${what}, answered in 2020-08-27, CPU over today’s with as much in it`,
      most: 10,
      unit: ' %',
      measured: ({ told }) => told[`2020-08-27 ${what}`],
    }),
  ),
  ...(
    [
      [
        'ten invoices',
        'An older invoice holds its prices and plans whole, and what its payment intent says today: half as many bytes again.',
      ],
      [
        'ten payment intents',
        'Each of them has its charges with their refunds in it there: ten records more are read, and 3.6 times the bytes are written.',
      ],
    ] as const
  ).map(
    ([what, why]): Target => ({
      what: `${what}, answered in 2020-08-27, CPU over today’s as it comes`,
      most: 10,
      unit: ' %',
      measured: ({ told }) => told[`2020-08-27 ${what}, as it comes`],
      why,
    }),
  ),
  {
    what: 'mails a second, at 8 connections',
    least: 4_000,
    unit: '',
    measured: ({ told }) => told['mails'],
    why: 'Each is parsed, kept and in the log before it is acknowledged, in four commands that are answered one after the other.',
  },
  {
    what: 'a contained run’s start, over one by variables',
    most: 150,
    unit: ' ms',
    measured: ({ told }) => told['containedMs'],
  },
  {
    what: 'reads of a contained client at 32 connections, over one by variables',
    least: 0.8,
    unit: '×',
    measured: ({ told }) => told['containedGain'],
  },
  {
    what: 'a JavaScript program’s start with its hooks, over its own',
    most: 30,
    unit: ' ms',
    measured: ({ told }) => told['attachMs'],
  },
  {
    what: 'a native run’s start, over the program’s own',
    most: 200,
    unit: ' ms',
    measured: ({ told }) => told['nativeMs'],
  },
  {
    what: 'a replayed piece from its distance to the first, p99',
    most: 5,
    unit: ' ms',
    measured: ({ told }) => told['replayP99'],
    why: SHARED,
  },
];

/** Null where nothing that a target is about was measured. */
export function standingTable(rows: readonly Row[], tables: readonly Table[]): Table | null {
  const of = (name: Row['name']): Figures => rows.find(row => row.name === name)?.figures ?? {};
  const told = Object.assign({}, ...tables.map(({ figures }) => figures ?? {})) as Run['told'];
  const run: Run = { wrld: of('wrld'), of, told };
  const foot: string[] = [];
  const shown = TARGETS.flatMap(({ what, least, most, unit, measured, why }) => {
    const value = measured(run);
    if (value === undefined) return [];
    const met = (least === undefined || value >= least) && (most === undefined || value <= most);
    if (!met && why !== undefined) foot.push(`${what}: ${why}`);
    const target =
      least === undefined ? `at most ${written(most!)}${unit}` : `at least ${written(least)}${unit}`;
    return [[what, target, `${written(value)}${unit}`, met ? 'met' : 'missed']];
  });
  if (shown.length === 0) return null;
  return { title: 'What we set out to reach', head: ['', 'target', 'measured', ''], rows: shown, foot };
}

const written = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
