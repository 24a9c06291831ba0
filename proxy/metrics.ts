// The proxy's counters, gauges and histograms: numbers in one typed array, each at a place known in advance, so
// that counting is an addition. The array may be shared memory: with several workers any of them can sum all.
// Text is made of it only when somebody asks (proxy/metrics-text.ts).
import { RULE_NAMES, type RuleName } from '../policy/rules.ts';
import type { FailureStage } from './upstream/failure.ts';

/** What a request was decided to be; `unjudged`: malformed, unidentified, or the proxy's own pages. */
export const VERDICTS = [
  'twin',
  'world',
  'app',
  'service',
  'egress',
  'stream',
  'tunnel',
  'refuse',
  'unjudged',
] as const;
export type Verdict = (typeof VERDICTS)[number];

export const STAGES: readonly FailureStage[] = [
  'resolve',
  'connect',
  'proxy',
  'tls',
  'closed',
  'unreadable',
  'stalled',
  'loop',
  'descriptors',
];

/** Latencies are told apart by who answers; `own`: the world's endpoints, its services, the app. */
export const ANSWERERS = ['twin', 'egress', 'own'] as const;
export type Answerer = (typeof ANSWERERS)[number];

export const COUNTERS = [
  'connections',
  /** Answered 503 or closed at accept: CLIENT_CONNECTIONS_MAX. */
  'connectionsRefused',
  'tunnels',
  /** TUNNELS_PER_RUN_MAX. */
  'tunnelsRefused',
  'leafMints',
  /** LEAF_MINTS_PER_SECOND_MAX. */
  'leafMintsRefused',
  'bytesFromClients',
  'bytesToClients',
  /** Requests whose client or upstream went away before the answer's end. */
  'cut',
  'pushes',
  'pushesRejected',
  /** Of this log: nobody took them, and there were too many to keep. */
  'logLinesLost',
  /** The system had none for us: no descriptors left. */
  'acceptsFailed',
] as const;
export type Counter = (typeof COUNTERS)[number];

export const GAUGES = [
  'connectionsOpen',
  'tunnelsOpen',
  'upstreamsIdle',
  'leavesHeld',
  'snapshotVersion',
] as const;
export type Gauge = (typeof GAUGES)[number];

/** Upper bounds in milliseconds: 1/16, doubling, to 65,536; one more place for what took longer. */
export const BUCKETS = Array.from({ length: 21 }, (_, nth) => 2 ** nth / 16);
/** Its buckets and the last one, then the sum in milliseconds. */
const HISTOGRAM = BUCKETS.length + 2;

/** 1xx to 5xx. */
const CLASSES = 5;

const AT_VERDICTS = 0;
const AT_RULES = AT_VERDICTS + VERDICTS.length;
const AT_CLASSES = AT_RULES + RULE_NAMES.length;
const AT_STAGES = AT_CLASSES + CLASSES;
const AT_COUNTERS = AT_STAGES + STAGES.length;
const AT_GAUGES = AT_COUNTERS + COUNTERS.length;
const AT_TOTAL = AT_GAUGES + GAUGES.length;
const AT_FIRST_BYTE = AT_TOTAL + ANSWERERS.length * HISTOGRAM;
const SIZE = AT_FIRST_BYTE + ANSWERERS.length * HISTOGRAM;

/** Shared memory that one worker's metrics take. Bytes. */
export const METRICS_BYTES = SIZE * Float64Array.BYTES_PER_ELEMENT;

const places = <Name extends string>(names: readonly Name[], from: number): ReadonlyMap<Name, number> =>
  new Map(names.map((name, nth) => [name, from + nth]));
const VERDICT_AT = places(VERDICTS, AT_VERDICTS);
const RULE_AT = places(RULE_NAMES, AT_RULES);
const STAGE_AT = places(STAGES, AT_STAGES);
const COUNTER_AT = places(COUNTERS, AT_COUNTERS);
const GAUGE_AT = places(GAUGES, AT_GAUGES);
const ANSWERER_AT = places(ANSWERERS, 0);

export type Histogram = {
  readonly counts: readonly number[];
  readonly count: number;
  readonly sumMs: number;
};

