// Finds the command in the table, reads its arguments and runs it.
import { readArguments, type Surround } from './command.ts';
import { COMMANDS } from './commands.ts';
import { helpOf, overview } from './help.ts';
import type { Output } from './output.ts';
import { version } from './version.ts';

/** Does what `wrld <args…>` asks for; the exit code. */
export async function dispatch(args: readonly string[], around: Surround): Promise<number> {
  const { output } = around;
  const [first] = args;
  if (first === '--version' || first === '-v') {
    output.line(await version());
    return 0;
  }
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    for (const line of overview(output, COMMANDS, await version())) output.line(line);
    return 0;
  }
  // `world clock set` before `world clock`: the command with the most words.
  const listed = COMMANDS.filter(({ words }) => words.every((word, index) => args[index] === word)).sort(
    (a, b) => b.words.length - a.words.length,
  )[0];
  if (listed === undefined) return await unknown(args, output);
  const command = await listed.load();
  const read = readArguments(command, args.slice(command.words.length));
  if (!read.ok) {
    output.error(`wrld ${command.words.join(' ')}: ${read.why}`);
    output.error(`Usage: wrld ${command.words.join(' ')} ${command.usage}`);
    return 2;
  }
  if (read.help) {
    for (const line of helpOf(output, command)) output.line(line);
    return 0;
  }
  try {
    return await command.run(read.given, around);
  } catch (error) {
    const fault = await faultOf(error);
    if (fault === null) throw error;
    output.error(`wrld ${command.words.join(' ')}: ${fault}`);
    return 1;
  }
}

/** What a person can act on; null for a bug. */
async function faultOf(error: unknown): Promise<string | null> {
  const { ControlError } = await import('../control/node/control-error.ts');
  if (error instanceof ControlError) return error.message;
  const { systemFault } = await import('../control/node/system-fault.ts');
  return systemFault(error);
}

async function unknown(args: readonly string[], output: Output): Promise<number> {
  const groups = COMMANDS.filter(({ words }) => words.length > 1 && words[0] === args[0]);
  // `wrld world` and `wrld world --help`: the commands of that group.
  if (groups.length > 0 && (args[1] === undefined || args[1] === '--help' || args[1] === '-h')) {
    for (const { words, summary } of groups) output.line(`wrld ${words.join(' ').padEnd(20)}  ${summary}`);
    return args[1] === undefined ? 2 : 0;
  }
  const known = COMMANDS.map(({ words }) => words.join(' '));
  const asked =
    args
      .filter(arg => !arg.startsWith('-'))
      .slice(0, groups.length > 0 ? 2 : 1)
      .join(' ') || args[0]!;
  const { nearest } = await import('../control/world/config/nearest.ts');
  const near = nearest(asked, known) ?? nearest(asked, [...new Set(known.map(name => name.split(' ')[0]!))]);
  const guess = near === undefined ? '' : `; did you mean wrld ${near}?`;
  output.error(`wrld: unknown command ${JSON.stringify(asked)}${guess}`);
  output.error(`accepted: ${known.join(', ')}`);
  return 2;
}
