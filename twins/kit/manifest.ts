// `GET /twin` (2.2): what a twin says of itself.

export type Coverage = { readonly modelled: number; readonly generic: number; readonly catalog: number };

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
    readonly scheme: 'stripe' | 'github' | 'slack' | 'svix' | 'standard' | 'none';
    readonly events: readonly string[];
  };
  readonly refresh?: { readonly every: string | null; readonly atMost: string };
};
