// `--help`: made from the command table, so that it cannot say what the commands do not do.
import type { Command } from './command.ts';
import { type Output, wrap } from './output.ts';

export function overview(
  output: Output,
  commands: readonly Pick<Command, 'words' | 'summary'>[],
  version: string,
): string[] {
  const names = commands.map(command => `wrld ${command.words.join(' ')}`);
  const widest = Math.max(...names.map(name => name.length));
  return [
    `${output.ink('bold', 'wrld')} ${version}: run an app in a world where twins answer for the vendors it calls.`,
    '',
    output.ink('bold', 'Commands'),
    ...commands.map((command, index) => `  ${names[index]!.padEnd(widest)}  ${command.summary}`),
    '',
    'wrld <command> --help says more of each; wrld --version names the version.',
    '',
    output.ink('bold', 'Start here'),
    '  wrld demo                          see it work, in a minute',
    '  wrld world init acme/shop          make a world in this folder',
    '  wrld world run -- node app.mjs     run your app in it',
  ];
}

export function helpOf(output: Output, command: Command): string[] {
  const name = `wrld ${command.words.join(' ')}`;
  const flags = Object.entries(command.flags).map(([flag, { does, ...kind }]) => {
    const value = kind.type === 'value' ? ` ${kind.value}` : '';
    return [`--${flag}${value}`, does] as const;
  });
  const rows = [...flags, ['-h, --help', 'this help'] as const];
  const widest = Math.max(...rows.map(([flag]) => flag.length));
  const lines = [
    `${output.ink('bold', name)}: ${command.summary}`,
    '',
    `${output.ink('bold', 'Usage')}  ${`${name} ${command.usage}`.trim()}`,
    '',
    output.ink('bold', 'Flags'),
    ...rows.flatMap(([flag, does]) => {
      const indent = ' '.repeat(widest + 4);
      const [first = '', ...more] = wrap(does, output.columns, indent);
      return [`  ${flag.padEnd(widest)}  ${first.trimStart()}`, ...more];
    }),
  ];
  for (const note of command.notes ?? []) lines.push('', ...wrap(note, output.columns));
  lines.push('', output.ink('bold', 'Examples'));
  for (const [example, does] of command.examples) {
    lines.push(`  ${output.ink('cyan', example)}`, ...wrap(does, output.columns, '      '));
  }
  return lines;
}
