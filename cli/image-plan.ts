// How an image is to run natively: what its root folder has, as whom and with what it runs; or why it cannot, before anything
// is started.
import { dirname, join } from 'node:path';
import { SYSTEM_BUNDLES } from '../contained/bundles.ts';
import type { WorldPaths } from '../control/node/paths.ts';
import { type DeclarationView, mountRefusals, networkDeclaration } from '../images/declaration-text.ts';
import { type DeclaredImage, wordsOf } from '../images/declared-image.ts';
import { absolute } from '../images/image-path.ts';
import { MEMORY_BYTES_MAX, PROCESSES_MAX } from '../images/limits.ts';
import { type Context, type Copied, copiedFiles } from '../images/native/copies.ts';
import type { Limits, RootPlan } from '../images/native/messages.ts';
import { type Note, Unreadable } from '../images/note.ts';
import { judgeMount } from '../policy/files.ts';
import { type RefusalRecord, refusalText } from '../policy/refusal.ts';
import { groundOfBuilt } from './built-image.ts';
import type { TrustFiles } from './environment.ts';
import { noteText, realPath, shown } from './images.ts';

export type ImagePlan = {
  readonly image: DeclaredImage;
  readonly words: readonly string[];
  readonly root: Omit<RootPlan, 'provided' | 'bundle' | 'hosts'>;
  readonly limits: Limits;
  /** What the image sets. */
  readonly env: { readonly [name: string]: string };
  readonly notes: readonly Note[];
  /** Its files are made by its build file first (`root.made`). */
  readonly isBuilt: boolean;
};

export type Planned =
  | { readonly ok: true; readonly plan: ImagePlan }
  /** A line each. */
  | { readonly ok: false; readonly why: readonly string[] };

/** Of a user that has a name alone: what its number is only the base image knows. */
const USER_ID = 1_000;

/** As a container runtime sets it. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type PlanOptions = {
  readonly args: readonly string[] | null;
  readonly paths: WorldPaths;
  readonly view: DeclarationView;
  /** Folders of this machine that stand for the base image's; absolute. */
  readonly system: readonly string[];
  /** RUN is run, and COPY gives each its files in their order. */
  readonly build: boolean;
  /** Tells what takes its time. */
  readonly tell: (line: string) => void;
};

/** What the program stands on, and as whom; in which a build file and an image that is built already differ. */
export type Ground = {
  readonly words: readonly string[];
  readonly root: Pick<RootPlan, 'base' | 'made' | 'files' | 'layers' | 'mounts' | 'system' | 'user'>;
  readonly notes: readonly Note[];
};

export type Grounded = { readonly ok: true; readonly ground: Ground } | Extract<Planned, { ok: false }>;

export async function planImage(image: DeclaredImage, options: PlanOptions): Promise<Planned> {
  const grounded =
    image.built === null
      ? groundOfBuildFile(image, options)
      : await groundOfBuilt(image, image.built, options);
  if (!grounded.ok) return grounded;
  const { words, root, notes } = grounded.ground;
  const hostname = hostOf(image.name);
  const given = [...image.env].flatMap(([key, { value }]) => (value === null ? [] : [[key, value] as const]));
  return {
    ok: true,
    plan: {
      image,
      words,
      root: {
        ...root,
        volumes: [
          ...image.persist.map(each => each.path),
          ...image.mounts.flatMap(each => (each.kind === 'tmpfs' ? [absolute(each.target, '/')] : [])),
        ].filter(each => each !== '/'),
        workingFolder: image.workingFolder.path,
        hidden: [...new Set([join(options.paths.folder, '.wrld'), options.paths.home])],
        hostname,
      },
      limits: { processes: image.processesMax ?? PROCESSES_MAX, memory: image.memoryMax ?? MEMORY_BYTES_MAX },
      env: {
        PATH: programPath(root.system),
        HOME: root.user.home,
        HOSTNAME: hostname,
        ...Object.fromEntries(given),
      },
      notes,
      isBuilt: options.build && image.built === null,
    },
  };
}

