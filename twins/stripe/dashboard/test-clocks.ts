// Test clocks: a time of its own for some customers, moved on by hand.
import { html } from '../../kit/html.ts';
import { select } from '../api/act.ts';
import type { TestClock } from '../billing/records.ts';
import { isoOf } from '../invoicing/page-words.ts';
import { customerColumns } from './customers.ts';
import type { Column, Kind } from './kind.ts';
import { RELATED_SHOWN, section } from './table.ts';
import { refer } from './visit.ts';
import { badge, instant } from './words.ts';

const columns: readonly Column<TestClock>[] = [
  { title: 'Test clock', cell: (visit, { id, name }) => refer(visit, id, name || id) },
  { title: 'State', cell: (_visit, { status }) => badge(status) },
  { title: 'Stands at', cell: (_visit, held) => instant(held.frozen_time) },
  { title: 'Created', wide: true, cell: (_visit, { created }) => instant(created) },
];

export const testClocks: Kind<'test_helpers.test_clock'> = {
  type: 'test_helpers.test_clock',
  path: 'test-clocks',
  title: 'Test clocks',
  noun: 'test clock',
  list: {
    operation: 'testHelpers.testClocks.list',
    columns,
    empty: {
      says: 'No test clocks yet.',
      curl: '/v1/test_helpers/test_clocks -u sk_test_1: -d frozen_time=1767268800 -d name=Renewals',
    },
  },
  heading: ({ name, id }) => name || id,
  facts: (_visit, held) => [
    ['State', badge(held.status)],
    ['Stands at', instant(held.frozen_time)],
    ['Created', instant(held.created)],
  ],
  related: (visit, { id }) => {
    const { items, more } = select(visit.act.tx, 'customer', {
      where: { test_clock: id },
      keep: body => body['deleted'] !== true,
      limit: RELATED_SHOWN,
    });
    return section(visit, 'Customers', customerColumns, items, more ? `customers?test_clock=${id}` : null);
  },
  deeds: [
    {
      name: 'advance',
      label: 'Advance',
      about: 'All that falls due until then happens to the customers of this clock.',
      when: ({ status }) => status === 'ready',
      fields: held =>
        html`<label for="until">Until (UTC)</label><input id="until" name="until" type="datetime-local" required value="${isoOf(held.frozen_time + MONTH_SECONDS)?.slice(0, 16) ?? ''}">`,
      does: ({ id }, form) => ({
        operation: 'testHelpers.testClocks.advance',
        path: { id },
        // What cannot be read as a time is refused in the API's own words.
        params: { frozen_time: secondsOf(form.get('until') ?? '') },
      }),
    },
  ],
};

const MONTH_SECONDS = 31 * 24 * 60 * 60;

function secondsOf(local: string): string {
  const millis = Date.parse(`${local}Z`);
  return Number.isNaN(millis) ? local : String(Math.floor(millis / 1000));
}
