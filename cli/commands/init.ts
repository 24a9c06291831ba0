// `wrld world init`: writes the folder's `.wrld/world.json`, and what keeps its state out of version control.
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { SHIPPED_TWINS } from '../../control/node/shipped-twins.ts';
import { nearest } from '../../control/world/config/nearest.ts';
import { parseWorldName } from '../../control/world/config/world-name.ts';
import type { Command, Surround } from '../command.ts';

/** All that is not config: keys, tokens, sockets, the world's state. */
const IGNORED = [
  'ca/',
  'run/',
  'world/',
  'branches/',
  'backups/',
  'set-aside/',
  'restoring/',
  'browsers/',
  'token',
  'seal.key',
];

/** `home`: the world's `.wrld`. */
export function keepOutOfGit(home: string): Promise<void> {
  return writeFile(join(home, '.gitignore'), `${IGNORED.join('\n')}\n`);
}

export const worldInit: Command = {
  words: ['world', 'init'],
  summary: 'make a world in this folder',
  usage: '[<org>/<world>] [--twins <names>] [--bare]',
  flags: {
    twins: {
      type: 'value',
      value: '<names>',
      does: `the twins it has, separated by commas: ${SHIPPED_TWINS.join(', ')}`,
    },
    bare: {
      type: 'switch',
      does: 'make it at <org>/<world> under this folder, the directory of a host (wrld host), with its tokens',
    },
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world init acme/shop --twins stripe', 'a world in which api.stripe.com is answered by a twin'],
    ['wrld world init', 'asks, when run in a terminal'],
    ['wrld world init --bare acme/shop --twins stripe', 'a world of the host whose directory this is'],
  ],
  notes: [
    'Writes .wrld/world.json (commit it), JSON Schemas for editors, and .wrld/.gitignore. An existing world is left as it is.',
  ],
  run: async (given, around) => {
    const { output, folder } = around;
    const bare = given.switches.has('bare');
    if (bare && given.operands[0] === undefined) {
      output.error('wrld world init: --bare needs the name: wrld world init --bare <org>/<world>');
      return 2;
    }
    const asked = await answers(given.operands[0], given.values.get('twins'), around);
    const name = parseWorldName(asked.name);
    if (!name.ok) {
      output.error(`wrld world init: ${JSON.stringify(asked.name)} is ${name.why}`);
      return 2;
    }
    const twins = [
      ...new Set(
        asked.twins
          .split(',')
          .map(twin => twin.trim())
          .filter(Boolean),
      ),
    ];
    const unknown = twins.find(twin => !SHIPPED_TWINS.includes(twin));
    if (unknown !== undefined) {
      const near = nearest(unknown, SHIPPED_TWINS);
      const guess = near === undefined ? '' : `; did you mean ${near}?`;
      output.error(`wrld world init: no twin ${JSON.stringify(unknown)}${guess}`);
      output.error(`accepted: ${SHIPPED_TWINS.join(', ')}`);
      return 2;
    }
    if (bare) return initBare(name.text, twins, around);
    const home = join(folder, '.wrld');
    await mkdir(home, { recursive: true });
    try {
      await writeFile(join(home, 'world.json'), worldJson(name.text, twins), { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      output.error('wrld world init: .wrld/world.json is there already; it is left as it is');
      return 1;
    }
    for (const schema of ['world.schema.json', 'handlers.schema.json']) {
      await copyFile(new URL(`../../schema/${schema}`, import.meta.url), join(home, schema));
    }
    await keepOutOfGit(home);

    output.line(`${output.ink('green', '✓')} ${output.ink('bold', name.text)} is made: .wrld/world.json`);
    output.line(twins.length === 0 ? '  It has no twins yet.' : `  Its twins: ${twins.join(', ')}.`);
    output.line();
    output.line('Next');
    output.line(`  ${output.ink('cyan', 'wrld world run -- <your app>')}   run a command in it`);
    output.line(`  ${output.ink('cyan', 'wrld world up')}                  keep it up, for many commands`);
    output.line();
    output.line('Grant what your app may reach outside the world in runtime.network of .wrld/world.json.');
    return 0;
  },
};

/** A world of a host: whole, with its tokens, wherever the host is. */
async function initBare(
  name: string,
  vendors: readonly string[],
  { output, folder }: Surround,
): Promise<number> {
  const { makeBareWorld } = await import('../../control/node/host/bare-world.ts');
  const made = await makeBareWorld({ directory: folder, name, vendors });
  if (!made.ok) {
    output.error(`wrld world init: ${name} is there already; it is left as it is`);
    return 1;
  }
  const { write, read } = made.tokens;
  output.line(`${output.ink('green', '✓')} ${output.ink('bold', name)} is made: ${name}/.wrld/`);
  output.line(vendors.length === 0 ? '  It has no twins yet.' : `  Its twins: ${vendors.join(', ')}.`);
  output.line(`  ${'Token'.padEnd(12)}${write.reveal()}`);
  output.line(`  ${'Read token'.padEnd(12)}${read.reveal()}`);
  output.line();
  output.line(`A host of this folder finds it by itself: ${output.ink('cyan', 'wrld host .')}`);
  return 0;
}

type Answers = { readonly name: string; readonly twins: string };

async function answers(
  name: string | undefined,
  twins: string | undefined,
  around: Surround,
): Promise<Answers> {
  const fallback: Answers = {
    name: name ?? `local/${nameOf(around.folder)}`,
    twins: twins ?? SHIPPED_TWINS.join(','),
  };
  const ask =
    name === undefined && twins === undefined && around.output.terminal && process.stdin.isTTY === true;
  if (!ask) return fallback;
  const questions = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const askedName = await questions.question(`Name of the world, <org>/<world> (${fallback.name}): `);
    const askedTwins = await questions.question(
      `Its twins, of ${SHIPPED_TWINS.join(', ')} (${fallback.twins}): `,
    );
    return { name: askedName.trim() || fallback.name, twins: askedTwins.trim() || fallback.twins };
  } finally {
    questions.close();
  }
}

/** The folder's name as a part of a world's name. */
function nameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
    .replace(/-$/, '');
  return name === '' ? 'world' : name;
}

function worldJson(name: string, twins: readonly string[]): string {
  const config = {
    $schema: './world.schema.json',
    name,
    services: Object.fromEntries(twins.map(twin => [twin, { twin }])),
    runtime: { network: { egress: [], writes: [] } },
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
