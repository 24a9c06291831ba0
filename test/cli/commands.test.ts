import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Command } from '../../cli/command.ts';
import { COMMANDS } from '../../cli/commands.ts';

const FOLDER = join(import.meta.dirname, '../../cli/commands');

t.test('each command is listed by its own words and with its own summary', async t => {
  for (const { words, summary, load } of COMMANDS) {
    const command = await load();
    t.strictSame([command.words, command.summary], [words, summary], words.join(' '));
  }
});

t.test('every command that there is, is listed', async t => {
  const listed = new Set(COMMANDS.map(({ words }) => words.join(' ')));
  for (const file of readdirSync(FOLDER)) {
    const exported = Object.values(
      (await import(join(FOLDER, file))) as { [name: string]: Command | unknown },
    );
    for (const command of exported.filter(isCommand))
      t.ok(listed.has(command.words.join(' ')), `${file}: ${command.words.join(' ')}`);
  }
});

function isCommand(exported: unknown): exported is Command {
  return typeof exported === 'object' && exported !== null && 'words' in exported && 'run' in exported;
}
