// Pages of twins: pieces of HTML that are safe to put together, because whatever is no piece is escaped.

/** A piece of a page that is safe to put into another. */
export type Html = { readonly html: string };

export type HtmlValue = string | number | null | Html | readonly Html[];

/** Escapes every value that is not itself a piece; arrays are joined. */
export function html(pieces: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { html: String.raw({ raw: pieces }, ...values.map(shown)) };
}

function shown(value: HtmlValue): string {
  if (value === null) return '';
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return 'html' in value ? value.html : value.map(piece => piece.html).join('');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`);
}
