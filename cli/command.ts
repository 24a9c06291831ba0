// What a command is, and how its arguments are read: strictly, so that a flag that does nothing is an error.
import { parseArgs } from 'node:util';
import { nearest } from '../control/world/config/nearest.ts';
import type { Output } from './output.ts';

type Flag =
  | { readonly type: 'switch'; readonly does: string }
  /** `value` is the placeholder in the help: `--port <number>`. */
  | { readonly type: 'value'; readonly value: string; readonly does: string };

type Arguments = {
  readonly switches: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
  /** What follows `--`; null when there is no `--`. */
  readonly rest: readonly string[] | null;
};

export type Surround = {
  readonly output: Output;
  readonly folder: string;
  readonly env: { readonly [name: string]: string | undefined };
};

export type Command = {
  /** `['world', 'up']` */
  readonly words: readonly string[];
  readonly summary: string;
  /** After the words: `[<org>/<world>]`. */
  readonly usage: string;
  readonly flags: { readonly [name: string]: Flag };
  readonly operandsMax: number;
  readonly takesCommand: boolean;
  readonly examples: readonly (readonly [command: string, does: string])[];
  /** More to say in the help, a paragraph each. */
  readonly notes?: readonly string[];
  /** The exit code: 0 done, 1 the thing asked for failed, 2 the call is wrong; `world run` has its command's. */
  run(given: Arguments, around: Surround): Promise<number>;
};

export type Read =
  | { readonly ok: true; readonly given: Arguments; readonly help: boolean }
  | { readonly ok: false; readonly why: string };

/** `args` is what follows the command's words. */
export function readArguments(command: Command, args: readonly string[]): Read {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const rest = end === -1 ? null : args.slice(end + 1);
  const options: { [name: string]: { type: 'boolean' | 'string'; short?: string } } = {
    help: { type: 'boolean', short: 'h' },
  };
  for (const [name, flag] of Object.entries(command.flags)) {
    options[name] = { type: flag.type === 'switch' ? 'boolean' : 'string' };
  }
  const { tokens } = parseArgs({
    args: [...own],
    options,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const no = (why: string): Read => ({ ok: false, why });
  const switches = new Set<string>();
  const values = new Map<string, string>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      operands.push(token.value);
      continue;
    }
    const { name, rawName, value, inlineValue } = token;
    const option = options[name];
    if (option === undefined) return no(unknownFlag(rawName, Object.keys(options)));
    if (option.type === 'boolean') {
      if (value !== undefined) return no(`${rawName} takes no value`);
      switches.add(name);
      continue;
    }
    const flag = command.flags[name];
    const placeholder = flag?.type === 'value' ? flag.value : '<value>';
    if (value === undefined || value === '' || (!inlineValue && value.startsWith('-'))) {
      return no(`${rawName} needs a value: ${rawName} ${placeholder}`);
    }
    if (values.has(name)) return no(`${rawName} is there twice`);
    values.set(name, value);
  }
  const help = switches.has('help');
  if (!help && operands.length > command.operandsMax) {
    const extra = operands[command.operandsMax]!;
    const hint = command.takesCommand
      ? `; put the command after --: wrld ${command.words.join(' ')} -- ${operands.join(' ')}`
      : '';
    return no(`unexpected ${JSON.stringify(extra)}${hint}`);
  }
  if (!help && rest !== null && !command.takesCommand) return no('unexpected --');
  return { ok: true, given: { switches, values, operands, rest }, help };
}

function unknownFlag(rawName: string, accepted: readonly string[]): string {
  const flags = accepted.map(name => `--${name}`);
  const near = nearest(rawName, flags);
  const guess = near === undefined ? '' : `; did you mean ${near}?`;
  return `unknown flag ${rawName}${guess}\naccepted: ${flags.join(', ')}`;
}

/** A TCP port as a flag gives it; null when it is none. 0 means any free one. */
export function readPort(text: string | undefined): number | null {
  if (text === undefined) return 0;
  return /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : null;
}

/** Resolves at the first SIGINT or SIGTERM; the same signal again ends the process at once. */
export function untilAsked(): Promise<void> {
  return new Promise(resolve => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
