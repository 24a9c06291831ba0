// Asks the other end of a new connection for the connection itself, by CONNECT or by an upgrade. Once it has
// said yes, what follows its answer is the bytes of whatever is behind it.
import type { Socket } from 'node:net';
import { readResponseHead } from '../http1/response.ts';
import { HEAD_BYTES_MAX } from '../limits.ts';
import { reasonOf } from './failure.ts';

export type HandedOver =
  /** Bytes that came behind the answer are back in the socket, which is paused. */
  | { readonly ok: true }
  /** `why` completes "it …"; the socket is destroyed. */
  | { readonly ok: false; readonly why: string };

const HEAD_END = Buffer.from('\r\n\r\n');

/** `request`: a whole head. `granted`: the statuses that mean yes. */
export function askForConnection(
  socket: Socket,
  request: string,
  granted: (status: number) => boolean,
  deadline: AbortSignal,
): Promise<HandedOver> {
  let received: Buffer = Buffer.alloc(0);
  return new Promise(resolve => {
    const settle = (result: HandedOver): void => {
      socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onEnd);
      deadline.removeEventListener('abort', onDeadline);
      socket.pause();
      if (!result.ok) socket.on('error', () => {}).destroy();
      resolve(result);
    };
    const fail = (why: string): void => settle({ ok: false, why });
    const onEnd = (): void => fail('closed without an answer');
    const onError = (error: Error): void => fail(`broke: ${reasonOf(error)}`);
    const onDeadline = (): void => fail('gave no answer in time');
    const onData = (chunk: Buffer): void => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      for (;;) {
        const end = received.indexOf(HEAD_END);
        if ((end === -1 ? received.length : end) > HEAD_BYTES_MAX)
          return fail('gave an answer without an end');
        if (end === -1) return;
        const head = readResponseHead(received.toString('latin1', 0, end + HEAD_END.length), 'CONNECT');
        received = received.subarray(end + HEAD_END.length);
        if (!head.ok) return fail(`gave an answer that cannot be read: ${head.why}`);
        if (head.status < 200 && head.status !== 101) continue;
        if (!granted(head.status)) return fail(`answered ${head.status}`);
        settle({ ok: true });
        // Only once it is paused: a flowing stream would hand them out again at once.
        if (received.length > 0) socket.unshift(received);
        return;
      }
    };
    if (deadline.aborted) return onDeadline();
    deadline.addEventListener('abort', onDeadline, { once: true });
    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onEnd);
    socket.write(request, 'latin1');
  });
}
