// Tables of objects: on a list's page, and of what belongs to an object on that one's page.
import { type Html, html } from '../../kit/html.ts';
import type { Column, Fact } from './kind.ts';
import type { Visit } from './visit.ts';

/** How many related objects an object's page shows; its link leads to the rest. */
export const RELATED_SHOWN = 10;

/** The first column names each row. */
export function table<Held>(
  visit: Visit,
  caption: string,
  columns: readonly Column<Held>[],
  rows: readonly Held[],
): Html {
  const wide = (column: Column<Held>): Html | null =>
    column.wide === true ? { html: ' class="wide"' } : null;
  const heads = columns.map(column => html`<th scope="col"${wide(column)}>${column.title}</th>`);
  const lines = rows.map(held => {
    const cells = columns.map((column, n) =>
      n === 0
        ? html`<th scope="row">${column.cell(visit, held)}</th>`
        : html`<td${wide(column)}>${column.cell(visit, held)}</td>`,
    );
    return html`<tr>${cells}</tr>
`;
  });
  return html`<table><caption class="hidden">${caption}</caption><thead><tr>${heads}</tr></thead>
<tbody>${lines}</tbody></table>`;
}

/** A heading, and what there is of it; nothing where there is nothing. */
export function section<Held>(
  visit: Visit,
  title: string,
  columns: readonly Column<Held>[],
  rows: readonly Held[],
  more: string | null = null,
): Html {
  if (rows.length === 0) return html``;
  return html`<h2>${title}</h2><div class="card">${table(visit, title, columns, rows)}</div>
${more === null ? null : html`<p><a href="${visit.base}${more}">All of them</a></p>`}`;
}

/** What there is to say of an object; what is empty is left out. */
export function listed(facts: readonly Fact[]): Html {
  const said = facts.filter(([, value]) => value !== null && value !== '');
  return html`<dl>${said.map(([title, value]) => html`<dt>${title}</dt><dd>${value}</dd>`)}</dl>`;
}

/** The names and values that somebody gave an object. */
export function metadataOf(held: { readonly [name: string]: string } | null | undefined): Html {
  const pairs = Object.entries(held ?? {});
  if (pairs.length === 0) return html``;
  return html`<h2>Metadata</h2><div class="card">${listed(pairs)}</div>`;
}
