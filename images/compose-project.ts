// The services of a compose project: one file or several that are read as one, with what each service extends, and with
// variables put in.
import { dirname, join } from 'node:path';
import { mergeMappings } from './compose-merge.ts';
import { readService } from './compose-service.ts';
import { putVariablesIn } from './compose-variables.ts';
import { readEnvFile } from './env-file.ts';
import type { ImageFiles } from './files.ts';
import {
  COMPOSE_FILES_MAX,
  ENV_FILE_BYTES_MAX,
  EXTENDS_DEPTH_MAX,
  IMAGE_FILE_BYTES_MAX,
  SERVICES_MAX,
} from './limits.ts';
import { type Note, type Place, Unreadable } from './note.ts';
import type { Service } from './service.ts';
import { type Mapping, readYaml, type Tree } from './yaml-tree.ts';

export type Project = {
  readonly folder: string;
  readonly files: readonly string[];
  readonly services: ReadonlyMap<string, Service>;
  /** Networks that nobody outside of the project is reached by. */
  readonly internalNetworks: ReadonlySet<string>;
  readonly volumes: ReadonlySet<string>;
  readonly notes: readonly Note[];
};

export type ProjectOptions = {
  /** Absolute, in the order in which they follow one another. */
  readonly files: readonly string[];
  readonly read: ImageFiles;
  /** Of whoever asks; comes before the project's `.env`. */
  readonly env: { readonly [name: string]: string | undefined };
};

const TOP_LEVEL: readonly string[] = ['services', 'networks', 'volumes', 'name', 'version'];

/** @throws Unreadable */
export function readProject(options: ProjectOptions): Project {
  return new ProjectReader(options).read();
}

type Parsed = { readonly path: string; readonly tree: Mapping };

class ProjectReader {
  readonly #options: ProjectOptions;
  readonly #folder: string;
  readonly #lookup: (name: string) => string | undefined;
  readonly #notes: Note[] = [];
  readonly #parsed = new Map<string, Parsed>();
  /** By the name of the file, where its relative paths begin. */
  readonly #folders = new Map<string, string>();

