// The journal of requests: what became of each, written once when it is over, into the metrics and as one line. A line
// holds no secret: no query, no header but the trace id, no user information.
import type { RuleName } from '../policy/rules.ts';
import type { Account } from './account.ts';
import type { RequestHead } from './http1/request.ts';
import type { Judged } from './judge.ts';
import { JOURNAL_TEXT_CHARS_MAX } from './limits.ts';
import type { Answerer, Metrics, Verdict } from './metrics.ts';
import type { TunnelAsk } from './place.ts';

/** pino's destination. A line is put together here: pino's own way takes four microseconds, this takes one. */
export type LineSink = { write(line: string): unknown };

/** pino's number of `info`. */
const INFO = 30;

/** How a request came in, where no judge says so. */
export type Over = 'http1' | 'http2';

export class Journal {
  readonly metrics: Metrics;
  readonly #lines: LineSink | null;
  readonly #begin: string;
  #startedAt = 0;
  #started = '';

  /** `lines` null: metrics alone. `worker`: which of several writes. */
  constructor(metrics: Metrics, lines: LineSink | null, worker: number | null = null) {
    this.metrics = metrics;
    this.#lines = lines;
    this.#begin = `,"name":"proxy"${worker === null ? '' : `,"worker":${worker}`}`;
  }

  /** A request is over: answered, refused or cut. `head` and `judged` are null where it did not come so far. */
  request(
    account: Account,
    head: RequestHead | null,
    judged: Judged | null,
    over: Over,
    whole: boolean,
  ): void {
    account.open = false;
    const endedAt = performance.now();
    const { metrics } = this;
    const decision = judged?.decision;
    const rule = account.rule ?? (decision?.to === 'refuse' ? decision.refusal.rule : null);
    const verdict: Verdict = rule !== null ? 'refuse' : (decision?.to ?? 'unjudged');
    metrics.judged(verdict, rule);
    if (account.status > 0) metrics.answered(account.status);
    if (account.failure !== null) metrics.failed(account.failure);
    if (!whole) metrics.add('cut');
    metrics.add('bytesFromClients', account.bytesIn);
    metrics.add('bytesToClients', account.bytesOut);
    const answerer = answererOf(verdict);
    if (answerer !== null && whole) {
      metrics.total(answerer, endedAt - account.startedAt);
      if (account.firstByteAt > 0) metrics.firstByte(answerer, account.firstByteAt - account.startedAt);
    }
    if (this.#lines === null) return;
    let line = this.#start();
    if (judged === null) line += `,"transport":"${over}"`;
    else {
      const { ask } = judged;
      line += `,"run":${jsonText(ask.run.name)},"scheme":"${ask.scheme}","host":${jsonText(hostText(ask.authority))},"path":${jsonText(withoutQuery(ask.path))},"transport":"${ask.transport}"`;
    }
    if (head !== null) line += `,"method":"${head.method}"`;
    line += `,"decision":"${verdict}"`;
    if (rule !== null) line += `,"rule":"${rule}"`;
    if (decision?.to === 'twin') line += `,"vendor":${jsonText(decision.vendor)}`;
    line += `,"status":${account.status}`;
    if (!whole) line += ',"whole":false';
    if (account.failure !== null) line += `,"failed":"${account.failure}"`;
    line += `,"bytesIn":${account.bytesIn},"bytesOut":${account.bytesOut}`;
    const { startedAt, decidedAt, connectedAt, firstByteAt } = account;
    if (decidedAt > 0) line += `,"decidedMs":${since(startedAt, decidedAt)}`;
    if (connectedAt > 0) line += `,"connectedMs":${since(startedAt, connectedAt)},"reused":${account.reused}`;
    if (firstByteAt > 0) line += `,"firstByteMs":${since(startedAt, firstByteAt)}`;
    line += `,"ms":${since(startedAt, endedAt)}`;
    const trace = head === null ? null : traceOf(head.forwarded);
    if (trace !== null) line += `,"trace":"${trace}"`;
    this.#lines.write(`${line},"msg":"request"}\n`);
  }

  /** Many lines fall into one millisecond, and begin alike. */
  #start(): string {
    const now = Date.now();
    if (now !== this.#startedAt) {
      this.#startedAt = now;
      this.#started = `{"level":${INFO},"time":${now}${this.#begin}`;
    }
    return this.#started;
  }

  /** A tunnel whose bytes are no request that could be read: relayed unread, or refused. */
  tunnel(ask: TunnelAsk, verdict: 'stream' | 'tunnel' | 'refuse', rule: RuleName | null): void {
    this.metrics.judged(verdict, rule);
    if (this.#lines === null) return;
    const { host, port } = ask.authority;
    let line = `${this.#start()},"run":${jsonText(ask.run.name)},"method":"CONNECT","host":${jsonText(host)},"port":${port}`;
    line += `,"transport":"raw","decision":"${verdict}"`;
    if (rule !== null) line += `,"rule":"${rule}"`;
    this.#lines.write(`${line},"msg":"tunnel"}\n`);
  }
}

/** As JSON, cut to a length that a line can bear. */
function jsonText(text: string): string {
  return JSON.stringify(text.length > JOURNAL_TEXT_CHARS_MAX ? text.slice(0, JOURNAL_TEXT_CHARS_MAX) : text);
}

function answererOf(verdict: Verdict): Answerer | null {
  switch (verdict) {
    case 'twin':
    case 'egress':
      return verdict;
    case 'world':
    case 'app':
    case 'service':
      return 'own';
    default:
      return null;
  }
}

function hostText(authority: Judged['ask']['authority']): string {
  if (authority.ok) return authority.host;
  // What nobody could read may hold anything: user information and a query are cut off.
  return withoutQuery(authority.text.slice(authority.text.lastIndexOf('@') + 1));
}

function withoutQuery(path: string): string {
  const end = path.search(/[?#]/);
  return end === -1 ? path : path.slice(0, end);
}

/** `.000` to `.999`: making text of a fraction costs more than all the rest of a line. */
const THOUSANDTHS = Array.from({ length: 1_000 }, (_, nth) => `.${String(nth).padStart(3, '0')}`);

/** Milliseconds with three digits after the point. */
function since(from: number, to: number): string {
  const microseconds = Math.max(0, Math.round((to - from) * 1_000));
  const milliseconds = Math.floor(microseconds / 1_000);
  return milliseconds + THOUSANDTHS[microseconds - milliseconds * 1_000]!;
}

const TRACE_PARENT = /\ntraceparent:[ \t]*[0-9a-f]{2}-([0-9a-f]{32})-/i;

/** The trace id of W3C's `traceparent`, looked for only where its letters occur at all. */
export function traceOf(fields: string): string | null {
  if (!/raceparent/i.test(fields)) return null;
  return TRACE_PARENT.exec(`\n${fields}`)?.[1]?.toLowerCase() ?? null;
}
