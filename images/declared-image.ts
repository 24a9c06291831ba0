// What an image declares, out of its build file and of its service in a compose file, each thing with the file and line
// that says it. The capabilities are those of 2.1; what is not said is as a container runtime has it.
import type { DeclaredBy } from '../policy/run.ts';
import type { CommandWords, Stage } from './build-file.ts';
import type { HealthCheck } from './health-check.ts';
import type { IgnoreRules } from './ignore-file.ts';
import { absolute } from './image-path.ts';
import type { Make } from './makes.ts';
import type { Note, Place } from './note.ts';
import type { BuiltImage } from './oci/built-image.ts';
import type { Dependence, EnvValue, Mount, PublishedPort, Service } from './service.ts';

export type DeclaredImage = {
  /** The service's; of a build file alone, that of its folder. */
  readonly name: string;
  readonly place: Place;
  readonly profiles: readonly string[];
  /** What is under it, and is not here. */
  readonly base: string;
  /** Null where it is made from no build file here: then it cannot run natively. */
  readonly build: {
    /** Absolute. */
    readonly context: string;
    readonly file: string;
    readonly stages: readonly Stage[];
    /** What of the context is not copied. */
    readonly ignore: IgnoreRules | null;
  } | null;
  /** By somebody else, before: its own files, which are unpacked where it runs. */
  readonly built: Pick<BuiltImage, 'id' | 'layers' | 'platform'> | null;
  readonly egress: readonly string[] | null;
  readonly services: readonly string[];
  readonly host: boolean;
  readonly mounts: readonly Mount[];
  readonly persist: readonly { readonly path: string; readonly place: Place }[];
  /** Entry point and arguments; null where only the base image knows. */
  readonly entrypoint: CommandWords | null;
  readonly command: CommandWords | null;
  readonly user: { readonly name: string; readonly place: Place } | null;
  readonly workingFolder: { readonly path: string; readonly place: Place };
  readonly env: ReadonlyMap<string, EnvValue>;
  readonly exposed: readonly {
    readonly port: number;
    readonly protocol: 'tcp' | 'udp';
    readonly place: Place;
  }[];
  readonly published: readonly PublishedPort[];
  readonly dependsOn: ReadonlyMap<string, Dependence>;
  readonly extraHosts: ReadonlyMap<string, { readonly address: string; readonly place: Place }>;
  readonly makes: readonly Make[];
  readonly memoryMax: number | null;
  readonly processesMax: number | null;
  readonly healthCheck: HealthCheck | null;
  readonly declaredBy: readonly DeclaredBy[];
  readonly notes: readonly Note[];
};

export type ImageParts = {
  readonly name: string;
  readonly build: {
    readonly context: string;
    readonly file: string;
    readonly stages: readonly Stage[];
    readonly stage: Stage;
    readonly ignore: IgnoreRules | null;
  } | null;
  /** Of an image that is built already: what its config says, and it itself. */
  readonly built?: { readonly stage: Stage; readonly image: BuiltImage };
  readonly service: Service | null;
  readonly internalNetworks: ReadonlySet<string>;
  readonly serviceEnv: ReadonlyMap<string, EnvValue>;
  readonly notes: readonly Note[];
};

export function declaredImage({
  name,
  build,
  built,
  service,
  internalNetworks,
  serviceEnv,
  notes,
}: ImageParts): DeclaredImage {
  const stage = build?.stage ?? built?.stage ?? null;
  const place = service?.place ?? stage!.place;
  const closed = closedBy(service, internalNetworks);
  const egress = service?.egress?.hosts ?? (closed === null ? null : []);
  const persist = [...(stage?.volumes ?? [])];
  for (const { kind, target, place: at } of service?.mounts ?? [])
    if (
      kind === 'volume' &&
      target.startsWith('/') &&
      !persist.some(({ path }) => path === absolute(target, '/'))
    )
      persist.push({ path: absolute(target, '/'), place: at });
  const exposed = [...(stage?.ports ?? [])];
  for (const port of service?.exposes ?? [])
    if (!exposed.some(each => each.port === port.port && each.protocol === port.protocol)) exposed.push(port);
  const entrypoint = service?.entrypoint ?? stage?.entrypoint ?? null;
  // A service that names an entry point of its own has none of the image's arguments.
  const command = service?.command ?? (service?.entrypoint != null ? null : (stage?.command ?? null));
  const env = new Map<string, EnvValue>();
  for (const [key, { value, place: at }] of stage?.env ?? [])
    env.set(key, { value, written: true, place: at });
  for (const [key, value] of serviceEnv) env.set(key, value);
  const host = service?.networkMode?.mode === 'host';
  const by = (capability: string, at: Place): DeclaredBy => ({ capability, file: at.file, line: at.line });
  const ground = stage?.place ?? place;
  return {
    name,
    place,
    profiles: service?.profiles ?? [],
    base: stage?.base ?? service?.image?.name ?? 'scratch',
    build:
      build === null
        ? null
        : { context: build.context, file: build.file, stages: build.stages, ignore: build.ignore },
    built: built?.image ?? null,
    egress,
    services: [...(service?.dependsOn.keys() ?? [])],
    host,
    mounts: service?.mounts ?? [],
    persist,
    entrypoint,
    command,
    user: service?.user ?? stage?.user ?? null,
    workingFolder: service?.workingFolder ?? stage?.workingFolder ?? { path: '/', place: ground },
    env,
    exposed,
    published: service?.ports ?? [],
    dependsOn: service?.dependsOn ?? new Map(),
    extraHosts: service?.extraHosts ?? new Map(),
    makes: stage?.makes ?? [],
    memoryMax: service?.memoryMax ?? null,
    processesMax: service?.processesMax ?? null,
    healthCheck:
      service?.healthCheck === 'none' ? null : (service?.healthCheck ?? stage?.healthCheck ?? null),
    // Where it is said, else where it would be.
    declaredBy: [
      by('network.egress', service?.egress?.place ?? closed ?? ground),
      by('network.services', service?.dependsOnPlace ?? place),
      by('network.ownLoopback', exposed[0]?.place ?? ground),
      by('network.host', service?.networkMode?.place ?? place),
      by('files.read', service?.mountsPlace ?? place),
      by('files.persist', persist[0]?.place ?? ground),
    ],
    notes,
  };
}

/** Where it says that nothing leaves it; null where it may. */
function closedBy(service: Service | null, internal: ReadonlySet<string>): Place | null {
  if (service === null) return null;
  if (service.networkMode?.mode === 'none') return service.networkMode.place;
  const { networks, networksPlace } = service;
  return networks.size > 0 && [...networks.keys()].every(name => internal.has(name)) ? networksPlace : null;
}

/** The words that it runs; null where nobody here knows. */
export function wordsOf(
  { entrypoint, command }: DeclaredImage,
  args: readonly string[] | null,
): readonly string[] | null {
  const rest = args ?? command?.words ?? [];
  if (entrypoint === null) return rest.length === 0 ? null : rest;
  // A shell reads its text alone: whatever follows would be the shell's own arguments.
  const words = entrypoint.shell ? entrypoint.words : [...entrypoint.words, ...rest];
  return words.length === 0 ? null : words;
}
