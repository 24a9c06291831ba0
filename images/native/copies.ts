// The files that an image has by its COPY and ADD, as files of this machine: of the build context, or of another stage, whose
// own files are again those of the context. What a RUN would make of them is looked for where the context has it: a folder
// that `.dockerignore` names (`node_modules`, `dist`) stands for what RUN makes there, and all else that it names is not there.
import { globSync, lstatSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Stage } from '../build-file.ts';
import type { IgnoreRules } from '../ignore-file.ts';
import { absolute } from '../image-path.ts';
import { inside } from '../inside.ts';
import { COPIED_FILES_MAX } from '../limits.ts';
import { type CopiedFiles, copiesOf, hasSteps } from '../makes.ts';
import type { Note } from '../note.ts';
import { hasExceptions, ignoredIn } from './ignored.ts';

export type Copied = {
  /** `without`: what it does not have of that folder, relative to it. */
  readonly layers: readonly {
    readonly from: string;
    readonly at: string;
    readonly without: readonly string[];
  }[];
  readonly files: readonly { readonly from: string; readonly at: string }[];
  readonly notes: readonly Note[];
};

export type Context = {
  /** Absolute and real. */
  readonly folder: string;
  readonly stages: readonly Stage[];
  readonly ignore: IgnoreRules | null;
  readonly realPath: (path: string) => string;
  /** The files of stages that are built, by their number; null where RUN is not run. */
  readonly built: ReadonlyMap<number, string> | null;
};

/** `made`: a RUN may have made something in it, which nobody ran. */
export type Placed = {
  readonly from: string;
  readonly at: string;
  readonly isFolder: boolean;
  readonly made: boolean;
};

/** @throws Unreadable where it takes too long to say what is ignored. */
export function copiedFiles(stage: Pick<Stage, 'makes'>, context: Context): Copied {
  const notes: Note[] = [];
  const made = hasSteps(stage.makes);
  const placed = copiesOf(stage.makes).flatMap(copy => placesOf(copy, context, notes, { depth: 0, made }));
  const layers: { from: string; at: string; without: readonly string[] }[] = [];
  const files: { from: string; at: string }[] = [];
  for (const { from, at, isFolder, made } of placed) {
    if (isFolder) {
      const same = layers.findIndex(each => each.at === at);
      // Of two folders in one place the later one is seen; in a container they would be one.
      if (same !== -1) layers.splice(same, 1);
      layers.push({ from, at, without: ignoredIn(from, context, made) });
    } else files.push({ from, at });
  }
  // A file that a layer has anyhow, at the place that it is copied to.
  const own = files.filter(
    ({ from, at }) =>
      !layers.some(layer => isWithin(from, layer.from) && join(layer.at, relative(layer.from, from)) === at),
  );

  return { layers, files: own, notes };
}

type Within = { readonly depth: number; readonly made: boolean };

function placesOf(
  copy: CopiedFiles,
  context: Context,
  notes: Note[],
  { depth, made }: Within,
): readonly Placed[] {
  const { from, sources, to, place } = copy;
  if (from !== null && 'image' in from) return [];
  const tree = from === null ? undefined : context.built?.get(from.stage);
  const folder = tree ?? context.folder;
  const sourcesFound = sources.flatMap(source =>
    from === null
      ? inContext(source, context)
      : tree !== undefined
        ? inTree(source, tree)
        : inStage(source, context.stages[from.stage], context, depth),
  );
  const madeThere =
    from === null ? made : context.built === null && hasSteps(context.stages[from.stage]?.makes ?? []);
  if (sourcesFound.length === 0)
    notes.push({ ...place, what: `nothing here is ${sources.join(', ').slice(0, 200)}` });
  const many = sources.length > 1 || /[*?[]/.test(sources.join(''));
  return sourcesFound.slice(0, COPIED_FILES_MAX).flatMap((path): Placed[] => {
    const real = context.realPath(path);
    // A link or a name that leads out of the context: a builder would not have it either.
    if (!isWithin(real, folder)) {
      notes.push({ ...place, what: `${path.slice(0, 200)} leads out of the build context` });
      return [];
    }
    const found = statSync(real);
    const isFolder = found.isDirectory();
    // Who reads a pipe waits for somebody who writes.
    if (!isFolder && !found.isFile()) {
      notes.push({ ...place, what: `${path.slice(0, 200)} is neither a file nor a folder` });
      return [];
    }
    const at = !isFolder && (many || to.endsWith('/')) ? join(to, basename(path)) : absolute(to, '/');
    return [{ from: real, at, isFolder, made: madeThere }];
  });
}

/** Of one instruction, where RUN is run: what it names, as it is. */
export function placesOfCopy(copy: CopiedFiles, context: Context, notes: Note[]): readonly Placed[] {
  return placesOf(copy, context, notes, { depth: 0, made: false });
}

function inFolder(source: string, folder: string): readonly string[] {
  const path = join(folder, absolute(source, '/'));
  return /[*?[]/.test(source)
    ? globSync(absolute(source, '/').slice(1), { cwd: folder }).map(each => join(folder, each))
    : statSync(path, { throwIfNoEntry: false }) === undefined
      ? []
      : [path];
}

/** A link of an image's leads where the image has it. */
function inTree(source: string, tree: string): readonly string[] {
  if (/[*?[]/.test(source)) return inFolder(source, tree);
  const path = inside(tree, absolute(source, '/'));
  return statSync(path, { throwIfNoEntry: false }) === undefined ? [] : [path];
}

function inContext(source: string, { folder, ignore }: Context): readonly string[] {
  const found = inFolder(source, folder);
  if (ignore === null) return found;
  // Of an ignored folder, what is excepted is there.
  return found.filter(
    each =>
      ignore.ignored(relative(folder, each)) === null ||
      (ignore.exceptions && lstatSync(each).isDirectory() && hasExceptions(each, { folder, ignore })),
  );
}

function inStage(
  source: string,
  stage: Stage | undefined,
  context: Context,
  depth: number,
): readonly string[] {
  if (stage === undefined || depth > context.stages.length) return [];
  const path = absolute(source, '/');
  const made = hasSteps(stage.makes);
  const places = copiesOf(stage.makes).flatMap(copy =>
    placesOf(copy, context, [], { depth: depth + 1, made }),
  );
  // What was copied last lies over what was before it.
  for (const { from, at, isFolder } of places.toReversed()) {
    if (path === at) return [from];
    if (!isFolder || !isWithin(path, at)) continue;
    const inside = join(from, relative(at, path));
    if (statSync(inside, { throwIfNoEntry: false }) === undefined) continue;
    // What RUN made there is not copied from the context, whatever is ignored of that.
    if (made || context.ignore?.ignored(relative(context.folder, inside)) == null) return [inside];
  }
  return [];
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}