export class Metrics {
  readonly #values: Float64Array;

  constructor(memory: ArrayBufferLike = new ArrayBuffer(METRICS_BYTES)) {
    this.#values = new Float64Array(memory, 0, SIZE);
  }

  /** One that holds the sum of others: every number here adds up but the snapshot's version. */
  static sum(all: readonly Metrics[]): Metrics {
    const sum = new Metrics();
    for (const { values } of all) for (let at = 0; at < SIZE; at++) sum.#values[at]! += values[at]!;
    const versions = all.map(one => one.gauge('snapshotVersion'));
    // What all of them judge by at least.
    sum.set('snapshotVersion', versions.length === 0 ? 0 : Math.min(...versions));
    return sum;
  }

  get values(): Float64Array {
    return this.#values;
  }

  add(counter: Counter, by = 1): void {
    this.#values[COUNTER_AT.get(counter)!]! += by;
  }

  /** Of a gauge that is counted up and down. */
  move(gauge: Gauge, by: 1 | -1): void {
    this.#values[GAUGE_AT.get(gauge)!]! += by;
  }

  set(gauge: Gauge, value: number): void {
    this.#values[GAUGE_AT.get(gauge)!] = value;
  }

  /** What a worker that died held open is closed: counters stay, gauges begin anew. */
  clearGauges(): void {
    this.#values.fill(0, AT_GAUGES, AT_TOTAL);
  }

  judged(verdict: Verdict, rule: RuleName | null): void {
    this.#values[VERDICT_AT.get(verdict)!]!++;
    if (rule !== null) this.#values[RULE_AT.get(rule)!]!++;
  }

  answered(status: number): void {
    this.#values[AT_CLASSES + Math.min(Math.max(Math.floor(status / 100), 1), CLASSES) - 1]!++;
  }

  failed(stage: FailureStage): void {
    this.#values[STAGE_AT.get(stage)!]!++;
  }

  total(answerer: Answerer, ms: number): void {
    this.#observe(AT_TOTAL + ANSWERER_AT.get(answerer)! * HISTOGRAM, ms);
  }

  firstByte(answerer: Answerer, ms: number): void {
    this.#observe(AT_FIRST_BYTE + ANSWERER_AT.get(answerer)! * HISTOGRAM, ms);
  }

  #observe(at: number, ms: number): void {
    this.#values[at + bucketOf(ms)]!++;
    this.#values[at + HISTOGRAM - 1]! += ms;
  }

  counter(counter: Counter): number {
    return this.#values[COUNTER_AT.get(counter)!]!;
  }

  gauge(gauge: Gauge): number {
    return this.#values[GAUGE_AT.get(gauge)!]!;
  }

  verdict(verdict: Verdict): number {
    return this.#values[VERDICT_AT.get(verdict)!]!;
  }

  rule(rule: RuleName): number {
    return this.#values[RULE_AT.get(rule)!]!;
  }

  /** 1 for 1xx. */
  statusClass(hundred: number): number {
    return this.#values[AT_CLASSES + hundred - 1]!;
  }

  stage(stage: FailureStage): number {
    return this.#values[STAGE_AT.get(stage)!]!;
  }

  totals(answerer: Answerer): Histogram {
    return this.#histogram(AT_TOTAL + ANSWERER_AT.get(answerer)! * HISTOGRAM);
  }

  firstBytes(answerer: Answerer): Histogram {
    return this.#histogram(AT_FIRST_BYTE + ANSWERER_AT.get(answerer)! * HISTOGRAM);
  }

  #histogram(at: number): Histogram {
    const counts = [...this.#values.subarray(at, at + BUCKETS.length + 1)];
    return {
      counts,
      count: counts.reduce((sum, count) => sum + count, 0),
      sumMs: this.#values[at + HISTOGRAM - 1]!,
    };
  }
}

/** The first bucket whose upper bound is not below `ms`; a logarithm by counting zeroes. */
export function bucketOf(ms: number): number {
  const steps = ms * 16;
  if (steps <= 1) return 0;
  if (steps > 2 ** (BUCKETS.length - 1)) return BUCKETS.length;
  return 32 - Math.clz32(Math.ceil(steps) - 1);
}
