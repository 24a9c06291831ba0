// `wrld world changeset check`: what looks at each entry of a changeset before it may be deployed (4.7).
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Check } from '../../control/world/checks/checks.ts';
import type { Command } from '../command.ts';
import { table } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';

export const worldChangesetCheck: Command = {
  words: ['world', 'changeset', 'check'],
  summary: 'the checks that look at every changeset',
  usage: `[<name>] ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world changeset check', 'all of them'],
    ['wrld world changeset check prices > prices.js', 'the source of one'],
    ['wrld world changeset check set prices prices.js', 'what it says holds for every changeset from now on'],
  ],
  notes: [
    'A check is a JavaScript module: export const check = { name, run(entry, tree) { … } }. It returns nothing where it has nothing against the entry, or { ok: false, message }, or throws. tree.get(type, id) and tree.list(type) are the records of the entry’s twin as they were once it had happened. It reaches no network, no clock and no chance, and has a second and 64 MB.',
  ],
  run: (given, around) => {
    const [name] = given.operands;
    return askWorld<{ readonly checks: readonly Check[] }>(
      'world changeset check',
      given,
      around,
      ({ client, own }) => client.get(own('checks')),
      ({ checks }) => {
        const { output } = around;
        if (name !== undefined) {
          const found = checks.find(check => check.name === name);
          output.line(found === undefined ? output.ink('dim', `There is no check ${name}.`) : found.source);
          return;
        }
        if (checks.length === 0) {
          output.line(output.ink('dim', 'No checks. Set one: wrld world changeset check set <name> <file>'));
          return;
        }
        const rows = checks.map(check => [check.name, String(check.source.split('\n').length)]);
        for (const line of table(output, ['name', 'lines'], rows)) output.line(line);
      },
    );
  },
};

export const worldChangesetCheckSet: Command = {
  words: ['world', 'changeset', 'check', 'set'],
  summary: 'set a check from a file of JavaScript',
  usage: `<name> <file> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 2,
  takesCommand: false,
  examples: [['wrld world changeset check set prices prices.js', 'changesets are to be verified again']],
  run: async (given, around) => {
    const { output, folder } = around;
    const [name, file] = given.operands;
    if (name === undefined || file === undefined) {
      output.error(
        'wrld world changeset check set needs a name and a file: wrld world changeset check set prices prices.js',
      );
      return 2;
    }
    const source = await readFile(resolve(folder, file), 'utf8').catch(
      (error: NodeJS.ErrnoException) => error,
    );
    if (typeof source !== 'string') {
      output.error(
        `wrld world changeset check set: ${file} cannot be read (${source.code ?? source.message})`,
      );
      return 1;
    }
    return askWorld<Check>(
      'world changeset check set',
      given,
      around,
      ({ client, own }) =>
        client.send('PUT', own(`checks/${encodeURIComponent(name)}`), source, { type: 'text/javascript' }),
      check => output.line(`${check.name} is set; verify changesets: wrld world changeset verify <name>`),
    );
  },
};

export const worldChangesetCheckRemove: Command = {
  words: ['world', 'changeset', 'check', 'remove'],
  summary: 'remove a check',
  usage: `<name> ${REACH_USAGE}`,
  flags: REACH_FLAGS,
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world changeset check remove prices', 'changesets are to be verified again']],
  run: async (given, around) => {
    const [name] = given.operands;
    if (name === undefined) {
      around.output.error(
        'wrld world changeset check remove needs a name: wrld world changeset check remove prices',
      );
      return 2;
    }
    return askWorld<null>(
      'world changeset check remove',
      given,
      around,
      ({ client, own }) => client.send('DELETE', own(`checks/${encodeURIComponent(name)}`)),
      () => around.output.line(`${name} is removed`),
    );
  },
};
