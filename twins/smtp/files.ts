// A mail's bytes and its attachments, to download. Nothing of them is ever opened in the world's own origin.
import type { Reply } from '../kit/reply.ts';
import type { Reader } from '../kit/tx.ts';
import { errorReply } from './answer.ts';
import type { Message } from './records.ts';

export function rawFile(message: Message, state: Reader): Reply {
  return file(state, message.raw, { type: 'message/rfc822', name: `${message.id}.eml` });
}

export function attachmentFile(message: Message, index: string, state: Reader): Reply {
  const found = /^\d{1,4}$/.test(index) ? message.attachments[Number(index)] : undefined;
  if (found === undefined) return errorReply(404, 'no-such-attachment', 'The mail has no such attachment.');
  return file(state, found.sha256, { type: found.type, name: found.name ?? `attachment-${index}` });
}

function file(state: Reader, sha256: string, named: { readonly type: string; readonly name: string }): Reply {
  const bytes = state.blob(sha256);
  if (bytes === undefined) return errorReply(404, 'gone', 'Its bytes are gone from the world’s store.');
  return {
    status: 200,
    headers: [
      ['Content-Type', mediaType(named.type)],
      ['Content-Disposition', disposition(named.name)],
      ['X-Content-Type-Options', 'nosniff'],
      ['Content-Security-Policy', "default-src 'none'; sandbox"],
      ['Cache-Control', 'no-store'],
    ],
    body: bytes,
  };
}

/** As the mail says, where that can stand in a header. */
function mediaType(type: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
}

/** RFC 6266, with the name for old clients beside it. */
function disposition(name: string): string {
  const plain = name.replace(/[^\w. -]/g, '_').slice(0, 100);
  const whole = encodeURIComponent(name.toWellFormed().slice(0, 200)).replace(
    /['()*]/g,
    letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
