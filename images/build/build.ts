// An image made of its build file: what COPY names and what RUN makes, one instruction after the other, each result kept under
// what it came of. What was made before of the same is taken as it is.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DeclaredImage } from '../declared-image.ts';
import { foundFolder, type KeptFolders, madeFolder, setAside } from '../kept-folder.ts';
import type { FilesOf, Make, RunStep } from '../makes.ts';
import type { Context } from '../native/copies.ts';
import type { RootPlan } from '../native/messages.ts';
import { SYSTEM } from '../native/system.ts';
import { type Note, Unreadable } from '../note.ts';
import { type NamedFiles, namedFiles, putFiles, putFolders } from './named-files.ts';

/** Of how images are made. */
const VERSION = 1;

/** Where programs are installed that are none of the system's: this machine's own are seen there too. */
const INSTALLED = [
  'bin',
  'etc',
  'include',
  'lib',
  'lib/node_modules',
  'libexec',
  'sbin',
  'share',
  'share/man',
  'src',
].map(name => `/usr/local/${name}`);

/** Which system it is that stands for a base image. */
const RELEASE = '/etc/os-release';

export type StepPlace = {
  /** The files that the image has so far. */
  readonly tree: string;
  /** A copy of them, in which what the program changed is changed when it has ended well. */
  readonly into: string;
  readonly mounts: RootPlan['mounts'];
};

export type BuildOptions = {
  readonly build: NonNullable<DeclaredImage['build']>;
  readonly makes: readonly Make[];
  /** Where what is made is kept; absolute. */
  readonly cache: string;
  /** Folders of this machine that stand for the base image's. */
  readonly system: readonly string[];
  readonly realPath: (path: string) => string;
  /** In no image, whatever names them: the world's own store, tokens and keys. Absolute and real. */
  readonly hidden: readonly string[];
  /** Each RUN is run, whatever was made before. */
  readonly again: boolean;
  /** Resolves to null, or to why it did not end well. */
  readonly runStep: (step: RunStep, place: StepPlace) => Promise<string | null>;
  readonly tell: (step: RunStep, isNew: boolean) => void;
};

export type Built =
  | { readonly ok: true; readonly tree: string; readonly notes: readonly Note[] }
  | { readonly ok: false; readonly why: string };

export async function buildImage(options: BuildOptions): Promise<Built> {
  const build = new Build(options);
  try {
    return { ok: true, tree: await build.make(options.makes), notes: build.notes };
  } catch (error) {
    return { ok: false, why: (error as Error).message };
  }
}

/** `pending`: files that are not in the folder yet. */
type State = { readonly id: string; readonly folder: string; readonly pending: readonly NamedFiles[] };

type StepBind = { readonly mount: RootPlan['mounts'][number]; readonly digest: string };

class Build {
  readonly notes: Note[] = [];
  readonly #options: BuildOptions;
  readonly #folders: KeptFolders;
  readonly #stages = new Map<number, string>();

  constructor(options: BuildOptions) {
    this.#options = options;
    this.#folders = { cache: options.cache, version: VERSION };
  }

  async make(makes: readonly Make[]): Promise<string> {
    let state = await this.#ground();
    for (const make of makes)
      state = make.kind === 'copy' ? await this.#copy(state, make.copy) : await this.#run(state, make.step);
    return await this.#settled(state);
  }

  /** What every image begins with: the ways to the system's folders, and where programs are installed beside it. */
  async #ground(): Promise<State> {
    const release = existsSync(RELEASE) ? readFileSync(RELEASE, 'utf8') : '';
    const id = idOf('ground', process.arch, release, this.#options.system);
    const folder = await this.#kept(id, async into => {
      for (const path of SYSTEM)
        if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
          symlinkSync(readlinkSync(path), join(into, path));
      putFolders(INSTALLED, into);
    });
    return { id, folder, pending: [] };
  }

  async #copy(before: State, copy: Extract<Make, { kind: 'copy' }>['copy']): Promise<State> {
    await this.#stageOf(copy.from);
    const named = await namedFiles(copy, this.#context());
    this.notes.push(...named.notes);
    const id = idOf(before.id, 'copy', named.digest);
    const folder = foundFolder(id, this.#folders);
    return folder === null
      ? { id, folder: before.folder, pending: [...before.pending, named] }
      : { id, folder, pending: [] };
  }

  async #run(before: State, step: RunStep): Promise<State> {
    const { again, runStep, tell } = this.#options;
    const mounts = await this.#mounts(step);
    const { words, env, user, workingFolder } = step;
    const own = [words, [...env], user, workingFolder, step.mounts];
    const id = idOf(before.id, 'run', own, ...mounts.map(({ digest }) => digest));
    const found = again ? null : foundFolder(id, this.#folders);
    tell(step, found === null);
    if (found !== null) return { id, folder: found, pending: [] };
    const tree = await this.#settled(before);
    if (again) await setAside(id, this.#folders);
    const folder = await this.#kept(id, async into => {
      await copyTree(tree, into);
      const why = await runStep(step, { tree, into, mounts: mounts.map(({ mount }) => mount) });
      if (why !== null) throw new Unreadable(step.place, `RUN ${why}: ${step.text.slice(0, 200)}`);
    });
    return { id, folder, pending: [] };
  }

  async #mounts({ mounts, place }: RunStep): Promise<readonly StepBind[]> {
    const all: StepBind[] = [];
    for (const mount of mounts) {
      if (mount.kind !== 'bind') continue;
      const { from, source, target } = mount;
      await this.#stageOf(from);
      const copy = { from, sources: [source], to: target, place };
      const { sources, digest } = await namedFiles(copy, this.#context());
      if (sources[0] === undefined) throw new Unreadable(place, `nothing here is ${source.slice(0, 200)}`);
      all.push({ mount: { from: sources[0], at: target, readOnly: true }, digest });
    }
    return all;
  }

  /** Made, where files are asked for of it. */
  async #stageOf(from: FilesOf): Promise<void> {
    if (from === null || 'image' in from || this.#stages.has(from.stage)) return;
    const { makes } = this.#options.build.stages[from.stage]!;
    this.#stages.set(from.stage, await this.make(makes));
  }

  #context(): Context & Pick<BuildOptions, 'hidden'> {
    const { build, realPath, hidden } = this.#options;
    return { ...build, folder: realPath(build.context), realPath, built: this.#stages, hidden };
  }

  async #settled({ id, folder, pending }: State): Promise<string> {
    if (pending.length === 0) return folder;
    return await this.#kept(id, async into => {
      await copyTree(folder, into);
      for (const { files, place } of pending) {
        try {
          putFiles(files, into);
        } catch (error) {
          throw new Unreadable(place, (error as Error).message);
        }
      }
    });
  }

  async #kept(id: string, fill: (into: string) => Promise<void>): Promise<string> {
    return foundFolder(id, this.#folders) ?? (await madeFolder(id, this.#folders, fill));
  }
}

function idOf(...what: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([VERSION, ...what]))
    .digest('hex');
}

/** The same files under other names, as many as there are: none of them is ever written to. */
async function copyTree(from: string, into: string): Promise<void> {
  await promisify(execFile)('cp', ['-al', `${from}/.`, into]);
}