  constructor(options: ProjectOptions) {
    const { files, read, env } = options;
    this.#options = options;
    const first = files[0]!;
    this.#folder = dirname(first);
    if (files.length > COMPOSE_FILES_MAX)
      throw new Unreadable(
        { file: read.name(first), line: 1 },
        `more than ${COMPOSE_FILES_MAX} compose files`,
      );
    const beside = join(this.#folder, '.env');
    const text = read.read(beside, ENV_FILE_BYTES_MAX);
    if (!text.ok && !text.missing) throw new Unreadable({ file: read.name(beside), line: 1 }, text.why);
    const own = text.ok
      ? readEnvFile(text.text, { file: read.name(beside), lookup: name => env[name] })
      : { variables: new Map<string, { value: string }>(), notes: [] };
    this.#notes.push(...own.notes);
    this.#lookup = name => env[name] ?? own.variables.get(name)?.value;
  }

  read(): Project {
    const parsed = this.#options.files.map(path => this.#parse(path, this.#folder));
    const merged = parsed.map(({ tree }) => tree).reduce(mergeTop);
    const services = new Map<string, Service>();
    const all = merged.entries.get('services')?.value;
    const place = { file: this.#options.read.name(this.#options.files[0]!), line: 1 };
    if (all?.kind !== 'mapping') throw new Unreadable(all?.place ?? place, 'no services');
    if (all.entries.size > SERVICES_MAX)
      throw new Unreadable(all.place, `more than ${SERVICES_MAX} services`);
    for (const name of all.entries.keys()) {
      const whole = this.#service(parsed, name, []);
      const at = all.entries.get(name)!.place;
      services.set(
        name,
        readService(whole, {
          name,
          place: at,
          folderOf: this.#folderOf,
          home: this.#lookup('HOME'),
          lookup: this.#lookup,
        }),
      );
    }
    checkDependences(services);
    return {
      folder: this.#folder,
      files: this.#options.files.map(this.#options.read.name),
      services,
      internalNetworks: this.#internal(merged),
      volumes: new Set(namesOf(merged, 'volumes')),
      notes: [...this.#notes, ...[...services.values()].flatMap(({ notes }) => notes)],
    };
  }

  readonly #folderOf = ({ file }: Place): string => this.#folders.get(file) ?? this.#folder;

  #parse(path: string, folder: string): Parsed {
    const known = this.#parsed.get(path);
    if (known !== undefined) return known;
    const { read } = this.#options;
    const file = read.name(path);
    const text = read.read(path, IMAGE_FILE_BYTES_MAX);
    if (!text.ok) throw new Unreadable({ file, line: 1 }, text.why);
    this.#folders.set(file, folder);
    const { tree, notes } = putVariablesIn(readYaml(text.text, file), this.#lookup);
    this.#notes.push(...notes);
    if (tree.kind !== 'mapping')
      throw new Unreadable({ file, line: 1 }, 'no compose file: it has no services');
    for (const [key, { place, value }] of tree.entries)
      if (!TOP_LEVEL.includes(key) && !key.startsWith('x-') && !(value.kind === 'scalar' && value.isNull))
        this.#notes.push({
          ...place,
          what: `${key.slice(0, 60)}: it is not understood, and nothing is done for it`,
        });
    const parsed = { path, tree };
    this.#parsed.set(path, parsed);
    return parsed;
  }

  /** With what each of these files says of it, and what it extends. */
  #service(files: readonly Parsed[], name: string, from: readonly string[]): Mapping {
    let whole: Mapping | null = null;
    for (const { path, tree } of files) {
      const entry = serviceIn(tree, name);
      if (entry === null) continue;
      const { place, value } = entry;
      if (value.kind !== 'mapping') throw new Unreadable(place, `services.${name} takes keys with values`);
      const extended = this.#extended(path, value, [...from, `${path} ${name}`]);
      const own: Mapping = extended === null ? value : mergeMappings(extended, value);
      whole = whole === null ? own : mergeMappings(whole, own);
    }
    if (whole === null)
      throw new Unreadable(
        { file: this.#options.read.name(files[0]!.path), line: 1 },
        `no service is called ${name}`,
      );
    return whole;
  }

  #extended(path: string, service: Mapping, from: readonly string[]): Mapping | null {
    const extend = service.entries.get('extends');
    if (extend === undefined) return null;
    const { value, place } = extend;
    const field = (key: string): string | null => {
      const found = value.kind === 'mapping' ? value.entries.get(key)?.value : undefined;
      return found?.kind === 'scalar' ? found.text : null;
    };
    const name = value.kind === 'scalar' ? value.text : field('service');
    if (name === null) throw new Unreadable(place, 'extends names no service');
    const file = field('file');
    const other = file === null ? path : join(this.#folderOf(place), file);
    if (from.includes(`${other} ${name}`))
      throw new Unreadable(place, `it extends itself, by way of ${name}`);
    if (from.length > EXTENDS_DEPTH_MAX)
      throw new Unreadable(place, `services extend one another more than ${EXTENDS_DEPTH_MAX} times`);
    const parsed = file === null ? this.#parsed.get(path)! : this.#parse(other, dirname(other));
    if (serviceIn(parsed.tree, name) === null)
      throw new Unreadable(
        place,
        `extends: no service is called ${name} in ${this.#options.read.name(other)}`,
      );
    const base = this.#service([parsed], name, from);
    // Who extends it depends on nobody for that, and is of no profile.
    const entries = [...base.entries].filter(
      ([key]) => !['extends', 'depends_on', 'links', 'profiles'].includes(key),
    );
    return { ...base, entries: new Map(entries) };
  }

  #internal(merged: Mapping): ReadonlySet<string> {
    const networks = merged.entries.get('networks')?.value;
    if (networks?.kind !== 'mapping') return new Set();
    return new Set(
      [...networks.entries].flatMap(([name, { value }]) => {
        const internal = value.kind === 'mapping' ? value.entries.get('internal')?.value : undefined;
        return internal?.kind === 'scalar' && internal.text === 'true' ? [name] : [];
      }),
    );
  }
}

/** But for its services, which are joined one by one with what they extend. */
function mergeTop(base: Mapping, over: Mapping): Mapping {
  return mergeMappings(base, over);
}

function serviceIn(tree: Mapping, name: string): { readonly place: Place; readonly value: Tree } | null {
  const services = tree.entries.get('services')?.value;
  return services?.kind === 'mapping' ? (services.entries.get(name) ?? null) : null;
}

function namesOf(tree: Mapping, key: string): readonly string[] {
  const value = tree.entries.get(key)?.value;
  return value?.kind === 'mapping' ? [...value.entries.keys()] : [];
}

function checkDependences(services: ReadonlyMap<string, Service>): void {
  const done = new Set<string>();
  const walk = (service: Service, from: readonly string[]): void => {
    if (done.has(service.name)) return;
    for (const [name, { place }] of service.dependsOn) {
      const path = [...from, service.name];
      if (path.includes(name))
        throw new Unreadable(
          place,
          `depends_on goes round in a circle: ${[...path.slice(path.indexOf(name)), name].join(' → ')}`,
        );
      const other = services.get(name);
      // One that is none of the project's may be one of the world's.
      if (other !== undefined) walk(other, path);
    }
    done.add(service.name);
  };
  for (const service of services.values()) walk(service, []);
}
