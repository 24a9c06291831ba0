// Entries of the log as rows: what was asked, or what happened by itself.
import { html } from '../../kit/html.ts';
import type { Logged } from '../../kit/tx.ts';
import type { Column } from './kind.ts';
import { instant } from './words.ts';

export const asked = ({ request, kind }: Logged): string =>
  request === null ? kind : `${request.method} ${request.path}`;

export const requestColumns: readonly Column<Logged>[] = [
  {
    title: 'Request',
    cell: ({ base }, held) => html`<a href="${base}logs/${held.position}">${asked(held)}</a>`,
  },
  { title: 'Did', wide: true, cell: (_visit, { kind }) => kind },
  { title: 'When', cell: (_visit, { at }) => instant(at / 1000) },
];
