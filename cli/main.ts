// `wrld`: finds the command in the table, reads its arguments and runs it. The only place that touches process.
import { readFile } from 'node:fs/promises';
import { ControlError } from '../control/node/control-error.ts';
import { systemFault } from '../control/node/system-fault.ts';
import { nearest } from '../control/world/config/nearest.ts';
import { type Command, readArguments } from './command.ts';
import { worldAttach } from './commands/attach.ts';
import { worldBackup } from './commands/backup.ts';
import { worldBranch, worldBranchMake, worldBranchRemove } from './commands/branch.ts';
import { worldBrowser } from './commands/browser.ts';
import { worldCheck } from './commands/check.ts';
import { worldClock, worldClockAdvance, worldClockSet } from './commands/clock.ts';
import { worldDiff } from './commands/diff.ts';
import { worldDown } from './commands/down.ts';
import { worldInit } from './commands/init.ts';
import { worldKeys, worldKeysMake, worldKeysRevoke } from './commands/keys.ts';
import { worldLog, worldTimeline } from './commands/log.ts';
import { worldRequests } from './commands/requests.ts';
import { worldReset } from './commands/reset.ts';
import { worldRestore } from './commands/restore.ts';
import { worldRun } from './commands/run.ts';
import { worldServe } from './commands/serve.ts';
import { worldStatus } from './commands/status.ts';
import { worldUp } from './commands/up.ts';
import { demo } from './demo/demo.ts';
import { helpOf, overview } from './help.ts';
import { openOutput } from './output.ts';

const COMMANDS: readonly Command[] = [
  worldInit,
  worldUp,
  worldRun,
  worldBrowser,
  worldServe,
  worldAttach,
  worldStatus,
  worldDown,
  worldLog,
  worldTimeline,
  worldRequests,
  worldClock,
  worldClockSet,
  worldClockAdvance,
  worldBranch,
  worldBranchMake,
  worldBranchRemove,
  worldDiff,
  worldReset,
  worldBackup,
  worldRestore,
  worldCheck,
  worldKeys,
  worldKeysMake,
  worldKeysRevoke,
  demo,
];

const output = openOutput(process.stdout, process.stderr, process.env);

// `wrld … | head` ends this process's interest in its output, not the work: nothing is left to say.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
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
  const command = COMMANDS.filter(({ words }) => words.every((word, index) => args[index] === word)).sort(
    (a, b) => b.words.length - a.words.length,
  )[0];
  if (command === undefined) return unknown(args);
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
    return await command.run(read.given, { output, folder: process.cwd(), env: process.env });
  } catch (error) {
    const fault = error instanceof ControlError ? error.message : systemFault(error);
    if (fault === null) throw error;
    output.error(`wrld ${command.words.join(' ')}: ${fault}`);
    return 1;
  }
}

function unknown(args: readonly string[]): number {
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
  const near = nearest(asked, known) ?? nearest(asked, [...new Set(known.map(name => name.split(' ')[0]!))]);
  const guess = near === undefined ? '' : `; did you mean wrld ${near}?`;
  output.error(`wrld: unknown command ${JSON.stringify(asked)}${guess}`);
  output.error(`accepted: ${known.join(', ')}`);
  return 2;
}

async function version(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
