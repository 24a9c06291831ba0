// What a service of a compose file says of how an image is run, each thing with its place.
import type { CommandWords, ExposedPort } from './build-file.ts';
import type { HealthCheck } from './health-check.ts';
import type { Note, Place } from './note.ts';

/** `value` null: taken from the machine's environment, where it is not set. */
export type EnvValue = { readonly value: string | null; readonly written: boolean; readonly place: Place };

export type ServiceBuild = {
  /** Absolute. */
  readonly context: string;
  readonly file: string | null;
  readonly inline: { readonly text: string; readonly place: Place } | null;
  readonly target: string | null;
  readonly args: ReadonlyMap<string, string | null>;
  readonly place: Place;
};

export type Mount = {
  readonly kind: 'bind' | 'volume' | 'tmpfs';
  /** Of a bind mount, absolute on this machine; the name of a volume, null where it has none. */
  readonly source: string | null;
  readonly target: string;
  readonly readOnly: boolean;
  readonly place: Place;
};

export type PublishedPort = {
  /** An address of this machine; loopback unless given. */
  readonly address: string | null;
  /** Null: any free one. */
  readonly published: number | null;
  readonly target: number;
  readonly protocol: 'tcp' | 'udp';
  readonly place: Place;
};

export type Dependence = {
  readonly condition: 'service_started' | 'service_healthy' | 'service_completed_successfully';
  readonly required: boolean;
  readonly place: Place;
};

export type Service = {
  readonly name: string;
  readonly place: Place;
  readonly profiles: readonly string[];
  readonly build: ServiceBuild | null;
  readonly image: { readonly name: string; readonly place: Place } | null;
  /** Null: the image's own. No words: none, whatever the image has. */
  readonly command: CommandWords | null;
  readonly entrypoint: CommandWords | null;
  readonly env: ReadonlyMap<string, EnvValue>;
  readonly envFiles: readonly {
    readonly path: string;
    readonly required: boolean;
    readonly raw: boolean;
    readonly place: Place;
  }[];
  readonly dependsOn: ReadonlyMap<string, Dependence>;
  readonly dependsOnPlace: Place | null;
  readonly ports: readonly PublishedPort[];
  readonly exposes: readonly ExposedPort[];
  readonly networks: ReadonlyMap<string, Place>;
  readonly networksPlace: Place | null;
  readonly networkMode: { readonly mode: string; readonly place: Place } | null;
  readonly mounts: readonly Mount[];
  readonly mountsPlace: Place | null;
  readonly extraHosts: ReadonlyMap<string, { readonly address: string; readonly place: Place }>;
  readonly user: { readonly name: string; readonly place: Place } | null;
  readonly workingFolder: { readonly path: string; readonly place: Place } | null;
  /** Bytes. */
  readonly memoryMax: number | null;
  readonly processesMax: number | null;
  /** Null: the image's own. `none`: whatever the image has. */
  readonly healthCheck: HealthCheck | 'none' | null;
  /** `x-wrld: { egress: [host, …] }`: the hosts that it needs, and no others. */
  readonly egress: { readonly hosts: readonly string[]; readonly place: Place } | null;
  readonly notes: readonly Note[];
};
