// What one service of a compose file says, key by key. A key that is known and means nothing here is passed over; one that
// means something that is not done is named with its line, and so is one that nobody knows.
import { isAbsolute, join } from 'node:path';
import type { CommandWords } from './build-file.ts';
import { keyed } from './compose-merge.ts';
import { mountsOf, tmpfsOf } from './compose-mounts.ts';
import { exposesOf, portsOf } from './compose-ports.ts';
import { fieldOf, listOf, mappingOf, textOf, textsOf } from './compose-shape.ts';
import { healthCheckOf } from './health-check.ts';
import { absolute } from './image-path.ts';
import { type Note, type Place, Unreadable } from './note.ts';
import type { Dependence, EnvValue, Service } from './service.ts';
import { splitWords } from './words.ts';
import type { Entry, Mapping, Tree } from './yaml-tree.ts';

type Draft = { -readonly [key in keyof Service]: Service[key] } & {
  env: Map<string, EnvValue>;
  notes: Note[];
};

/** Nothing of what a declaration says, or of how it runs here. */
const WITHOUT_EFFECT: readonly string[] = [
  ...[
    'annotations',
    'attach',
    'cap_drop',
    'container_name',
    'cpus',
    'cpu_shares',
    'deploy',
    'develop',
    'domainname',
  ],
  ...[
    'extends',
    'hostname',
    'init',
    'label_file',
    'labels',
    'logging',
    'oom_score_adj',
    'platform',
    'pull_policy',
  ],
  ...[
    'read_only',
    'restart',
    'scale',
    'security_opt',
    'shm_size',
    'stdin_open',
    'stop_grace_period',
    'stop_signal',
  ],
  ...['tty', 'ulimits'],
];
const BUILD_KEYS: readonly string[] = [
  ...[
    'context',
    'dockerfile',
    'dockerfile_inline',
    'target',
    'args',
    'labels',
    'cache_from',
    'cache_to',
    'no_cache',
  ],
  ...['pull', 'platforms', 'tags', 'shm_size', 'network', 'privileged', 'ssh', 'secrets', 'ulimits'],
];
/** Known, and not done; each with what that means. */
const NOT_DONE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    secrets: 'its files are not there; mount them',
    configs: 'its files are not there; mount them',
    volumes_from: 'nothing is mounted; name the volumes themselves',
    dns: 'names are the world’s to look up',
    dns_search: 'names are the world’s to look up',
    dns_opt: 'names are the world’s to look up',
  }),
);

type Context = {
  readonly name: string;
  readonly place: Place;
  /** Where relative paths of that file begin. */
  readonly folderOf: (place: Place) => string;
  readonly home: string | undefined;
  /** The machine's environment, for names that are listed without a value. */
  readonly lookup: (name: string) => string | undefined;
};

/** @throws Unreadable where a value can be taken for nothing. */
export function readService(tree: Mapping, context: Context): Service {
  return new ServiceReader(context).read(tree);
}

class ServiceReader {
  readonly #context: Context;
  readonly #service: Draft;

