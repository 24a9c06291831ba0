// A service's health check: what is run in it to see whether it does its work, and how often.
import type { CommandWords } from './build-file.ts';
import { fieldOf, listOf, mappingOf, textOf } from './compose-shape.ts';
import { type Place, Unreadable } from './note.ts';
import type { Tree } from './yaml-tree.ts';

export type HealthCheck = {
  readonly command: CommandWords;
  /** Between two of them, for one of them, and of its start, in which no failure counts. Milliseconds. */
  readonly interval: number;
  readonly timeout: number;
  readonly startPeriod: number;
  /** One after another, after which it is not healthy. */
  readonly retries: number;
  readonly place: Place;
};

/** As container runtimes have it. */
const INTERVAL_MS = 30_000;
const TIMEOUT_MS = 30_000;
const RETRIES = 3;

const KEYS = ['test', 'interval', 'timeout', 'retries', 'start_period', 'start_interval', 'disable'];

/** Null: none, whatever the image has. @throws Unreadable */
export function healthCheckOf(tree: Tree, place: Place): HealthCheck | null {
  const fields = mappingOf(tree, 'healthcheck').entries;
  for (const [key, entry] of fields)
    if (!KEYS.includes(key))
      throw new Unreadable(
        entry.place,
        `healthcheck.${key.slice(0, 60)} is not known (accepted: ${KEYS.join(', ')})`,
      );
  const test = fields.get('test');
  if (fieldOf(tree, 'healthcheck', 'disable') === 'true') return null;
  if (test === undefined) throw new Unreadable(place, 'healthcheck has no test');
  const command = commandOf(test.value, test.place);
  if (command === null) return null;
  const duration = (key: string, otherwise: number): number => {
    const text = fieldOf(tree, 'healthcheck', key);
    const ms = text === null ? otherwise : durationOf(text);
    if (ms === null)
      throw new Unreadable(fields.get(key)!.place, `healthcheck.${key} takes a time: 1m30s, 500ms`);
    return ms;
  };
  const retries = fieldOf(tree, 'healthcheck', 'retries') ?? String(RETRIES);
  if (!/^\d{1,4}$/.test(retries))
    throw new Unreadable(fields.get('retries')!.place, 'healthcheck.retries takes a number');
  return {
    command,
    interval: duration('interval', INTERVAL_MS) || INTERVAL_MS,
    timeout: duration('timeout', TIMEOUT_MS) || TIMEOUT_MS,
    startPeriod: duration('start_period', 0),
    retries: Number(retries) || RETRIES,
    place,
  };
}

function commandOf(tree: Tree, place: Place): CommandWords | null {
  if (tree.kind !== 'list') return shell(textOf(tree, 'healthcheck.test'), place);
  const [kind, ...words] = listOf(tree, 'healthcheck.test').map(each => textOf(each, 'healthcheck.test'));
  if (kind === 'NONE') return null;
  if (kind === 'CMD' && words.length > 0) return { words, shell: false, place };
  if (kind === 'CMD-SHELL' && words.length === 1) return shell(words[0]!, place);
  throw new Unreadable(place, 'healthcheck.test begins with CMD, CMD-SHELL (and one text), or NONE');
}

function shell(text: string, place: Place): CommandWords {
  return { words: ['/bin/sh', '-c', text], shell: true, place };
}

/** `1h2m3.5s`, `500ms`: milliseconds; null where it is none. */
export function durationOf(text: string): number | null {
  const units: { readonly [unit: string]: number } = { us: 0.001, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  if (text === '0') return 0;
  if (!/^(?:\d{1,9}(?:\.\d{1,6})?(?:us|ms|s|m|h)){1,5}$/.test(text)) return null;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/([\d.]+)(us|ms|s|m|h)/g)) ms += Number(count) * units[unit!]!;
  return ms;
}
