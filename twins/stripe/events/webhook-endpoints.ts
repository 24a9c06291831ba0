// Webhook endpoints: where events are sent to. The secret is answered once, when the endpoint is made.

import { type Act, need, remove, save, select } from '../api/act.ts';
import { invalid, missing } from '../api/errors.ts';
import { page, pageParams } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { boolean, list, mergeMetadata, metadata, required, text, unset } from '../api/params.ts';
import { checkVersion } from '../api/version.ts';
import { viewOf } from '../api/view.ts';
import { WEBHOOK_ENDPOINTS_MAX } from './events.ts';
import type { WebhookEndpoint } from './records.ts';

export const SECRET_CHARS = 32;
const EVENT_TYPE = /^(\*|[a-z0-9_]+(\.[a-z0-9_]+|\[[a-z_.]+\])+)$/;

function checkEvents(events: readonly string[]): void {
  if (events.length === 0) {
    throw invalid('Missing required param: enabled_events.', {
      code: 'parameter_missing',
      param: 'enabled_events',
    });
  }
  const bad = events.findIndex(type => !EVENT_TYPE.test(type));
  if (bad >= 0) {
    throw invalid(`Invalid enabled_events[${bad}]: must be one of the event types, or *`, {
      param: `enabled_events[${bad}]`,
    });
  }
}

export function checkUrl(url: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalid('Invalid URL: An explicit scheme (such as https) must be provided.', {
      code: 'url_invalid',
      param: 'url',
    });
  }
}

const create = operation(
  'webhookEndpoints.create',
  'POST /v1/webhook_endpoints',
  {
    api_version: text(),
    connect: boolean(),
    description: unset(text()),
    enabled_events: required(list(text())),
    metadata: metadata(),
    url: required(text()),
  },
  ({ act, params }) => {
    checkEvents(params.enabled_events);
    checkUrl(params.url);
    if (params.api_version !== undefined) checkVersion(params.api_version, 'api_version');
    const held = select(act.tx, 'webhook_endpoint', { limit: WEBHOOK_ENDPOINTS_MAX });
    if (held.items.length === WEBHOOK_ENDPOINTS_MAX) {
      throw invalid(`You have reached the maximum of ${WEBHOOK_ENDPOINTS_MAX} test webhook endpoints.`, {});
    }
    const endpoint: WebhookEndpoint = {
      id: act.tx.id('we_', 24),
      object: 'webhook_endpoint',
      api_version: params.api_version ?? null,
      application: null,
      created: act.at,
      description: params.description ?? null,
      enabled_events: [...params.enabled_events],
      livemode: false,
      metadata: mergeMetadata({}, params.metadata),
      status: 'enabled',
      url: params.url,
      ...(params.connect === true ? { $connect: true } : {}),
      $secret: `whsec_${act.tx.id('', SECRET_CHARS)}`,
    };
    act.tx.kind('webhook_endpoint.created');
    save(act, 'webhook_endpoint', endpoint);
    return { ...viewOf(act, 'webhook_endpoint', endpoint), secret: endpoint.$secret };
  },
);

function needEndpoint(act: Act, path: { readonly [name: string]: string }): WebhookEndpoint {
  const at = { param: 'webhook_endpoint', inPath: true } as const;
  const held = need(act, 'webhook_endpoint', path['endpoint'] ?? '', at);
  if (held.$payload !== undefined) throw missing('webhook endpoint', held.id, at);
  return held;
}

const retrieve = operation(
  'webhookEndpoints.retrieve',
  'GET /v1/webhook_endpoints/{endpoint}',
  {},
  ({ act, path }) => viewOf(act, 'webhook_endpoint', needEndpoint(act, path)),
);

const change = operation(
  'webhookEndpoints.update',
  'POST /v1/webhook_endpoints/{endpoint}',
  {
    description: unset(text()),
    disabled: boolean(),
    enabled_events: list(text()),
    metadata: metadata(),
    url: text(),
  },
  ({ act, path, params }) => {
    const held = needEndpoint(act, path);
    if (params.enabled_events !== undefined) checkEvents(params.enabled_events);
    if (params.url !== undefined) checkUrl(params.url);
    const next: WebhookEndpoint = {
      ...held,
      ...(params.description === undefined ? {} : { description: params.description }),
      ...(params.disabled === undefined ? {} : { status: params.disabled ? 'disabled' : 'enabled' }),
      ...(params.enabled_events === undefined ? {} : { enabled_events: [...params.enabled_events] }),
      ...(params.url === undefined ? {} : { url: params.url }),
      metadata: mergeMetadata(held.metadata, params.metadata),
    };
    act.tx.kind('webhook_endpoint.updated');
    save(act, 'webhook_endpoint', next);
    return viewOf(act, 'webhook_endpoint', next);
  },
);

const del = operation(
  'webhookEndpoints.del',
  'DELETE /v1/webhook_endpoints/{endpoint}',
  {},
  ({ act, path }) => {
    const held = needEndpoint(act, path);
    act.tx.kind('webhook_endpoint.deleted');
    remove(act, 'webhook_endpoint', held.id);
    return { id: held.id, object: 'webhook_endpoint', deleted: true };
  },
);

const listAll = operation(
  'webhookEndpoints.list',
  'GET /v1/webhook_endpoints',
  pageParams,
  ({ act, params }) =>
    page(act, 'webhook_endpoint', params, '/v1/webhook_endpoints', {
      keep: held => held.$payload === undefined,
    }),
);

export const webhookEndpointOperations = [create, retrieve, change, del, listAll];
