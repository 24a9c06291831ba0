// `.wrld/world.json` on disk, with the grants of the worlds above it: read as values, and watched while the
// world runs, so that an edit is in force as soon as it is saved.
import { realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { ParentGrants } from '../../policy/snapshot.ts';
import type { Log } from '../ports/log.ts';
import {
  type ConfigProblem,
  formatProblems,
  parseWorldConfig,
  type WorldConfig,
} from '../world/config/config.ts';
import { readConfigText } from '../world/config/text.ts';
import { readIfThere } from './files.ts';
import { CONFIG_SETTLE_MS, PARENTS_MAX } from './limits.ts';
import { watchFiles } from './watched-files.ts';

export type LoadedConfig = {
  readonly config: WorldConfig;
  /** Nearest first. */
  readonly parents: readonly ParentGrants[];
  /** Every file it was read from, this world's first. */
  readonly files: readonly string[];
};

type ConfigFault = {
  readonly code: 'config-missing' | 'config-invalid';
  /** The file the problems are in. */
  readonly file: string;
  readonly problems: readonly ConfigProblem[];
  /** For a terminal: a line a problem, each with file and line. */
  readonly text: string;
};

export type ConfigResult =
  | { readonly ok: true; readonly loaded: LoadedConfig }
  | { readonly ok: false; readonly fault: ConfigFault };

/** `file` is `<world's folder>/.wrld/world.json`. */
export async function loadConfig(file: string): Promise<ConfigResult> {
  const own = await readConfig(file);
  if (!own.ok) return own;
  const parents: ParentGrants[] = [];
  const files = [file];
  let child = { ...own, file };
  while (child.config.parent !== null) {
    const above = await parentFile(child.file, child.config.parent);
    if (files.includes(above)) return badParent(child, 'this world itself, or one below it');
    if (parents.length >= PARENTS_MAX) return badParent(child, `more than ${PARENTS_MAX} worlds above`);
    const read = await readConfig(above);
    if (!read.ok && read.fault.code === 'config-missing')
      return badParent(child, 'there is no world in that folder');
    if (!read.ok) return read;
    parents.push({ ...read.config.network, world: read.config.name });
    files.push(above);
    child = { ...read, file: above };
  }
  return { ok: true, loaded: { config: own.config, parents, files } };
}

type ReadConfig =
  | { readonly ok: true; readonly config: WorldConfig; readonly text: string }
  | { readonly ok: false; readonly fault: ConfigFault };

async function readConfig(file: string): Promise<ReadConfig> {
  const text = await readIfThere(file);
  if (text === null) {
    const told = `${displayPath(file)} is not there; \`wrld world init\` makes one`;
    return { ok: false, fault: { code: 'config-missing', file, problems: [], text: told } };
  }
  const parsed = parseWorldConfig(text);
  return parsed.ok ? { ...parsed, text } : invalid(file, parsed.problems);
}

function invalid(
  file: string,
  problems: readonly ConfigProblem[],
): { readonly ok: false; readonly fault: ConfigFault } {
  return {
    ok: false,
    fault: { code: 'config-invalid', file, problems, text: formatProblems(displayPath(file), problems) },
  };
}

async function parentFile(file: string, parent: string): Promise<string> {
  const folder = resolve(dirname(dirname(file)), parent);
  return join(await realpath(folder).catch(() => folder), '.wrld', 'world.json');
}

function badParent(child: { readonly file: string; readonly text: string }, message: string): ConfigResult {
  const read = readConfigText(child.text);
  // It was read a moment ago, so it can be read again.
  return invalid(child.file, read.ok ? [read.text.problem(['parent'], message)] : read.problems);
}

/** As its user would name it: from where they stand, unless that is a long way off. */
function displayPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith(join('..', '..')) ? file : near;
}

/** A system that cannot watch is told of in the log; edits then wait for a restart. */
export function watchConfig(files: readonly string[], log: Log, changed: () => void): Disposable {
  return watchFiles({
    files,
    settleMs: CONFIG_SETTLE_MS,
    changed,
    fail: error =>
      log.warn({ err: error }, 'the config cannot be watched; an edit is read at the next start'),
  });
}
