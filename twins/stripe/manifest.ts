// What the Stripe twin says of itself (2.2). The numbers are counted, not claimed.
import { type Manifest, manifestOf, type Tier } from '../kit/manifest.ts';
import { STRIPE_ROUTES } from './api/catalog.generated.ts';
import { statusesOf } from './api/start-values.ts';
import { API_VERSION } from './api/version.ts';
import { EVENTS } from './events.ts';
import { eventOf } from './generic/plan.ts';
import { GENERIC_PLANS, tierOf } from './generic/tiers.ts';
import { OPERATIONS } from './operations.ts';
import { PRODUCTS } from './products.ts';
import { FRONT_SCREENS, SCREENS } from './screens.ts';

/** Test helpers stand under the type they help with; a resource that no row names stands by itself. */
function modelsOf(): Manifest['models'] {
  const rows = PRODUCTS.flatMap(({ models: held }) => held);
  const left = new Set(OPERATIONS.map(({ name }) => name));
  const models = rows.map(([type, idPrefix, resource]) => {
    const operations: string[] = [];
    for (const name of [...left]) {
      const bare = name.replace(/^testHelpers\./, '');
      const prefix = resource.replace(/^testHelpers\./, '');
      if (!bare.startsWith(`${prefix}.`) || bare.slice(prefix.length + 1).includes('.')) continue;
      left.delete(name);
      operations.push(name === bare || resource !== prefix ? bare.slice(prefix.length + 1) : name);
    }
    return { type, ...(idPrefix === '' ? {} : { idPrefix }), operations };
  });
  const others = new Map<string, string[]>();
  for (const name of left) {
    const at = name.lastIndexOf('.');
    others.set(name.slice(0, at), [...(others.get(name.slice(0, at)) ?? []), name.slice(at + 1)]);
  }
  return [
    ...models.filter(({ operations }) => operations.length > 0),
    ...[...others].map(([type, operations]) => ({ type, operations })),
  ];
}

const GENERIC_EVENTS = GENERIC_PLANS.flatMap(({ object }) =>
  ['created', 'updated', 'deleted', ...statusesOf(object)].map(happened => eventOf(object, happened)),
).filter(event => event !== null);

function countOf(tier: Tier): number {
  return STRIPE_ROUTES.filter(route => {
    const [method = '', path = ''] = route.split(' ');
    return tierOf({ method, path }) === tier;
  }).length;
}

export const STRIPE_MANIFEST: Manifest = manifestOf({
  vendor: 'stripe',
  version: '0.1.0',
  api: { version: API_VERSION, sdks: [{ npm: 'stripe', version: '23.1.0' }] },
  models: modelsOf(),
  coverage: { modelled: countOf('modelled'), generic: countOf('generic'), catalog: STRIPE_ROUTES.length },
  hosts: [
    { host: 'api.stripe.com', paths: ['/v1/', '/v2/'] },
    { host: 'files.stripe.com', paths: ['/v1/'] },
    { host: 'meter-events.stripe.com', paths: ['/v2/'] },
    ...[...new Set(SCREENS.map(({ host }) => host))].map(host => ({ host, paths: ['/'] })),
  ],
  screens: FRONT_SCREENS,
  webhooks: {
    scheme: 'stripe',
    events: [...new Set([...EVENTS, ...GENERIC_EVENTS])].sort(),
  },
});
