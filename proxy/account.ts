// What one request came to: its timings, its bytes, its end. Plain numbers, and one object for all requests of
// a connection, so that keeping it costs a request next to nothing.
import type { RuleName } from '../policy/rules.ts';
import type { FailureStage } from './upstream/failure.ts';

/** Times are monotonic milliseconds; 0: not reached. */
export class Account {
  /** A request is under way that has not been written to the journal. */
  open = false;
  startedAt = 0;
  decidedAt = 0;
  /** An upstream connection took the request. */
  connectedAt = 0;
  firstByteAt = 0;
  /** Bodies as they were framed by the other side, without chunk lines. Bytes. */
  bytesIn = 0;
  bytesOut = 0;
  /** 0: no answer was sent. */
  status = 0;
  /** The upstream connection had served a request before. */
  reused = false;
  failure: FailureStage | null = null;
  /** A refusal that was found out after the decision (an address inside). */
  rule: RuleName | null = null;

  start(): void {
    this.open = true;
    this.startedAt = performance.now();
    this.decidedAt = 0;
    this.connectedAt = 0;
    this.firstByteAt = 0;
    this.bytesIn = 0;
    this.bytesOut = 0;
    this.status = 0;
    this.reused = false;
    this.failure = null;
    this.rule = null;
  }

  decided(): void {
    this.decidedAt = performance.now();
  }

  /** Called at every resumption; the first one counts. */
  connected(): void {
    if (this.connectedAt === 0) this.connectedAt = performance.now();
  }

  answering(status: number, reused: boolean): void {
    this.firstByteAt = performance.now();
    this.status = status;
    this.reused = reused;
  }
}
