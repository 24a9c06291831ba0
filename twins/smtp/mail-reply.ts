// The twin's answers in JSON, over HTTP and to its wire server.
import { jsonReply, type Reply } from '../kit/reply.ts';

/** Mail is somebody's: no cache keeps it. */
export function mailReply(status: number, body: object): Reply {
  return jsonReply(status, body, [['Cache-Control', 'no-store']]);
}
