// A mail's bytes and its attachments, to download. Nothing of them is ever opened in the world's own origin.
import type { Reply } from '../kit/reply.ts';
import type { Reader } from '../kit/tx.ts';
import { notFound } from './errors.ts';
import type { Message } from './records.ts';

export function rawFile(message: Message, state: Reader): Reply {
  return file(state, message.raw, { type: 'message/rfc822', name: `${message.id}.eml` });
}

export function attachmentFile(message: Message, index: string, state: Reader): Reply {
  const found = /^\d{1,4}$/.test(index) ? message.attachments[Number(index)] : undefined;
  if (found === undefined) throw notFound('no-such-attachment', 'The mail has no such attachment.');
  return file(state, found.sha256, { type: found.type, name: found.name ?? `attachment-${index}` });
}

function file(state: Reader, sha256: string, named: { readonly type: string; readonly name: string }): Reply {
  const bytes = state.blob(sha256);
  if (bytes === undefined) throw notFound('gone', 'Its bytes are gone from the world’s store.');
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

/** Types that a browser would run, were it ever to show what it is told to save. */
const ACTIVE = /html|xml|svg|script|flash/;

/** As the mail says, where that can stand in a header and is nothing active. */
function mediaType(type: string): string {
  const sound = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type) && !ACTIVE.test(type);
  return sound ? type : 'application/octet-stream';
}

const NAME_CHARS = 150;

/** A file's name and nothing else: no folder, no control character, none that turns text around, not hidden. */
function fileName(name: string): string {
  const bare = name
    .toWellFormed()
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[. ]+|[. ]+$/g, '');
  const end = /\.\w{1,10}$/.exec(bare)?.[0] ?? '';
  const kept = [...bare.slice(0, bare.length - end.length)].slice(0, NAME_CHARS).join('') + end;
  return kept === '' ? 'attachment' : kept;
}

/** RFC 6266, with the name for old clients beside it. */
function disposition(given: string): string {
  const name = fileName(given);
  const plain = name.replace(/[^\w. -]/g, '_');
  const whole = encodeURIComponent(name).replace(
    /['()*]/g,
    letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
