// The twin's answers over HTTP.
import type { Reply } from '../kit/reply.ts';

export function jsonReply(status: number, body: object): Reply {
  return {
    status,
    headers: [
      ['Content-Type', 'application/json'],
      ['Cache-Control', 'no-store'],
    ],
    body: JSON.stringify(body),
  };
}

export function errorReply(status: number, code: string, message: string): Reply {
  return jsonReply(status, { error: { code, message } });
}
