// Reading events back.

import { need } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { list, text } from '../api/params.ts';
import { viewOf } from '../api/view.ts';

const TYPES_MAX = 20;

const retrieve = operation('events.retrieve', 'GET /v1/events/{event}', {}, ({ act, path }) =>
  viewOf(act, 'event', need(act, 'event', path['event'] ?? '', { param: 'id', inPath: true })),
);

const listAll = operation(
  'events.list',
  'GET /v1/events',
  { ...createdParams, type: text(), types: list(text()) },
  ({ act, params }) => {
    const { type, types } = params;
    if (type !== undefined && types !== undefined) {
      throw invalid('You may only specify one of these parameters: type, types.', {
        code: 'parameters_exclusive',
        param: 'type',
      });
    }
    if (types !== undefined && types.length > TYPES_MAX) {
      throw invalid(`Only ${TYPES_MAX} event types may be listed.`, { param: 'types' });
    }
    // `invoice.*` is every event of invoices.
    const group = type?.endsWith('.*') === true ? type.slice(0, -1) : null;
    if (group !== null)
      return page(act, 'event', params, '/v1/events', { keep: event => event.type.startsWith(group) });
    const wanted = types ?? type;
    return page(act, 'event', params, '/v1/events', wanted === undefined ? {} : { where: { type: wanted } });
  },
  ['delivery_success'],
);

export const eventOperations = [retrieve, listAll];
