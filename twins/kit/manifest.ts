// `GET /twin` (2.2): what a twin says of itself.
import { GENERATIVE_MATCHERS, HANDLER_MATCHERS } from './handlers.ts';

export type Coverage = { readonly modelled: number; readonly generic: number; readonly catalog: number };

/** Written by hand, made from the vendor's own declarations, or known to be the vendor's and refused. */
export type Tier = 'modelled' | 'generic' | 'unmodelled';

/** `route`: `POST /v1/customers/{customer}`. */
export type Covered = { readonly route: string; readonly tier: Tier };

export type Manifest = {
  readonly kind: 'wrld-twin';
  readonly vendor: string;
  readonly version: string;
  readonly protocol: 'http' | 'smtp' | 'mysql';
  readonly api: {
    readonly version?: string;
    readonly sdks: readonly { readonly npm: string; readonly version: string }[];
  };
  readonly models: readonly {
    readonly type: string;
    readonly idPrefix?: string;
    readonly operations: readonly string[];
  }[];
  readonly coverage: Coverage;
  /** Host and path prefixes (each begins and ends with `/`) that the twin answers by interception. */
  readonly hosts: readonly { readonly host: string; readonly paths: readonly string[] }[];
  /** Variable → suffix on the twin's URL, for a client that is pointed by a variable. */
  readonly endpointEnv?: { readonly [name: string]: string };
  readonly stream?: {
    readonly id: string;
    readonly env: readonly string[];
    /** Where the vendor listens: raw connections to these reach the stream. */
    readonly hosts?: readonly { readonly host: string; readonly port: number }[];
  };
  readonly upgrades?: readonly string[];
  readonly generative: boolean;
  /** The matchers its handlers accept. */
  readonly matchers: readonly string[];
  /** Whether it has a root; filled in by the world. */
  readonly root: boolean;
  readonly screens: readonly { readonly id: string; readonly path: string; readonly host?: string }[];
  readonly requestScopes?: readonly ['read'];
  readonly webhooks?: {
    readonly scheme: 'stripe' | 'github' | 'slack' | 'svix' | 'standard' | 'own' | 'none';
    readonly events: readonly string[];
  };
  readonly refresh?: { readonly every: string | null; readonly atMost: string };
};

/** What a twin has to say itself; the rest follows from it. */
export type ManifestParts = Omit<
  Manifest,
  'kind' | 'protocol' | 'api' | 'generative' | 'matchers' | 'root' | 'screens'
> &
  Partial<Pick<Manifest, 'protocol' | 'api' | 'generative'>> & {
    readonly screens?: readonly (Manifest['screens'][number] & { readonly query?: string })[];
  };

export function manifestOf({ screens = [], ...said }: ManifestParts): Manifest {
  const { generative = false } = said;
  return {
    kind: 'wrld-twin',
    protocol: 'http',
    api: { sdks: [] },
    ...said,
    generative,
    matchers: generative ? GENERATIVE_MATCHERS : HANDLER_MATCHERS,
    root: false,
    screens: screens.map(({ id, path, query, host }) => ({
      id,
      path: query === undefined ? path : `${path}?${query}`,
      ...(host === undefined ? {} : { host }),
    })),
  };
}

/** Type of object, how its ids begin (null: as they like), and the SDK's resource whose operations make it. */
export type ModelRow = readonly [type: string, idPrefix: string | null, resource: string];

/** An operation belongs to the resource that names most of it: `chat.completions.create` to `chat.completions`. */
export function modelsOf(
  rows: readonly ModelRow[],
  operations: readonly { readonly name: string }[],
): Manifest['models'] {
  const resources = rows.map(([, , resource]) => resource).sort((a, b) => b.length - a.length);
  const resourceOf = (name: string): string | undefined =>
    resources.find(resource => name.startsWith(`${resource}.`));
  return rows.map(([type, idPrefix, resource]) => ({
    type,
    ...(idPrefix === null ? {} : { idPrefix }),
    operations: operations
      .filter(({ name }) => resourceOf(name) === resource)
      .map(({ name }) => name.slice(resource.length + 1)),
  }));
}
