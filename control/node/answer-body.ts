// The body of an answer on its way to its client: no faster than the client reads, and what waits for it counted, so that
// all that clients leave unread is bounded (control/http/answers-in-flight.ts).
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { AnswersInFlight } from '../http/answers-in-flight.ts';
import { ANSWER_SLICE_BYTES, STREAMED_BYTES_PER_TURN_MAX } from './limits.ts';

/** A whole body that is too large to be handed to the socket at once. */
export async function sendLarge(
  body: Uint8Array,
  response: ServerResponse,
  inFlight: AnswersInFlight,
): Promise<void> {
  const gone = closed(response);
  const answer = inFlight.begin(body.byteLength, () => response.destroy());
  try {
    for (let at = 0; at < body.byteLength; at += ANSWER_SLICE_BYTES) {
      const slice = body.subarray(at, at + ANSWER_SLICE_BYTES);
      if (!response.write(slice) && (await drained(response, gone)) === GONE) return;
      answer.took(slice.byteLength);
    }
  } finally {
    answer.end();
  }
  response.end();
}

/** Chunk by chunk; a client that leaves ends the stream at its source. */
export async function sendStream(
  body: AsyncIterable<Uint8Array>,
  response: ServerResponse,
  inFlight: AnswersInFlight,
): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  const gone = closed(response);
  let sent = 0;
  for (;;) {
    // A stream that is made as it is sent, to a client that reads as fast, would keep the thread to itself.
    if (sent > STREAMED_BYTES_PER_TURN_MAX) {
      sent = 0;
      await turn();
    }
    const next = await Promise.race([chunks.next(), gone]);
    if (next === GONE) {
      // Not awaited: a source that waits for its next event may take its time to notice.
      void chunks.return?.().catch(() => {});
      return;
    }
    if (next.done) break;
    const { byteLength } = next.value;
    sent += byteLength;
    if (response.write(next.value)) continue;
    const answer = inFlight.begin(byteLength, () => response.destroy());
    await drained(response, gone);
    answer.end();
  }
  response.end();
}

const GONE = 'gone';

const closed = (response: ServerResponse): Promise<typeof GONE> =>
  new Promise(resolve => response.once('close', () => resolve(GONE)));

/** When the client has taken what was written, or is gone. */
const drained = (response: ServerResponse, gone: Promise<typeof GONE>): Promise<unknown> =>
  Promise.race([new Promise(resolve => response.once('drain', resolve)), gone]);
