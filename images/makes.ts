// What gives an image its files, in the order of its build file: what COPY and ADD name, and what RUN makes.
import { absolute } from './image-path.ts';
import { type Instruction, jsonWords } from './instructions.ts';
import type { Place } from './note.ts';

/** Where files are: null is the build context. */
export type FilesOf = { readonly stage: number } | { readonly image: string } | null;

/** Files that the image has at `to`, of the build context or of another stage. */
export type CopiedFiles = {
  readonly from: FilesOf;
  /** In the build context, or absolute in the stage; with wildcards. */
  readonly sources: readonly string[];
  /** Absolute; ends in `/` where it was written so. */
  readonly to: string;
  readonly place: Place;
};

/** A program that is run to make files. */
export type RunStep = {
  readonly words: readonly string[];
  /** As its author wrote it, on one line. */
  readonly text: string;
  /** Of ENV and ARG so far. */
  readonly env: ReadonlyMap<string, string>;
  readonly user: string | null;
  /** Absolute. */
  readonly workingFolder: string;
  readonly mounts: readonly StepMount[];
  readonly place: Place;
};

/** `scratch`: an empty folder, of which the image keeps nothing. */
export type StepMount =
  | { readonly kind: 'scratch'; readonly target: string }
  | { readonly kind: 'bind'; readonly from: FilesOf; readonly source: string; readonly target: string };

export type Make =
  | { readonly kind: 'copy'; readonly copy: CopiedFiles }
  | { readonly kind: 'run'; readonly step: RunStep };

/** What a RUN is read with: its stage as it is there. */
export type StepGround = Pick<RunStep, 'env' | 'user' | 'workingFolder' | 'place'> & {
  readonly shell: readonly string[];
  /** With its variables put in; null where that cannot be. */
  readonly text: (text: string) => string | null;
  readonly filesOf: (name: string) => FilesOf;
  readonly note: (what: string) => void;
};

/** A script, and nothing that it is given to. */
const ONE_DOCUMENT = /^<<-?(["']?)[A-Za-z_][\w.-]*\1$/;

export function runStep({ rest, mounts, documents }: Instruction, ground: StepGround): RunStep {
  const { shell, env, user, workingFolder, place } = ground;
  const words = documents === null ? jsonWords(rest) : null;
  const script = documents !== null && ONE_DOCUMENT.test(rest) ? documents.text : null;
  const whole = documents === null ? rest : `${rest}\n${documents.lines}`;
  return {
    words: words ?? [...shell, script ?? whole],
    text: rest.replaceAll(/\s+/g, ' '),
    ...{ env, user, workingFolder, place },
    mounts: mounts.flatMap(each => stepMount(each, ground) ?? []),
  };
}

/** Null where it is not understood, or names what is not here; that is noted. */
function stepMount(given: string, { text, filesOf, note, workingFolder }: StepGround): StepMount | null {
  const field = (...names: readonly string[]): string | null =>
    given
      .split(',')
      .map(each => /^([^=]*)=([\s\S]*)$/.exec(each))
      .find(each => each !== null && names.includes(each[1]!))?.[2] ?? null;
  const kind = field('type') ?? 'bind';
  const target = text(field('target', 'dst', 'destination') ?? '') ?? '';
  const at = absolute(target, workingFolder);
  if (target !== '' && (kind === 'cache' || kind === 'tmpfs')) return { kind: 'scratch', target: at };
  const from = filesOf(field('from') ?? '');
  if (target !== '' && kind === 'bind' && (from === null || 'stage' in from))
    return { kind, from, source: text(field('source', 'src') ?? '.') ?? '.', target: at };
  note(`RUN --mount=${given.slice(0, 80)}: what it names is not there`);
  return null;
}

export function copiesOf(makes: readonly Make[]): readonly CopiedFiles[] {
  return makes.flatMap(make => (make.kind === 'copy' ? [make.copy] : []));
}

export function hasSteps(makes: readonly Make[]): boolean {
  return makes.some(({ kind }) => kind === 'run');
}
