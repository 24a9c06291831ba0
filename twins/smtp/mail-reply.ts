// The twin's answers in JSON, over HTTP and to its wire server.
import type { Reply } from '../kit/reply.ts';

/** Mail is somebody's: no cache keeps it. */
export function mailReply(status: number, body: object): Reply {
  return {
    status,
    headers: [
      ['Content-Type', 'application/json'],
      ['Cache-Control', 'no-store'],
    ],
    body: JSON.stringify(body),
  };
}
