// A mail's HTML as a document of its own: what a stranger wrote, so it runs nothing, loads nothing and is of no origin.
// The inbox shows it in a frame; opened by itself it is held the same way.
import { toBase64 } from '../kit/base64.ts';
import type { Reply } from '../kit/reply.ts';
import type { Reader } from '../kit/tx.ts';
import { notFound } from './errors.ts';
import { SHOWN_IMAGES_BYTES_MAX } from './limits.ts';
import type { Attachment, Content, Message } from './records.ts';

// `sandbox` without a word: no script, no form, no window, no origin. Images are those in the mail itself.
const POLICY =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

export function mailDocument(message: Message, content: Content, state: Reader): Reply {
  if (content.html === null) throw notFound('no-html', 'The mail has no HTML.');
  return {
    status: 200,
    headers: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Content-Security-Policy', POLICY],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
      ['X-DNS-Prefetch-Control', 'off'],
      ['Cache-Control', 'no-store'],
    ],
    body: withImages(harmless(content.html), message, state),
  };
}

/**
 * Elements that reach out in ways no policy stops in every browser (Chromium connects to a frame's host before the
 * policy refuses the frame), or that turn the document into another, are renamed to ones that mean nothing.
 */
function harmless(html: string): string {
  return html.replace(
    /<(?=(?:base|embed|fencedframe|frame|frameset|iframe|link|meta|object|portal)\b)/gi,
    '<x-',
  );
}

/** An image that the mail carries (`cid:`) in place of its name; of an opaque origin, it could not be asked for. */
function withImages(html: string, { attachments }: Message, state: Reader): string {
  const byId = new Map(
    attachments.flatMap(each => (each.contentId === null ? [] : [[each.contentId, each]])),
  );
  if (byId.size === 0) return html;
  let left = SHOWN_IMAGES_BYTES_MAX;
  const made = new Map<string, string>();
  return html.replace(/cid:([^"'\s)<>&]{1,300})/gi, (whole, id: string) => {
    const found = byId.get(id) ?? byId.get(unescaped(id));
    if (found === undefined || !/^image\/[\w.+-]+$/.test(found.type)) return whole;
    // Counted each time: a mail may name one image a thousand times.
    if (found.size > left) return whole;
    left -= found.size;
    const url = made.get(found.sha256) ?? dataUrl(found, state);
    made.set(found.sha256, url);
    return url;
  });
}

function dataUrl({ type, sha256 }: Attachment, state: Reader): string {
  const bytes = state.blob(sha256);
  return `data:${type};base64,${bytes === undefined ? '' : toBase64(bytes)}`;
}

function unescaped(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
