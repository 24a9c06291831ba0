// docs/twins/<vendor>.coverage.json: what each twin answers, by which tier, as a file that machines read.

import type { Deploys } from '../twins/kit/real-vendor.ts';

/** `modelled`: by hand, with state. `generic`: from the vendor's declarations. `unmodelled`: the vendor's error. */
export type Tier = 'modelled' | 'generic' | 'unmodelled';

export type Coverage = {
  readonly vendor: string;
  /** The version of the vendor's API; null where it has none. */
  readonly api: string | null;
  /** What the operations are, and of which client or document. */
  readonly counted: string;
  readonly tiers: { readonly [tier in Tier]: number };
  readonly operations: readonly Covered[];
};

export type Covered = {
  /** `GET /v1/customers/{}`; of SMTP a command or an extension. */
  readonly route: string;
  /** As the SDK calls it; none for what it builds the request of by hand, and where there is no SDK. */
  readonly names: readonly string[];
  readonly tier: Tier;
  /** Of a request that changes something: why a deploy does not ask the vendor for it. */
  readonly undeployed?: string;
};

/** By the twin's own words, which are those of a receipt. */
export function undeployedOf(
  deploys: Pick<Deploys, 'unable'>,
  { method, path }: { readonly method: string; readonly path: string },
): Pick<Covered, 'undeployed'> {
  const unable = method === 'GET' ? null : deploys.unable({ method, path });
  return unable === null ? {} : { undeployed: unable };
}

type Counted = {
  readonly vendor: string;
  readonly api?: string | undefined;
  readonly counted: string;
  readonly operations: readonly Covered[];
};

/** Sorted by path, then method, so that a new version of the SDK reads as a difference. */
export function coverageOf({ vendor, api, counted, operations }: Counted): Coverage {
  const count = (tier: Tier): number => operations.filter(operation => operation.tier === tier).length;
  const byPath = ({ route }: Covered): string => route.split(' ').toReversed().join(' ');
  return {
    vendor,
    api: api ?? null,
    counted,
    tiers: { modelled: count('modelled'), generic: count('generic'), unmodelled: count('unmodelled') },
    operations: operations.toSorted((a, b) => (byPath(a) < byPath(b) ? -1 : 1)),
  };
}

/** The file's text: an operation a line. Of what is not answered the SDK's name says enough, where it has one. */
export function coverageFile(coverage: Coverage): string {
  const { operations, ...head } = coverage;
  const told = ({ route, names, tier, undeployed }: Covered): object => ({
    ...(tier === 'unmodelled' && names.length > 0 ? {} : { route }),
    ...{ names, tier },
    ...(undeployed === undefined ? {} : { undeployed }),
  });
  const rows = operations.map(operation => `    ${JSON.stringify(told(operation))}`).join(',\n');
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "operations": [\n${rows}\n  ]\n}\n`;
}
