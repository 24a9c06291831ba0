// Event destinations: where events are sent to, by the API's second version. One that is a webhook endpoint is kept as
// the first version's endpoints are, so that both are sent to alike.

import { type Act, find, need, remove, save, select } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { mergeMetadata, text } from '../api/params.ts';
import { vendor } from '../api/vendor.ts';
import { checkVersion } from '../api/version.ts';
import type { View } from '../api/view.ts';
import type { Kept } from '../api/wire.ts';
import { WEBHOOK_ENDPOINTS_MAX } from './events.ts';
import type { WebhookEndpoint } from './records.ts';
import { tellThin } from './thin.ts';
import { checkUrl, SECRET_CHARS } from './webhook-endpoints.ts';

const LIST_DEFAULT = 20;
const LIST_MAX = 100;
const TYPE = 'v2.core.event_destination';

type Given = {
  readonly description?: string;
  readonly enabled_events?: readonly string[];
  readonly include?: readonly string[];
  readonly metadata?: { readonly [name: string]: string };
  readonly name?: string;
  readonly webhook_endpoint?: { readonly url: string };
};
type Asked = Given & {
  readonly amazon_eventbridge?: { readonly aws_account_id: string; readonly aws_region: string };
  readonly azure_event_grid?: object;
  readonly enabled_events: readonly string[];
  readonly event_payload: 'snapshot' | 'thin';
  readonly events_from?: readonly string[];
  readonly name: string;
  readonly snapshot_api_version?: string;
  readonly type: 'amazon_eventbridge' | 'azure_event_grid' | 'webhook_endpoint';
};

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The address and the secret show where they are asked for. */
function asAnswer(act: Act, held: Kept, include: readonly string[] = []): View {
  const endpoint = find(act, 'webhook_endpoint', held.id);
  if (endpoint === undefined) return held;
  const asked = (name: string, value: string): string | null =>
    include.includes(`webhook_endpoint.${name}`) ? value : null;
  return {
    ...held,
    webhook_endpoint: {
      signing_secret: asked('signing_secret', endpoint.$secret),
      url: asked('url', endpoint.url),
    },
  };
}

const create = vendor<Asked>('v2.core.eventDestinations.create', ({ act, params }) => {
  const {
    amazon_eventbridge: bus,
    include,
    metadata,
    webhook_endpoint: endpoint,
    ...fields
  } = params as Asked;
  const id = act.tx.id('ed_test_', 24);
  if (fields.enabled_events.length === 0) {
    throw invalid('You must specify at least one enabled event.', { param: 'enabled_events' });
  }
  const made: Kept = {
    ...fields,
    ...(bus === undefined ? {} : { amazon_eventbridge: sourceOf(id, bus) }),
    id,
    object: TYPE,
    created: iso(act.at),
    description: fields.description ?? '',
    livemode: false,
    metadata: mergeMetadata({}, metadata),
    status: 'enabled',
    updated: iso(act.at),
  };
  if (fields.type === 'webhook_endpoint') {
    if (endpoint === undefined) {
      throw invalid('Missing required param: webhook_endpoint.', {
        code: 'parameter_missing',
        param: 'webhook_endpoint',
      });
    }
    checkUrl(endpoint.url);
    const { snapshot_api_version: version } = fields;
    if (version !== undefined) checkVersion(version, 'snapshot_api_version');
    const { items } = select(act.tx, 'webhook_endpoint', { limit: WEBHOOK_ENDPOINTS_MAX });
    if (items.length === WEBHOOK_ENDPOINTS_MAX) {
      throw invalid(`You have reached the maximum of ${WEBHOOK_ENDPOINTS_MAX} event destinations.`);
    }
    save(act, 'webhook_endpoint', {
      id: made.id,
      object: 'webhook_endpoint',
      api_version: fields.snapshot_api_version ?? null,
      application: null,
      created: act.at,
      description: fields.description ?? null,
      enabled_events: [...fields.enabled_events],
      livemode: false,
      metadata: {},
      status: 'enabled',
      url: endpoint.url,
      $payload: fields.event_payload,
      $secret: `whsec_${act.tx.id('', SECRET_CHARS)}`,
    } satisfies WebhookEndpoint);
  }
  act.tx.kind(`${TYPE}.created`);
  save(act, TYPE, made);
  return asAnswer(act, made, include);
});

