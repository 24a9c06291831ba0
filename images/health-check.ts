// A health check: what is run in a service to see whether it does its work, and how often, as a compose file says it or the
// HEALTHCHECK of a build file.
import type { CommandWords } from './build-file.ts';
import { fieldOf, listOf, mappingOf, textOf } from './compose-shape.ts';
import { type Instruction, jsonWords } from './instructions.ts';
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

const INSTRUCTION_FLAGS = ['interval', 'timeout', 'retries', 'start-period', 'start-interval'];
const KEYS = ['test', 'interval', 'timeout', 'retries', 'start_period', 'start_interval', 'disable'];

/** `none`: whatever the image has. @throws Unreadable */
export function healthCheckOf(tree: Tree, place: Place): HealthCheck | 'none' {
  const fields = mappingOf(tree, 'healthcheck').entries;
  for (const [key, entry] of fields)
    if (!KEYS.includes(key))
      throw new Unreadable(
        entry.place,
        `healthcheck.${key.slice(0, 60)} is not known (accepted: ${KEYS.join(', ')})`,
      );
  const test = fields.get('test');
  if (fieldOf(tree, 'healthcheck', 'disable') === 'true') return 'none';
  if (test === undefined) throw new Unreadable(place, 'healthcheck has no test');
  const command = commandOf(test.value, test.place);
  if (command === null) return 'none';
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

/** The HEALTHCHECK of a build file; `none` takes that of the image under it away. `shell` reads what is no list. */
export function instructedHealthCheck(
  { flags, rest }: Pick<Instruction, 'flags' | 'rest'>,
  shellWords: readonly string[],
  place: Place,
):
  | { readonly ok: true; readonly check: HealthCheck | 'none' }
  /** It is none, and is not run. */
  | { readonly ok: false; readonly why: string } {
  const no = (why: string) => ({ ok: false, why: `HEALTHCHECK ${why}, and is not run` }) as const;
  if (/^none$/i.test(rest)) return { ok: true, check: 'none' };
  const text = /^cmd\s+(\S[\s\S]*)$/i.exec(rest)?.[1];
  if (text === undefined) return no('has neither CMD with a command nor NONE');
  const times = new Map<string, number>();
  for (const [flag, value] of flags) {
    if (!INSTRUCTION_FLAGS.includes(flag)) return no(`knows no --${flag.slice(0, 60)}`);
    const read = flag === 'retries' ? (/^\d{1,4}$/.test(value) ? Number(value) : null) : durationOf(value);
    if (read === null) return no(`--${flag} takes a ${flag === 'retries' ? 'number' : 'time: 1m30s, 500ms'}`);
    times.set(flag, read);
  }
  const words = jsonWords(text);
  if (words?.length === 0) return no('has an empty command');
  return {
    ok: true,
    check: {
      command: { words: words ?? [...shellWords, text], shell: words === null, place },
      // 0 is how a build file says: as usual.
      interval: times.get('interval') || INTERVAL_MS,
      timeout: times.get('timeout') || TIMEOUT_MS,
      startPeriod: times.get('start-period') ?? 0,
      retries: times.get('retries') || RETRIES,
      place,
    },
  };
}

const NS_PER_MS = 1e6;

/** The Healthcheck of an image's config, whose times are nanoseconds; null: it has none. @throws Unreadable */
export function configuredHealthCheck(
  config: { readonly [key: string]: unknown },
  place: Place,
): HealthCheck | null {
  const texts = Array.isArray(config['Test']) ? config['Test'].filter(each => typeof each === 'string') : [];
  const command = texts.length === 0 ? null : testOf(texts, 'Healthcheck.Test', place);
  if (command === null) return null;
  // 0 is how a config says: as usual.
  const ms = (key: string, otherwise: number): number => {
    const given = config[key];
    return typeof given === 'number' && given >= NS_PER_MS ? Math.round(given / NS_PER_MS) : otherwise;
  };
  const retries = config['Retries'];
  return {
    command,
    interval: ms('Interval', INTERVAL_MS),
    timeout: ms('Timeout', TIMEOUT_MS),
    startPeriod: ms('StartPeriod', 0),
    retries: Number.isSafeInteger(retries) && Number(retries) > 0 ? Number(retries) : RETRIES,
    place,
  };
}

function commandOf(tree: Tree, place: Place): CommandWords | null {
  if (tree.kind !== 'list') return shell(textOf(tree, 'healthcheck.test'), place);
  const texts = listOf(tree, 'healthcheck.test').map(each => textOf(each, 'healthcheck.test'));
  return testOf(texts, 'healthcheck.test', place);
}

/** Null: whatever the image has is taken away. `name` is the list's. @throws Unreadable */
function testOf([kind, ...words]: readonly string[], name: string, place: Place): CommandWords | null {
  if (kind === 'NONE') return null;
  if (kind === 'CMD' && words.length > 0) return { words, shell: false, place };
  if (kind === 'CMD-SHELL' && words.length === 1) return shell(words[0]!, place);
  throw new Unreadable(place, `${name} begins with CMD, CMD-SHELL (and one text), or NONE`);
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
