// What a build file (Dockerfile, Containerfile) declares of its image: the last stage, or the one that is named, with all
// that it has of the stages under it. What its base image declares, which is not here, is not known, and nobody guesses it.

import { type HealthCheck, instructedHealthCheck } from './health-check.ts';
import { absolute } from './image-path.ts';
import { type Instruction, jsonWords, readInstructions } from './instructions.ts';
import { MAKES_MAX, MOUNTS_MAX, PORTS_MAX, VALUE_CHARS_MAX } from './limits.ts';
import { type FilesOf, type Make, runStep } from './makes.ts';
import { type Note, type Place, Unreadable } from './note.ts';
import { type Lookup, splitWords } from './words.ts';

/** `exec`: words as they are; `shell`: a text for `/bin/sh -c`. */
export type CommandWords = {
  readonly words: readonly string[];
  readonly shell: boolean;
  readonly place: Place;
};

export type ExposedPort = { readonly port: number; readonly protocol: 'tcp' | 'udp'; readonly place: Place };

export type Stage = {
  readonly name: string | null;
  /** The image or stage under it, its variables put in. */
  readonly base: string;
  readonly baseStage: number | null;
  readonly place: Place;
  readonly env: ReadonlyMap<string, { readonly value: string; readonly place: Place }>;
  readonly command: CommandWords | null;
  readonly entrypoint: CommandWords | null;
  readonly user: { readonly name: string; readonly place: Place } | null;
  readonly workingFolder: { readonly path: string; readonly place: Place } | null;
  readonly ports: readonly ExposedPort[];
  readonly volumes: readonly { readonly path: string; readonly place: Place }[];
  readonly makes: readonly Make[];
  readonly healthCheck: HealthCheck | null;
};

export type BuildFile = {
  readonly stages: readonly Stage[];
  readonly notes: readonly Note[];
};

export type BuildFileOptions = {
  /** As it is named to a person. */
  readonly file: string;
  /** `build.args`. */
  readonly args?: ReadonlyMap<string, string>;
};

type Draft = { -readonly [key in keyof Stage]: Stage[key] } & {
  env: Map<string, { value: string; place: Place }>;
  ports: ExposedPort[];
  volumes: { path: string; place: Place }[];
  makes: Make[];
  args: Map<string, string>;
  shell: readonly string[];
  ownCommand: boolean;
};

/** Says nothing of how the image runs, here or in a container. */
const WITHOUT_EFFECT: readonly string[] = ['LABEL', 'MAINTAINER', 'STOPSIGNAL'];
/** Known, and not kept; each with what that means. */
const NOT_KEPT: { readonly [keyword: string]: string } = {
  ONBUILD: 'ONBUILD is for images that are built on this one, and is not kept',
};
const PLATFORM_ARGS: readonly string[] = [
  'TARGETPLATFORM',
  'TARGETOS',
  'TARGETARCH',
  'TARGETVARIANT',
  'BUILDPLATFORM',
  'BUILDOS',
  'BUILDARCH',
  'BUILDVARIANT',
];

/** @throws Unreadable where it is no build file at all. */
export function readBuildFile(text: string, options: BuildFileOptions): BuildFile {
  return new Reader(options).read(text);
}

/** The stage of that name or number, the last one where none is named; null where there is none. */
export function stageOf({ stages }: BuildFile, target: string | null): Stage | null {
  if (target === null) return stages.at(-1) ?? null;
  const byName = stages.findLast(({ name }) => name === target.toLowerCase());
  return byName ?? (/^\d+$/.test(target) ? (stages[Number(target)] ?? null) : null);
}

class Reader {
  readonly #file: string;
  readonly #given: ReadonlyMap<string, string>;
  readonly #globals = new Map<string, string>();
  readonly #stages: Draft[] = [];
  readonly #notes: Note[] = [];
  #escape: '\\' | '`' = '\\';
  #at: Instruction | null = null;

  constructor({ file, args = new Map() }: BuildFileOptions) {
    this.#file = file;
    this.#given = args;
  }