/** The bus of the account that events are put on: an event source at AWS, which its owner has yet to accept. */
function sourceOf(id: string, bus: NonNullable<Asked['amazon_eventbridge']>): object {
  return {
    aws_account_id: bus.aws_account_id,
    aws_event_source_arn: `arn:aws:events:${bus.aws_region}::event-source/aws.partner/stripe.com/${id}`,
    aws_event_source_status: 'pending',
  };
}

const needDestination = (act: Act, path: { readonly [name: string]: string }): Kept =>
  need(act, TYPE, path['id'] ?? '', { param: 'id', inPath: true });

/** Both the destination and the endpoint that it is. */
function put(act: Act, next: Kept, endpoint: Partial<WebhookEndpoint>): void {
  save(act, TYPE, { ...next, updated: iso(act.at) });
  const held = find(act, 'webhook_endpoint', next.id);
  if (held !== undefined) save(act, 'webhook_endpoint', { ...held, ...endpoint });
}

const retrieve = vendor<Given>('v2.core.eventDestinations.retrieve', ({ act, path, params }) =>
  asAnswer(act, needDestination(act, path), params.include),
);

const change = vendor<Given>('v2.core.eventDestinations.update', ({ act, path, params }) => {
  const held = needDestination(act, path);
  const { include, metadata, webhook_endpoint: endpoint, ...fields } = params as Given;
  if (endpoint !== undefined) checkUrl(endpoint.url);
  const before = held['metadata'] as { [name: string]: string };
  put(
    act,
    { ...held, ...fields, metadata: mergeMetadata(before, metadata) },
    {
      ...(fields.enabled_events === undefined ? {} : { enabled_events: [...fields.enabled_events] }),
      ...(endpoint === undefined ? {} : { url: endpoint.url }),
    },
  );
  return asAnswer(act, needDestination(act, path), include);
});

function turned(name: 'disable' | 'enable') {
  return vendor<object>(`v2.core.eventDestinations.${name}`, ({ act, path }) => {
    const { status_details: _why, ...held } = needDestination(act, path);
    const status = name === 'enable' ? 'enabled' : 'disabled';
    const why = name === 'enable' ? {} : { status_details: { disabled: { reason: 'user' } } };
    put(act, { ...held, id: String(held['id']), object: TYPE, status, ...why }, { status });
    return asAnswer(act, needDestination(act, path));
  });
}

const del = vendor<object>('v2.core.eventDestinations.del', ({ act, path }) => {
  const { id } = needDestination(act, path);
  act.tx.kind(`${TYPE}.deleted`);
  remove(act, TYPE, id);
  if (find(act, 'webhook_endpoint', id) !== undefined) remove(act, 'webhook_endpoint', id);
  return { id, object: TYPE };
});

const listAll = vendor<{
  readonly include?: readonly string[];
  readonly limit?: number;
  readonly page?: string;
}>(
  'v2.core.eventDestinations.list',
  ({ act, params }) => {
    const limit = Math.min(params.limit ?? LIST_DEFAULT, LIST_MAX);
    if (params.page !== undefined && find(act, TYPE, params.page) === undefined) {
      throw missing('page', params.page, { param: 'page' });
    }
    const found = select(act.tx, TYPE, {
      limit,
      ...(params.page === undefined ? {} : { after: params.page }),
    });
    const last = found.items.at(-1)?.id;
    return {
      data: found.items.map(held => asAnswer(act, held, params.include)),
      next_page_url:
        found.more && last !== undefined ? `/v2/core/event_destinations?page=${last}&limit=${limit}` : null,
      previous_page_url: null,
    };
  },
  { page: text() },
);

const ping = vendor<object>('v2.core.eventDestinations.ping', ({ act, path }) => {
  const { id } = needDestination(act, path);
  return tellThin(act, 'v2.core.event_destination.ping', {
    only: id,
    related: { id, type: TYPE, url: `/v2/core/event_destinations/${id}` },
  });
});

export const eventDestinationOperations = [
  create,
  retrieve,
  change,
  turned('disable'),
  turned('enable'),
  del,
  listAll,
  ping,
];