  constructor(context: Context) {
    this.#context = context;
    this.#service = {
      name: context.name,
      place: context.place,
      ...{
        profiles: [],
        build: null,
        image: null,
        command: null,
        entrypoint: null,
        env: new Map(),
        envFiles: [],
      },
      ...{ dependsOn: new Map(), dependsOnPlace: null, ports: [], exposes: [], networks: new Map() },
      ...{ networksPlace: null, networkMode: null, mounts: [], mountsPlace: null, extraHosts: new Map() },
      ...{ user: null, workingFolder: null, memoryMax: null, processesMax: null },
      ...{ healthCheck: null, egress: null, notes: [] },
    };
  }

  read(tree: Mapping): Service {
    for (const [key, { place, value }] of tree.entries) {
      if (value.kind === 'scalar' && value.isNull) continue;
      const take = TAKES.get(key);
      if (take !== undefined) take.call(this, value, place);
      else if (!WITHOUT_EFFECT.includes(key) && !key.startsWith('x-'))
        this.#note(
          place,
          `${key.slice(0, 60)}: ${NOT_DONE.get(key) ?? 'it is not understood, and nothing is done for it'}`,
        );
    }
    return this.#service;
  }

  #note(place: Place, what: string): void {
    this.#service.notes.push({ ...place, what });
  }

  profiles(tree: Tree): void {
    this.#service.profiles = textsOf(tree, 'profiles');
  }

  image(tree: Tree, place: Place): void {
    this.#service.image = { name: textOf(tree, 'image'), place };
  }

  build(tree: Tree, place: Place): void {
    const short = tree.kind === 'scalar';
    const context = short ? tree : mappingOf(tree, 'build').entries.get('context')?.value;
    const folder = context === undefined ? this.#context.folderOf(tree.place) : this.#path(context);
    if (context !== undefined && /^[a-z+]+:\/\/|^git@/.test(textOf(context, 'build.context')))
      throw new Unreadable(tree.place, 'build.context is elsewhere: it has to be a folder here');
    const fields: Mapping['entries'] = short ? new Map() : mappingOf(tree, 'build').entries;
    const file = fieldOf(tree, 'build', 'dockerfile');
    const inline = fields.get('dockerfile_inline');
    const args = fields.get('args')?.value;
    this.#service.build = {
      context: folder,
      file: file === null ? null : isAbsolute(file) ? file : join(folder, file),
      inline: inline === undefined ? null : { text: textOf(inline.value, 'build'), place: inline.place },
      target: fieldOf(tree, 'build', 'target'),
      args: args === undefined ? new Map() : this.#named(args, 'args'),
      place,
    };
    for (const [key, entry] of fields)
      if (!BUILD_KEYS.includes(key))
        this.#note(entry.place, `build.${key.slice(0, 60)}: it is not understood`);
  }

  command(tree: Tree, place: Place): void {
    this.#service.command = this.#words(tree, place, 'command');
  }

  entrypoint(tree: Tree, place: Place): void {
    this.#service.entrypoint = this.#words(tree, place, 'entrypoint');
  }

  environment(tree: Tree): void {
    const given = keyed('environment', tree);
    for (const [name, entry] of mappingOf(given, 'environment').entries) {
      const { value, place } = entry;
      if (value.kind !== 'scalar') throw new Unreadable(place, `environment.${name} takes a text`);
      const set = value.isNull ? (this.#context.lookup(name) ?? null) : value.text;
      const written = !value.isNull && value.fromVariable !== true;
      this.#service.env.set(name, { value: set, written, place });
    }
  }

  envFile(tree: Tree): void {
    const items = tree.kind === 'list' ? tree.items : [tree];
    this.#service.envFiles = items.map(item => {
      if (item.kind !== 'mapping')
        return { path: this.#path(item), required: true, raw: false, place: item.place };
      const path = item.entries.get('path');
      if (path === undefined) throw new Unreadable(item.place, 'env_file takes a path');
      const required = item.entries.get('required')?.value;
      const format = item.entries.get('format')?.value;
      return {
        path: this.#path(path.value),
        required: required === undefined || textOf(required, 'env_file.required') !== 'false',
        raw: format !== undefined && textOf(format, 'env_file.format') === 'raw',
        place: item.place,
      };
    });
  }

  dependsOn(tree: Tree, place: Place): void {
    const dependsOn = new Map(this.#service.dependsOn);
    for (const [name, entry] of mappingOf(keyed('depends_on', tree), 'depends_on').entries) {
      const field = (key: string): string | null => {
        const value = entry.value.kind === 'mapping' ? entry.value.entries.get(key)?.value : undefined;
        return value === undefined ? null : textOf(value, `depends_on.${name}.${key}`);
      };
      const condition = field('condition') ?? 'service_started';
      if (!isCondition(condition))
        throw new Unreadable(entry.place, `depends_on.${name}.condition is not known`);
      dependsOn.set(name, { condition, required: field('required') !== 'false', place: entry.place });
    }
    this.#service.dependsOn = dependsOn;
    this.#service.dependsOnPlace = place;
  }

  links(tree: Tree, place: Place): void {
    const names = textsOf(tree, 'links').map(text => text.split(':')[0]!);
    const dependsOn = new Map(this.#service.dependsOn);
    for (const name of names)
      if (!dependsOn.has(name)) dependsOn.set(name, { condition: 'service_started', required: true, place });
    this.#service.dependsOn = dependsOn;
    this.#service.dependsOnPlace ??= place;
  }

  ports(tree: Tree): void {
    this.#service.ports = portsOf(tree);
  }

  expose(tree: Tree): void {
    this.#service.exposes = exposesOf(tree);
  }

  networks(tree: Tree, place: Place): void {
    const { entries } = mappingOf(keyed('networks', tree), 'networks');
    this.#service.networks = new Map([...entries].map(([name, entry]) => [name, entry.place]));
    this.#service.networksPlace = place;
  }

  networkMode(tree: Tree, place: Place): void {
    const mode = textOf(tree, 'network_mode');
    this.#service.networkMode = { mode, place };
    if (!['host', 'none', 'bridge', 'default'].includes(mode))
      this.#note(place, `network_mode: ${mode.slice(0, 60)}: each service has a network of its own here`);
  }

  volumes(tree: Tree, place: Place): void {
    this.#service.mounts = [...this.#service.mounts, ...mountsOf(tree, each => this.#path(each))];
    this.#service.mountsPlace = place;
  }

  tmpfs(tree: Tree): void {
    this.#service.mounts = [...this.#service.mounts, ...tmpfsOf(tree)];
  }

  extraHosts(tree: Tree): void {
    const hosts = new Map<string, { address: string; place: Place }>();
    if (tree.kind === 'mapping')
      for (const [name, { value, place }] of tree.entries)
        hosts.set(name, { address: textOf(value, 'extra_hosts'), place });
    else
      for (const item of listOf(tree, 'extra_hosts')) {
        const read = /^([^:=\s]+)[:=](.+)$/.exec(textOf(item, 'extra_hosts'));
        if (read === null) throw new Unreadable(item.place, 'extra_hosts takes "name=address"');
        hosts.set(read[1]!, { address: read[2]!.replace(/^\[|\]$/g, ''), place: item.place });
      }
    this.#service.extraHosts = hosts;
  }

  user(tree: Tree, place: Place): void {
    this.#service.user = { name: textOf(tree, 'user'), place };
  }

  workingDir(tree: Tree, place: Place): void {
    this.#service.workingFolder = { path: absolute(textOf(tree, 'working_dir'), '/'), place };
  }

  memLimit(tree: Tree, place: Place): void {
    const bytes = bytesOf(textOf(tree, 'mem_limit'));
    if (bytes === null) throw new Unreadable(place, 'mem_limit takes a size: 512m, 2g');
    this.#service.memoryMax = bytes;
  }

  healthcheck(tree: Tree, place: Place): void {
    this.#service.healthCheck = healthCheckOf(tree, place);
  }

  pidsLimit(tree: Tree, place: Place): void {
    const text = textOf(tree, 'pids_limit');
    if (!/^-?\d{1,9}$/.test(text)) throw new Unreadable(place, 'pids_limit takes a number');
    this.#service.processesMax = Number(text) < 1 ? null : Number(text);
  }

  wrld(tree: Tree, place: Place): void {
    const fields = mappingOf(tree, 'x-wrld');
    for (const [key, entry] of fields.entries)
      if (key !== 'egress')
        throw new Unreadable(entry.place, `x-wrld.${key.slice(0, 60)} is not known (accepted: egress)`);
    const egress = fields.entries.get('egress');
    if (egress !== undefined)
      this.#service.egress = {
        hosts: textsOf(egress.value, 'x-wrld.egress'),
        place: egress.place ?? place,
      };
  }

  #named(tree: Tree, key: string): ReadonlyMap<string, string | null> {
    const { entries } = mappingOf(keyed('args', tree), key);
    return new Map(
      [...entries].map(([name, { value }]: [string, Entry]) => {
        const isNull = value.kind === 'scalar' && value.isNull;
        return [name, isNull ? (this.#context.lookup(name) ?? null) : textOf(value, key)];
      }),
    );
  }

  /** On this machine, absolute. */
  #path(tree: Tree): string {
    const text = textOf(tree, 'a path');
    if (text.includes('\0')) throw new Unreadable(tree.place, 'a path with a NUL in it');
    if (text === '~' || text.startsWith('~/')) {
      if (this.#context.home === undefined) throw new Unreadable(tree.place, '~ is nowhere: HOME is not set');
      return join(this.#context.home, text.slice(1));
    }
    return isAbsolute(text) ? join(text) : join(this.#context.folderOf(tree.place), text);
  }

  /** A text is split as a shell would, and no shell is started for it. */
  #words(tree: Tree, place: Place, key: string): CommandWords {
    if (tree.kind === 'list') return { words: textsOf(tree, key), shell: false, place };
    const split = splitWords(textOf(tree, key), { escapeChar: '\\', lookup: null });
    if (!split.ok) throw new Unreadable(tree.place, `${key}: ${split.why}`);
    return { words: split.words, shell: false, place };
  }
}

type Take = (this: ServiceReader, tree: Tree, place: Place) => void;
const of = ServiceReader.prototype;
const TAKES: ReadonlyMap<string, Take> = new Map(
  Object.entries<Take>({
    ...{
      profiles: of.profiles,
      image: of.image,
      build: of.build,
      command: of.command,
      entrypoint: of.entrypoint,
    },
    ...{ environment: of.environment, env_file: of.envFile, depends_on: of.dependsOn, links: of.links },
    ...{ ports: of.ports, expose: of.expose, networks: of.networks, network_mode: of.networkMode },
    ...{ volumes: of.volumes, tmpfs: of.tmpfs, extra_hosts: of.extraHosts, user: of.user },
    ...{ working_dir: of.workingDir, mem_limit: of.memLimit, pids_limit: of.pidsLimit },
    ...{ healthcheck: of.healthcheck, 'x-wrld': of.wrld },
  }),
);

function isCondition(text: string): text is Dependence['condition'] {
  return ['service_started', 'service_healthy', 'service_completed_successfully'].includes(text);
}

/** `512m`, `2gb`, `1024`; null where it is none. */
function bytesOf(text: string): number | null {
  const read = /^(\d{1,12}(?:\.\d{1,3})?)([bkmg]?)b?$/i.exec(text.trim());
  if (read === null) return null;
  const times = { '': 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[read[2]!.toLowerCase()]!;
  return Math.floor(Number(read[1]) * times);
}
