// The source that an operation of a twin can read its parameters in: the file that it is written in, and what that
// imports, two imports deep.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Source = { readonly file: string; readonly folder: string; readonly text: string };

const ROOT = join(import.meta.dirname, '..');
const IMPORTS_DEEP = 2;
/** They name operations that are written elsewhere. */
const NAMES_ONLY =
  /^twins\/stripe\/(?:api|dashboard|versions|real)\/|^twins\/stripe\/(?:titles|nested-operations)\.ts/;

const NOT_READ = /\.generated\.|\/versions\/|\/real\//;

/** What a twin is written in: what is generated, what turns answers back and what speaks with the real vendor left out. */
export const sourcesOf = (vendor: string): readonly Source[] =>
  globSync(`twins/${vendor}/**/*.ts`, { cwd: ROOT })
    .filter(file => !NOT_READ.test(file))
    .sort()
    .map(file => ({
      file,
      folder: file.slice(0, file.lastIndexOf('/')),
      text: readFileSync(join(ROOT, file), 'utf8'),
    }));

/** `billing.alerts.archive` is where its whole name is, or else where its resource's is, with the verb filled in. */
function writtenIn(operation: string, sources: readonly Source[]): readonly Source[] {
  const named = (name: string): readonly Source[] =>
    sources.filter(({ file, text }) => !NAMES_ONLY.test(file) && text.includes(name));
  const whole = named(`'${operation}'`);
  return whole.length > 0 ? whole : named(`${operation.slice(0, operation.lastIndexOf('.'))}.`);
}

function importsOf({ folder, text }: Source, byFile: ReadonlyMap<string, Source>): readonly Source[] {
  return [...text.matchAll(/from '(\.[^']+)'/g)].flatMap(([, path = '']) => {
    const found = byFile.get(join(folder, path));
    return found === undefined ? [] : [found];
  });
}

export function reachOf(operation: string, sources: readonly Source[]): readonly Source[] {
  const byFile = new Map(sources.map(source => [source.file, source]));
  const reached = new Set(writtenIn(operation, sources));
  let rim = [...reached];
  for (let deep = 0; deep < IMPORTS_DEEP; deep += 1) {
    rim = rim.flatMap(each => importsOf(each, byFile)).filter(source => !reached.has(source));
    for (const source of rim) reached.add(source);
  }
  return [...reached];
}
