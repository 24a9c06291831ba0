// The images of a folder: those of its compose file, or that of its build file; or one that is built already.
import { basename, dirname, join } from 'node:path';
import { type BuildFile, readBuildFile, type Stage, stageOf } from './build-file.ts';
import { type Project, readProject } from './compose-project.ts';
import { type DeclaredImage, declaredImage } from './declared-image.ts';
import { readEnvFile } from './env-file.ts';
import type { ImageFiles } from './files.ts';
import { type IgnoreRules, readIgnoreFile } from './ignore-file.ts';
import { ENV_FILE_BYTES_MAX, IGNORE_FILE_BYTES_MAX, IMAGE_FILE_BYTES_MAX } from './limits.ts';
import { type Note, Unreadable } from './note.ts';
import { readBuiltImage } from './oci/built-image.ts';
import { stageOfConfig } from './oci/config-stage.ts';
import type { EnvValue, Service } from './service.ts';

export type Images = {
  /** Absolute: what names are relative to. */
  readonly folder: string;
  /** The files that it was read from. */
  readonly files: readonly string[];
  readonly images: readonly DeclaredImage[];
  readonly notes: readonly Note[];
};

export type ImagesOptions = {
  /** A folder, a build file, a compose file or an image that is built already; absolute. */
  readonly path: string;
  /** More compose files, which follow it; absolute. */
  readonly more: readonly string[];
  /** A stage of a build file that is read alone. */
  readonly target: string | null;
  readonly read: ImageFiles;
  readonly env: { readonly [name: string]: string | undefined };
};

const COMPOSE_FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];
const BUILD_FILES = ['Dockerfile', 'Containerfile'];

/** @throws Unreadable */
export function readImages(options: ImagesOptions): Images {
  const { path, more, read, env } = options;
  if (isBuilt(path, read)) return ofBuiltImage(path, options);
  const found = read.isFolder(path) ? filesIn(path, read) : { file: path, others: [] };
  if (found === null)
    throw new Unreadable(
      { file: read.name(path), line: 1 },
      `neither a compose file nor a build file is in it (${[...COMPOSE_FILES, ...BUILD_FILES].join(', ')})`,
    );
  if (!/\.ya?ml$/i.test(found.file)) {
    if (more.length > 0)
      throw new Unreadable(
        { file: read.name(found.file), line: 1 },
        'compose files follow compose files alone',
      );
    return ofBuildFile(found.file, options);
  }
  const project = readProject({ files: [found.file, ...(more.length > 0 ? more : found.others)], read, env });
  return ofProject(project, options);
}

/** In a layout of its own, or an archive; none of a project's folders has either at its top. */
function isBuilt(path: string, read: ImageFiles): boolean {
  return read.isFolder(path)
    ? read.read(join(path, 'oci-layout'), IMAGE_FILE_BYTES_MAX).ok
    : /\.tar$/i.test(path);
}

function ofBuiltImage(path: string, { read, more, target }: ImagesOptions): Images {
  const name = read.name(path);
  if (more.length > 0 || target !== null)
    throw new Unreadable(
      { file: name, line: 1 },
      'an image that is built already has no stages and no compose files',
    );
  const built = readBuiltImage(path, name, read.isFolder(path));
  const { stage, notes } = stageOfConfig(built);
  const image = declaredImage({
    name: basename(path).replace(/\.tar$/i, '') || 'image',
    ...{
      build: null,
      built: { stage, image: built },
      service: null,
      internalNetworks: new Set(),
      serviceEnv: new Map(),
      notes,
    },
  });
  return {
    folder: read.isFolder(path) ? path : dirname(path),
    files: [stage.place.file],
    images: [image],
    notes,
  };
}

function filesIn(
  folder: string,
  read: ImageFiles,
): { readonly file: string; readonly others: readonly string[] } | null {
  const there = (names: readonly string[]): string | undefined =>
    names
      .map(name => join(folder, name))
      .find(file => {
        const found = read.read(file, IMAGE_FILE_BYTES_MAX);
        return found.ok || !found.missing;
      });
  const compose = there(COMPOSE_FILES);
  if (compose !== undefined) {
    const over = there(COMPOSE_FILES.map(name => name.replace(/(\.ya?ml)$/, '.override$1')));
    return { file: compose, others: over === undefined ? [] : [over] };
  }
  const build = there(BUILD_FILES);
  return build === undefined ? null : { file: build, others: [] };
}