/** Of programs of an image, those of `system` first. */
export function programPath(system: readonly string[]): string {
  return [...system.map(each => join(each, 'bin')), PATH].join(':');
}

function groundOfBuildFile(image: DeclaredImage, { args, view, system, build }: PlanOptions): Grounded {
  const no = (...why: readonly string[]): Grounded => ({ ok: false, why });
  const at = `${image.place.file}:${image.place.line}`;
  if (image.build === null)
    return no(
      `${shown(`${at}: ${image.name}`)} has no build file here, and ${shown(image.base)} alone is none of this machine's`,
    );
  const refusals = mountRefusals(image, view);
  if (refusals.length > 0) return no(...refusals.map(told));
  const folder = realPath(image.build.context);
  const worldFolder = view.worldFolder!;
  const own = judgeMount(folder, {
    ...view,
    worldFolder,
    declaration: networkDeclaration(image),
    visible: [],
    volumes: [],
  });
  if (!own.ok)
    return no(told({ ...own.refusal, declaredBy: { capability: own.refusal.capability, ...image.place } }));
  const words = wordsOf(image, args);
  if (words === null)
    return no(
      `${shown(`${at}: ${image.name}`)} says no command, and what its base image runs is not known here; give one after --`,
    );
  const mounts = image.mounts.flatMap(({ kind, source, target, readOnly }) =>
    kind === 'bind' ? [{ from: realPath(source!), at: absolute(target, '/'), readOnly }] : [],
  );
  const user = userOf(image.user?.name ?? 'root');
  const root = { ...{ base: null, made: null, mounts, system, user }, layers: [], files: [] };
  if (build) return { ok: true, ground: { words, root, notes: [] } };
  const copied = copiedOr(image, { ...image.build, folder, realPath, built: null });
  if (typeof copied === 'string') return no(shown(copied));
  return {
    ok: true,
    ground: {
      words,
      root: { ...root, layers: copied.layers, files: copied.files },
      notes: [
        ...copied.notes,
        ...image.makes
          .flatMap(make => (make.kind === 'run' ? [make.step.place] : []))
          .slice(0, 1)
          .map(place => ({
            ...place,
            what: `RUN is not run: what it makes has to be in ${folder} already (--build runs it)`,
          })),
      ],
    },
  };
}

/** Or why nobody can say which. */
function copiedOr(image: DeclaredImage, context: Context): Copied | string {
  try {
    return copiedFiles(image, context);
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

/** One line: the refusal, and where to declare it. */
export function told(record: RefusalRecord): string {
  const { declaredBy } = record;
  const where =
    declaredBy === undefined ? '' : ` (its declaration: ${shown(`${declaredBy.file}:${declaredBy.line}`)})`;
  return `refused [${record.rule}]: ${refusalText(record)}${where}`;
}

/** What of the world's the program finds, at the paths that it has here. */
export function providedFiles(
  trust: TrustFiles,
  files: readonly string[],
): Pick<RootPlan, 'provided' | 'bundle'> {
  const java = trust.java === null ? [] : [trust.java.file];
  return {
    provided: [...new Set([dirname(trust.bundle), ...java, ...files])],
    bundle: { from: trust.bundle, over: SYSTEM_BUNDLES },
  };
}

export function planNotes({ notes }: ImagePlan): readonly string[] {
  return notes.map(noteText);
}

/** `name`, `name:group`, or numbers. */
export function userOf(text: string): RootPlan['user'] {
  const [name = '', group = ''] = text.split(':');
  const number = (text: string): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null);
  const uid = number(name) ?? (name === 'root' ? 0 : USER_ID);
  const known = /^[a-z_][a-z0-9_-]{0,31}$/i.test(name) ? name : uid === 0 ? 'root' : 'user';
  return { name: known, uid, gid: number(group) ?? uid, home: uid === 0 ? '/root' : `/home/${known}` };
}

function hostOf(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .slice(0, 63)
      .replace(/^-+|-+$/g, '') || 'image'
  );
}