  read(text: string): BuildFile {
    const { escapeChar, instructions } = readInstructions(text, this.#file);
    this.#escape = escapeChar;
    for (const instruction of instructions) {
      this.#at = instruction;
      this.#take(instruction);
    }
    if (this.#stages.length === 0)
      throw new Unreadable({ file: this.#file, line: 1 }, 'no FROM: it is no build file');
    return { stages: this.#stages.map(asStage), notes: this.#notes };
  }

  get #place(): Place {
    return { file: this.#file, line: this.#at!.line };
  }

  #note(what: string): void {
    this.#notes.push({ ...this.#place, what });
  }

  #take(instruction: Instruction): void {
    const { keyword } = instruction;
    if (keyword === 'FROM') return this.#from(instruction);
    const stage = this.#stages.at(-1);
    if (stage === undefined) {
      if (keyword === 'ARG') return this.#arg(instruction, this.#globals, () => undefined);
      throw new Unreadable(this.#place, `${keyword.slice(0, 40)} before the first FROM`);
    }
    const take = TAKES[keyword];
    if (take !== undefined) return take.call(this, instruction, stage);
    if (WITHOUT_EFFECT.includes(keyword)) return;
    this.#note(NOT_KEPT[keyword] ?? `no instruction is known as ${JSON.stringify(keyword.slice(0, 40))}`);
  }

  #from({ rest }: Instruction): void {
    const words = this.#split(rest, name => this.#globals.get(name));
    const [base = '', as, name] = words ?? [];
    if (base === '') this.#note('FROM names no image: a variable of it is empty');
    const named = as?.toUpperCase() === 'AS' && name !== undefined ? name.toLowerCase() : null;
    const under = stageOf({ stages: this.#stages, notes: [] }, base.toLowerCase());
    const baseStage = under === null || /^\d+$/.test(base) ? null : this.#stages.indexOf(under as Draft);
    const parent = baseStage === null ? null : this.#stages[baseStage]!;
    this.#stages.push({
      name: named,
      base,
      baseStage,
      place: this.#place,
      env: new Map(parent?.env),
      command: parent?.command ?? null,
      entrypoint: parent?.entrypoint ?? null,
      user: parent?.user ?? null,
      workingFolder: parent?.workingFolder ?? null,
      ports: [...(parent?.ports ?? [])],
      volumes: [...(parent?.volumes ?? [])],
      makes: [...(parent?.makes ?? [])],
      healthCheck: parent?.healthCheck ?? null,
      args: new Map(),
      shell: parent?.shell ?? ['/bin/sh', '-c'],
      ownCommand: false,
    });
  }

  #arg({ rest }: Instruction, into: Map<string, string>, outer: Lookup): void {
    const lookup: Lookup = name => into.get(name) ?? outer(name);
    for (const word of this.#split(rest, lookup) ?? []) {
      const [, name = '', value] = /^([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
      const set = this.#given.get(name) ?? value ?? this.#globals.get(name);
      if (set !== undefined) into.set(name, set);
      else if (PLATFORM_ARGS.includes(name)) this.#note(`${name} is what the builder says; it is empty here`);
    }
  }

  env({ rest }: Instruction, stage: Draft): void {
    const set = (name: string, value: string): void => {
      stage.env.set(name, { value, place: this.#place });
    };
    const old = /^([^\s=]+)\s+([\s\S]*)$/.exec(rest);
    if (old !== null) {
      const value = this.#text(old[2]!, stage);
      if (value !== null) set(old[1]!, value);
      return;
    }
    // All of one instruction see what was before it.
    for (const word of this.#split(rest, this.#lookup(stage)) ?? []) {
      const equals = word.indexOf('=');
      if (equals < 1) this.#note(`ENV has no value for ${JSON.stringify(word.slice(0, 80))}`);
      else set(word.slice(0, equals), word.slice(equals + 1));
    }
  }

  arg(instruction: Instruction, stage: Draft): void {
    this.#arg(instruction, stage.args, this.#lookup(stage));
  }

  workdir({ rest }: Instruction, stage: Draft): void {
    const path = this.#text(rest, stage);
    if (path === null || path === '') return;
    stage.workingFolder = { path: absolute(path, stage.workingFolder?.path ?? '/'), place: this.#place };
  }

  user({ rest }: Instruction, stage: Draft): void {
    const name = this.#text(rest, stage);
    if (name !== null && name !== '') stage.user = { name, place: this.#place };
  }

  cmd(instruction: Instruction, stage: Draft): void {
    stage.command = this.#command(instruction, stage);
    stage.ownCommand = true;
  }

  entrypoint(instruction: Instruction, stage: Draft): void {
    stage.entrypoint = this.#command(instruction, stage);
    // What the image under it is run with was meant for the other program.
    if (!stage.ownCommand) stage.command = null;
  }

  shell({ rest }: Instruction, stage: Draft): void {
    const words = jsonWords(rest);
    if (words === null || words.length === 0) return this.#note('SHELL takes a list: ["/bin/bash", "-c"]');
    stage.shell = words;
  }

  expose({ rest }: Instruction, stage: Draft): void {
    for (const word of this.#split(rest, this.#lookup(stage)) ?? []) {
      const ports = portRange(word);
      if (ports === null) {
        this.#note(`EXPOSE names no port: ${JSON.stringify(word.slice(0, 80))}`);
        continue;
      }
      for (const port of ports.ports) {
        const known = stage.ports.some(each => each.port === port && each.protocol === ports.protocol);
        if (!known) stage.ports.push({ port, protocol: ports.protocol, place: this.#place });
      }
      if (stage.ports.length > PORTS_MAX) throw new Unreadable(this.#place, `more than ${PORTS_MAX} ports`);
    }
  }

  volume({ rest }: Instruction, stage: Draft): void {
    const json = jsonWords(rest);
    const words = json ?? this.#split(rest, this.#lookup(stage)) ?? [];
    for (const word of words) {
      const path = json === null ? word : this.#text(word, stage);
      if (path === null) continue;
      // A container's own folder is what a relative one is in.
      const whole = absolute(path, stage.workingFolder?.path ?? '/');
      if (!stage.volumes.some(each => each.path === whole))
        stage.volumes.push({ path: whole, place: this.#place });
      if (stage.volumes.length > MOUNTS_MAX)
        throw new Unreadable(this.#place, `more than ${MOUNTS_MAX} volumes`);
    }
  }

  copy({ keyword, rest, flags, documents }: Instruction, stage: Draft): void {
    if (documents !== null)
      return this.#note(`${keyword} of a here-document: the file that it makes is not there`);
    const words = jsonWords(rest) ?? this.#split(rest, this.#lookup(stage)) ?? [];
    const to = words.at(-1);
    if (words.length < 2 || to === undefined)
      return this.#note(`${keyword} names no files and where they go`);
    const remote = words.slice(0, -1).filter(word => /^(?:https?:|git@|ssh:)/.test(word));
    for (const each of remote) this.#note(`${keyword} of ${each.slice(0, 80)}: what is fetched is not there`);
    const sources = words.slice(0, -1).filter(word => !remote.includes(word));
    if (sources.length === 0) return;
    const from = this.#filesOf(flags.get('from') ?? '', stage);
    if (from !== null && 'image' in from)
      this.#note(`${keyword} --from=${from.image.slice(0, 80)}: files of another image are not there`);
    const folder = stage.workingFolder?.path ?? '/';
    this.#make(stage, {
      kind: 'copy',
      copy: {
        ...{ from, sources, place: this.#place },
        to: absolute(to, folder) + (isFolder(to) ? '/' : ''),
      },
    });
  }

  run(instruction: Instruction, stage: Draft): void {
    const env = [...stage.env].map(([name, { value }]): [string, string] => [name, value]);
    const step = runStep(instruction, {
      ...{ shell: stage.shell, place: this.#place },
      env: new Map([...stage.args, ...env]),
      user: stage.user?.name ?? null,
      workingFolder: stage.workingFolder?.path ?? '/',
      text: text => this.#text(text, stage),
      filesOf: name => this.#filesOf(name, stage),
      note: what => this.#note(what),
    });
    this.#make(stage, { kind: 'run', step });
  }

  #filesOf(text: string, stage: Draft): FilesOf {
    const named = this.#text(text, stage) ?? '';
    if (named === '') return null;
    const other = stageOf({ stages: this.#stages, notes: [] }, named);
    return other === null ? { image: named } : { stage: this.#stages.indexOf(other as Draft) };
  }

  #make(stage: Draft, make: Make): void {
    stage.makes.push(make);
    if (stage.makes.length > MAKES_MAX)
      throw new Unreadable(this.#place, `more than ${MAKES_MAX} instructions that copy or run`);
  }

  healthCheck(instruction: Instruction, stage: Draft): void {
    const read = instructedHealthCheck(instruction, stage.shell, this.#place);
    if (read.ok) stage.healthCheck = read.check === 'none' ? null : read.check;
    else this.#note(read.why);
  }

  #command({ rest }: Instruction, stage: Draft): CommandWords | null {
    const words = jsonWords(rest);
    if (words !== null) return words.length === 0 ? null : { words, shell: false, place: this.#place };
    if (rest.startsWith('['))
      this.#note(
        'it begins as a list and is none (each word in double quotes), so that a shell gets the text',
      );
    return { words: [...stage.shell, rest], shell: true, place: this.#place };
  }

  #lookup(stage: Draft): Lookup {
    return name => stage.env.get(name)?.value ?? stage.args.get(name);
  }

  #split(text: string, lookup: Lookup): readonly string[] | null {
    const read = splitWords(text, { escapeChar: this.#escape, lookup });
    if (read.ok) return read.words;
    this.#note(read.why);
    return null;
  }

  /** One text, whatever spaces it has. */
  #text(text: string, stage: Draft): string | null {
    const words = this.#split(text.replaceAll(/\s+/g, ' '), this.#lookup(stage));
    return words === null ? null : words.join(' ').slice(0, VALUE_CHARS_MAX);
  }
}

type Take = (this: Reader, instruction: Instruction, stage: Draft) => void;

const { env, arg, workdir, user, cmd, entrypoint, shell, expose, volume, copy, run, healthCheck } =
  Reader.prototype;
const TAKES: { readonly [keyword: string]: Take } = {
  ENV: env,
  ARG: arg,
  WORKDIR: workdir,
  USER: user,
  CMD: cmd,
  ENTRYPOINT: entrypoint,
  SHELL: shell,
  EXPOSE: expose,
  VOLUME: volume,
  COPY: copy,
  ADD: copy,
  RUN: run,
  HEALTHCHECK: healthCheck,
};

function asStage({ args: _a, shell: _s, ownCommand: _o, ...stage }: Draft): Stage {
  return stage;
}

function isFolder(path: string): boolean {
  return path === '.' || path.endsWith('/') || path.endsWith('/.');
}

/** `80`, `80/udp`, `8000-8010/tcp`; null where it is none, or where a range has more than is taken. */
export function portRange(
  text: string,
): { readonly ports: readonly number[]; readonly protocol: 'tcp' | 'udp' } | null {
  const read = /^(\d{1,5})(?:-(\d{1,5}))?(?:\/(tcp|udp))?$/i.exec(text);
  if (read === null) return null;
  const [, from, to = from] = read;
  const [first, last] = [Number(from), Number(to)];
  if (first < 1 || last > 65_535 || last < first || last - first >= PORTS_MAX) return null;
  const ports = Array.from({ length: last - first + 1 }, (_, nth) => first + nth);
  return { ports, protocol: read[3]?.toLowerCase() === 'udp' ? 'udp' : 'tcp' };
}
