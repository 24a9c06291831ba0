// Events: what happened, about what, by which request, and who is to hear of it.
import { type Html, html } from '../../kit/html.ts';
import { find } from '../api/act.ts';
import { listeners, send } from '../events/events.ts';
import type { Event } from '../events/records.ts';
import type { Column, Kind } from './kind.ts';
import { requestColumns } from './request-columns.ts';
import { section } from './table.ts';
import { refer, type Visit } from './visit.ts';
import { instant } from './words.ts';

/** The object that it tells of. */
export function subject(visit: Visit, { data }: Event): Html {
  const { id, object } = data.object;
  if (typeof id !== 'string') return html`<span class="quiet">${String(object ?? '')}</span>`;
  return refer(visit, id);
}

export const eventColumns: readonly Column<Event>[] = [
  { title: 'Event', cell: (visit, { id, type }) => refer(visit, id, type) },
  { title: 'About', wide: true, cell: subject },
  { title: 'When', cell: (_visit, { created }) => instant(created) },
];

export const events: Kind<'event'> = {
  type: 'event',
  path: 'events',
  title: 'Events',
  noun: 'event',
  list: {
    operation: 'events.list',
    byWords: ({ act }, asked) => {
      const held = find(act, 'event', asked);
      return held === undefined ? [] : [held];
    },
    columns: eventColumns,
    takes: ['type'],
    empty: {
      says: 'Nothing has happened yet.',
      curl: '/v1/customers -u sk_test_1: -d name="Ada Lovelace"',
    },
  },
  heading: ({ type }) => type,
  facts: (visit, held) => {
    const previous = Object.keys(held.data.previous_attributes ?? {});
    return [
      ['About', subject(visit, held)],
      ['Changed', previous.join(', ')],
      ['Version', held.api_version],
      ['Idempotency key', held.request.idempotency_key],
      [
        'Of the type',
        html`<a href="${visit.base}events?type=${encodeURIComponent(held.type)}">${held.type}</a>`,
      ],
      ['Happened', instant(held.created)],
    ];
  },
  related: (visit, { id, type }) => {
    const { act } = visit;
    return html`${section(visit, 'By', requestColumns, act.tx.log.about('event', id, 1))}
${section(visit, 'Webhook endpoints that hear of it', ENDPOINT_COLUMNS, listeners(act, type))}`;
  },
  deeds: [
    {
      name: 'resend',
      label: 'Resend',
      about: 'Sends it once more to every webhook endpoint that hears of it.',
      when: ({ type }, { act }) => listeners(act, type).length > 0,
      does:
        (held, _form, { act }) =>
        () =>
          send(act, held, listeners(act, held.type)),
    },
  ],
};

const ENDPOINT_COLUMNS: readonly Column<ReturnType<typeof listeners>[number]>[] = [
  { title: 'Address', cell: (_visit, { url }) => url },
  { title: 'Id', wide: true, cell: (_visit, { id }) => html`<code>${id}</code>` },
];
