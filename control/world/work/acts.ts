// What a client has a twin do, by a call or over a socket: whatever is due comes first, then one transaction, and what
// goes wrong in it is told in the vendor's own shape.
import type { Call } from '../../../twins/kit/call.ts';
import { RefusedReply } from '../../../twins/kit/refusal.ts';
import { type Reply, withRetryAfter } from '../../../twins/kit/reply.ts';
import type { Tx } from '../../../twins/kit/tx.ts';
import type { Durability } from '../../ports/durability.ts';
import type { Log } from '../../ports/log.ts';
import { CATCH_UP_RETRY_AFTER_SECONDS, READ_AGAIN_TRIES_MAX } from '../limits.ts';
import type { Actor } from '../log/entry.ts';
import { BlobAway } from '../store/blob-away.ts';
import { BlobError } from '../store/blob-store.ts';
import { describeFault, isStoreFailure, storeLoss } from '../store/fault.ts';
import { RecordTooLarge } from '../store/outcome.ts';
import type { Threshold } from '../store/threshold.ts';
import type { CatchUp } from './catch-up.ts';
import { type Ledger, ReadOnlyViolation } from './ledger.ts';
import type { Seat } from './seat.ts';
import type { WorldClock } from './world-clock.ts';

type Parts = {
  readonly clock: WorldClock;
  readonly catchUp: CatchUp;
  readonly ledger: Ledger;
  readonly durability: Pick<Durability, 'resting'>;
  readonly threshold: Threshold;
  readonly processLog: Log;
  /** Of the world: aborted when it closes. */
  readonly lifetime: AbortSignal;
};

const CLIENT: Actor = { type: 'client' };
const READ_ONLY = 'This token reads only; the request would change something.';

const isRead = ({ method }: Call): boolean => method === 'GET' || method === 'HEAD';

/** Gets the call as the twin may see it. */
type Work<T> = (call: Call, tx: Tx) => T;

export class Acts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * What `work` answers, when all that it tells of lasts, or why nothing was done. What is due comes first: a promise
   * when that takes longer than a turn, when `work` needs bytes that are away, and when there is something to wait for;
   * the twin's 503 when it takes long. `actor`: a client unless given.
   */
  run<T>(seat: Seat, call: Call, work: Work<T>, actor: Actor = CLIENT): T | Reply | Promise<T | Reply> {
    const { catchUp, durability, lifetime } = this.#parts;
    const resting = isRead(call) ? null : durability.resting();
    if (resting !== null) return resting.then(() => this.run(seat, call, work, actor));
    try {
      if (lifetime.aborted || catchUp.atOnce()) return this.#run(seat, call, work, actor);
    } catch (error) {
      return this.lossReply(seat, error);
    }
    return catchUp.soon().then(
      done => (done ? this.#run(seat, call, work, actor) : catchingUpReply(seat)),
      error => this.lossReply(seat, error),
    );
  }

  /** As `run`, for what nobody waits for and what cannot be asked again: however long the world catches up. */
  async runLater<T>(seat: Seat, call: Call, work: Work<T>): Promise<T | Reply> {
    const { catchUp, lifetime } = this.#parts;
    try {
      if (!lifetime.aborted) await catchUp.all();
    } catch (error) {
      return this.lossReply(seat, error);
    }
    return this.#run(seat, call, work, CLIENT);
  }

  #run<T>(
    seat: Seat,
    call: Call,
    work: Work<T>,
    actor: Actor,
    again = READ_AGAIN_TRIES_MAX,
  ): T | Reply | Promise<T | Reply> {
    const { clock, ledger, threshold, lifetime } = this.#parts;
    const { twin } = seat;
    if (lifetime.aborted)
      return withRetryAfter(
        twin.error(503, 'world_closed', 'The world is shutting down.'),
        CATCH_UP_RETRY_AFTER_SECONDS,
      );
    const reads = isRead(call);
    const readOnly = call.scope === 'read';
    const enforcesRead = twin.manifest.requestScopes?.includes('read') === true;
    if (readOnly && !reads && !enforcesRead) return twin.error(403, 'read_only', READ_ONLY);
    // 5.4: the twin is told, and whatever it writes all the same is rolled back.
    const seen =
      readOnly && !reads ? { ...call, headers: { ...call.headers, 'x-wrld-read-only': '1' } } : call;
    const { caller, trace, method } = call;
    const circumstances = {
      now: clock.now(),
      actor,
      caller,
      trace,
      readOnly,
      // What somebody else says has happened is nothing that can be asked again.
      request: actor === CLIENT ? call : null,
    };
    try {
      const answer = ledger.write(seat, circumstances, tx => work(seen, tx));
      // Asked in the same breath: a moment later what was done may be lost, and nothing wait any more.
      const waiting = threshold.waiting();
      if (waiting === null) return answer;
      return waiting.then(
        () => answer,
        // What a read saw beside a write that was lost is not so: it looks again.
        error =>
          reads && again > 0 ? this.#run(seat, call, work, actor, again - 1) : this.lossReply(seat, error),
      );
    } catch (error) {
      if (error instanceof BlobAway) return this.#runWithBytes(error, seat, call, work, actor);
      return this.#failureReply(seat, method, error);
    }
  }

  async #runWithBytes<T>(
    away: BlobAway,
    seat: Seat,
    call: Call,
    work: Work<T>,
    actor: Actor,
  ): Promise<T | Reply> {
    try {
      using _bytes = await away.come();
      return await this.run(seat, call, work, actor);
    } catch (error) {
      return this.#failureReply(seat, call.method, error);
    }
  }

  #failureReply(seat: Seat, method: string, error: unknown): Reply {
    const { processLog } = this.#parts;
    const { id, twin } = seat;
    if (error instanceof RefusedReply) return error.reply;
    if (error instanceof ReadOnlyViolation) return twin.error(403, 'read_only', READ_ONLY);
    if (error instanceof BlobError) {
      processLog.error({ twin: id, code: error.code }, error.message);
      // Nothing is lost: whoever asks again, as SDKs do by themselves, gets it.
      if (error.code === 'unreachable')
        return withRetryAfter(
          twin.error(503, 'blob_unreachable', error.message),
          CATCH_UP_RETRY_AFTER_SECONDS,
        );
      return twin.error(500, `blob_${error.code}`, error.message);
    }
    if (isStoreFailure(error)) return this.lossReply(seat, error);
    if (error instanceof RecordTooLarge) return twin.error(413, 'too_large', error.message);
    processLog.error({ twin: id, method, fault: describeFault(error) }, 'a twin failed; nothing was changed');
    return twin.error(500, 'twin_failed', 'The twin failed while it answered. Nothing was changed.');
  }

  /** For who asked, when the store could not keep what was done. */
  lossReply({ id, twin }: Seat, error: unknown): Reply {
    const { fault, damaged, because } = storeLoss(error);
    this.#parts.processLog.error({ twin: id, fault }, `the store failed; nothing was changed${because}`);
    if (damaged)
      return twin.error(500, 'store_damaged', 'The world’s store is damaged. Nothing was changed.');
    return twin.error(500, 'store_failed', `The world could not keep this${because}. Nothing was changed.`);
  }
}

const catchingUpReply = ({ twin }: Seat): Reply => {
  const reply = twin.error(503, 'catching_up', 'The world is catching up with its clock; ask again.');
  return withRetryAfter(reply, CATCH_UP_RETRY_AFTER_SECONDS);
};
