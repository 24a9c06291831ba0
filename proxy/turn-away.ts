// A client for whom there is no room: told so in the one way that a proxy's clients read, before its connection closes.
import type { Socket } from 'node:net';
import { TURNED_AWAY_MS_MAX } from './limits.ts';
import { answerBytes, plainAnswer, RETRY_SOON } from './refuse.ts';

const NO_ROOM = answerBytes(
  plainAnswer(
    503,
    'this proxy has as many connections open as it may; close some, raise its limit of file descriptors (ulimit -n), or ask again.',
    [RETRY_SOON],
  ),
  { close: true, head: false },
);

export function turnAway(socket: Socket): void {
  const late = setTimeout(() => socket.destroy(), TURNED_AWAY_MS_MAX).unref();
  // A reset is an end like any other; 'close' follows.
  socket.on('error', () => {});
  socket.once('close', () => clearTimeout(late));
  // Not before it has asked: an answer to nothing is not read by everybody.
  socket.once('data', () => socket.end(NO_ROOM));
  socket.on('end', () => socket.end());
  socket.resume();
}