function ofBuildFile(file: string, { read, target }: ImagesOptions): Images {
  const build = buildFileAt(file, read, new Map());
  const stage = stageAt(build, target, read.name(file));
  const image = declaredImage({
    name: basename(dirname(file)) || 'image',
    build: {
      context: dirname(file),
      file: read.name(file),
      stages: build.stages,
      stage,
      ignore: ignoreOf(dirname(file), file, read),
    },
    service: null,
    internalNetworks: new Set(),
    serviceEnv: new Map(),
    notes: build.notes,
  });
  return { folder: dirname(file), files: [read.name(file)], images: [image], notes: build.notes };
}

function buildFileAt(file: string, read: ImageFiles, args: ReadonlyMap<string, string>): BuildFile {
  const name = read.name(file);
  const text = read.read(file, IMAGE_FILE_BYTES_MAX);
  if (!text.ok) throw new Unreadable({ file: name, line: 1 }, text.why);
  return readBuildFile(text.text, { file: name, args });
}

/** What lies beside the build file under its name goes before what the context has. */
function ignoreOf(context: string, file: string | null, read: ImageFiles): IgnoreRules | null {
  const own = file === null ? [] : [`${file}.dockerignore`];
  for (const path of [...own, join(context, '.dockerignore')]) {
    const text = read.read(path, IGNORE_FILE_BYTES_MAX);
    if (text.ok) return readIgnoreFile(text.text, read.name(path));
    if (!text.missing) throw new Unreadable({ file: read.name(path), line: 1 }, text.why);
  }
  return null;
}

function stageAt(build: BuildFile, target: string | null, file: string): Stage {
  const stage = stageOf(build, target);
  if (stage !== null) return stage;
  const names = build.stages.flatMap(({ name }) => (name === null ? [] : [name]));
  throw new Unreadable(
    { file, line: 1 },
    `no stage is called ${target} (there are: ${names.join(', ') || 'none with a name'})`,
  );
}

function ofProject(project: Project, options: ImagesOptions): Images {
  const { read } = options;
  const notes: Note[] = [...project.notes];
  const images = [...project.services.values()].map(service => {
    const build = buildOf(service, read);
    const vars = envOf(service, options);
    const own = [...service.notes, ...(build?.notes ?? []), ...vars.notes];
    notes.push(...(build?.notes ?? []), ...vars.notes);
    return declaredImage({
      name: service.name,
      build,
      service,
      internalNetworks: project.internalNetworks,
      serviceEnv: vars.env,
      notes: own,
    });
  });
  return { folder: project.folder, files: project.files, images, notes };
}

function buildOf(service: Service, read: ImageFiles) {
  const { build } = service;
  if (build === null) return null;
  const args = new Map(
    [...build.args].flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  );
  const file =
    build.file ??
    BUILD_FILES.map(name => join(build.context, name)).find(
      each => read.read(each, IMAGE_FILE_BYTES_MAX).ok,
    ) ??
    join(build.context, 'Dockerfile');
  const named = build.inline === null ? read.name(file) : build.inline.place.file;
  try {
    // The lines of one that is written in the compose file are those below its key.
    const under = build.inline === null ? null : '\n'.repeat(build.inline.place.line);
    const parsed =
      build.inline === null
        ? buildFileAt(file, read, args)
        : readBuildFile(`${under}${build.inline.text}`, { file: named, args });
    const stage = stageAt(parsed, build.target, named);
    const ignore = ignoreOf(build.context, build.inline === null ? file : null, read);
    return { context: build.context, file: named, stages: parsed.stages, stage, ignore, notes: parsed.notes };
  } catch (error) {
    if (!(error instanceof Unreadable) || error.place.file !== named || build.inline !== null) throw error;
    // Whose build file it is stands in the compose file.
    throw error.place.line === 1 && error.message.includes('it is not there')
      ? new Unreadable(build.place, `services.${service.name}.build: ${error.message}`)
      : error;
  }
}

function envOf(
  service: Service,
  { read, env }: ImagesOptions,
): { readonly env: ReadonlyMap<string, EnvValue>; readonly notes: readonly Note[] } {
  const all = new Map<string, EnvValue>();
  const notes: Note[] = [];
  for (const { path, required, raw, place } of service.envFiles) {
    const text = read.read(path, ENV_FILE_BYTES_MAX);
    const file = read.name(path);
    if (!text.ok) {
      if (required || !text.missing) throw new Unreadable(place, `env_file ${file}: ${text.why}`);
      continue;
    }
    const given = readEnvFile(text.text, { file, raw, lookup: name => env[name] });
    notes.push(...given.notes);
    for (const [name, { value, place: at }] of given.variables)
      all.set(name, { value, written: false, place: at });
  }
  for (const [name, value] of service.env) all.set(name, value);
  return { env: all, notes };
}
