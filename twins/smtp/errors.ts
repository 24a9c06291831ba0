// What the inbox refuses, and how it says so.
import type { Unknown } from '../kit/build-twin.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Reply } from '../kit/reply.ts';
import { mailReply } from './mail-reply.ts';

/** `details.allow`: the methods that a path takes instead. */
export function errorReply({ status, code, message, details }: Refusal): Reply {
  const { allow } = details;
  const reply = mailReply(status, { error: { code, message } });
  return typeof allow === 'string' ? { ...reply, headers: [...reply.headers, ['Allow', allow]] } : reply;
}

export function notFound(code: string, message: string): Refusal {
  return new Refusal(404, code, message);
}

export function unknownPath(_call: unknown, { methods }: Unknown): Refusal {
  if (methods.length === 0) return notFound('no-such-path', 'The inbox has nothing at this path.');
  return new Refusal(405, 'other-method', 'This path takes GET: mails come by SMTP alone.', {
    allow: 'GET, HEAD',
  });
}
