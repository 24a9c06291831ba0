// By which tier the Stripe twin answers each operation of the vendor's SDK, as a file that machines read.
import { STRIPE_ROUTES } from '../twins/stripe/catalog.generated.ts';
import { API_VERSION } from '../twins/stripe/events.ts';
import { type Tier, tierOf } from '../twins/stripe/tiers.ts';
import { vendorOperations } from '../twins/stripe/vendor.ts';

export type StripeCoverage = {
  readonly vendor: 'stripe';
  readonly api: string;
  readonly sdk: { readonly npm: string; readonly version: string };
  readonly tiers: { readonly [tier in Tier]: number };
  readonly operations: readonly {
    readonly route: string;
    /** As the SDK names it; null for what it builds the request of by hand. */
    readonly name: string | null;
    readonly tier: Tier;
  }[];
};

export function stripeCoverage(): StripeCoverage {
  const names = new Map(
    [...vendorOperations()].map(({ method, path, name }) => [
      `${method} ${path.replaceAll(/\{\w*\}/g, '{}')}`,
      name,
    ]),
  );
  const operations = STRIPE_ROUTES.map(route => {
    const [method = '', path = ''] = route.split(' ');
    return { route, name: names.get(route) ?? null, tier: tierOf({ method, path }) };
  });
  const count = (tier: Tier): number => operations.filter(operation => operation.tier === tier).length;
  return {
    vendor: 'stripe',
    api: API_VERSION,
    sdk: { npm: 'stripe', version: '23.1.0' },
    tiers: { modelled: count('modelled'), generic: count('generic'), unmodelled: count('unmodelled') },
    operations,
  };
}

export async function makeStripeCoverage(): Promise<string> {
  return `${JSON.stringify(stripeCoverage(), null, 2)}\n`;
}
