// Pages of twins: pieces of HTML that are safe to put together, because whatever is no piece is escaped.
import type { Reply } from './reply.ts';

/** A piece of a page that is safe to put into another. */
export type Html = { readonly html: string };

export type HtmlValue = string | number | null | Html | readonly Html[];

/** Escapes every value that is not itself a piece; arrays are joined. */
export function html(pieces: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { html: String.raw({ raw: pieces }, ...values.map(textOf)) };
}

function textOf(value: HtmlValue): string {
  if (value === null) return '';
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return 'html' in value ? value.html : value.map(piece => piece.html).join('');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`);
}

// A page says what a caller wrote; it runs nothing and loads nothing, and nobody puts it into a frame.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

export type PageLook = {
  readonly status?: number;
  /** CSS of its own. */
  readonly style?: string;
  /**
   * What else its policy says; unless given, that forms go to where the page is from. It holds for where a form's
   * answer sends the browser, too.
   */
  readonly policy?: string;
};

/** A whole page for people. */
export function pageReply(title: string, body: Html, look: PageLook = {}): Reply {
  const { status = 200, style = '', policy = "form-action 'self'" } = look;
  return {
    status,
    headers: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Content-Security-Policy', policy === '' ? POLICY : `${POLICY}; ${policy}`],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
      ['Cache-Control', 'no-store'],
    ],
    body: html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${{ html: `:root{color-scheme:light dark}${style}` }}</style></head>
<body>${body}</body></html>
`.html,
  };
}
