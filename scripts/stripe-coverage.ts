// By which tier the Stripe twin answers each operation of the vendor's SDK.
import { STRIPE_ROUTES } from '../twins/stripe/api/catalog.generated.ts';
import { vendorOperations } from '../twins/stripe/api/vendor.ts';
import { API_VERSION } from '../twins/stripe/api/version.ts';
import { tierOf } from '../twins/stripe/generic/tiers.ts';
import { STRIPE_MANIFEST } from '../twins/stripe/manifest.ts';
import { stripeDeploys } from '../twins/stripe/real/deploy.ts';
import { type Coverage, coverageOf, undeployedOf } from './coverage.ts';

export function stripeCoverage(): Coverage {
  const names = new Map<string, string[]>();
  for (const { method, path, name } of vendorOperations()) {
    const route = `${method} ${path.replaceAll(/\{\w*\}/g, '{}')}`;
    names.set(route, [...(names.get(route) ?? []), name]);
  }
  const [sdk] = STRIPE_MANIFEST.api.sdks;
  return coverageOf({
    vendor: 'stripe',
    api: API_VERSION,
    counted: `requests that ${sdk?.npm}@${sdk?.version} can make`,
    operations: STRIPE_ROUTES.map(route => {
      const [method = '', path = ''] = route.split(' ');
      return {
        ...{ route, names: names.get(route) ?? [], tier: tierOf({ method, path }) },
        ...undeployedOf(stripeDeploys, { method, path }),
      };
    }),
  });
}
