// `wrld world import`: a world of a host, an archive or a backup becomes the world of this folder.
import { realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { openLog } from '../../control/node/log.ts';
import { judgeFor, takeWorld } from '../../control/node/taken-world.ts';
import { HostRefusal } from '../archive-host.ts';
import { adminToken, fileSource, hostSource, isUrl, readWorldUrl, type Source } from '../archive-source.ts';
import { ArchiveProgress, BadArchive } from '../archive-text.ts';
import type { Command } from '../command.ts';
import { tellLeft } from '../left-behind.ts';
import type { Output } from '../output.ts';
import { failureOf } from '../stopped-world.ts';
import { keepOutOfGit } from './init.ts';

export const worldImport: Command = {
  words: ['world', 'import'],
  summary: 'make a world of a host, an archive or a backup the world of this folder',
  usage: '<url|file> [--dry-run] [--token-file <file>] [--json]',
  flags: {
    'dry-run': { type: 'switch', does: 'say what would come and what would not, and change nothing' },
    'token-file': {
      type: 'value',
      value: '<file>',
      does: 'holds the admin token of the host; ADMIN_TOKEN or what you type unless given',
    },
    json: {
      type: 'switch',
      does: 'print { name, worlds, rows, bytes, left, positions, setAside, again } as JSON; without the last three after --dry-run',
    },
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world import https://worlds.example.com/acme/shop', 'that world of a host, into this folder'],
    ['wrld world import shop.backup', 'what wrld world backup made elsewhere'],
    [
      'curl -H "x-wrld-token: $ADMIN" https://worlds.example.com/-/worlds/acme/shop/archive > shop.ndjson',
      'keeps a world as a file, which this imports too',
    ],
  ],
  notes: [
    'A folder without a world becomes one. In the folder of a world of the same name the store, its branches and browsers are moved to .wrld/set-aside first; its world.json and tokens stay. That world must be down.',
    'Nothing changes before all of it has come and was looked through. What is imported from stays as it is.',
  ],
  run: async (given, { output, env, folder: here }) => {
    const wrong = (why: string): number => {
      output.error(`wrld world import: ${why}`);
      return 2;
    };
    const [from] = given.operands;
    if (from === undefined) return wrong('what? wrld world import <url|file>');
    const folder = await realpath(here);
    const place = isUrl(from) ? readWorldUrl(from) : null;
    if (isUrl(from) && place === null)
      return wrong('the URL is of a world: https://worlds.example.com/acme/shop');
    const file = given.values.get('token-file');
    const token =
      place === null ? null : await adminToken(place.url, { file, variable: 'ADMIN_TOKEN', env, folder });
    if (token?.ok === false) return wrong(token.why);
    const log = openLog('silent');
    try {
      using source =
        place === null || token === null
          ? await fileSource(resolve(folder, from))
          : await hostSource(place, token.token);
      const { header } = source;
      const left = [...header.left, ...(await judgeFor(folder, header, log))];
      const told = {
        name: header.worlds[0]!.name,
        worlds: header.worlds.map(({ name }) => name),
        rows: header.worlds.reduce((sum, { rows }) => sum + rows, 0),
        bytes: header.worlds.reduce((sum, { blobs }) => sum + blobs.bytes, 0),
        left,
      };
      const dry = given.switches.has('dry-run');
      const taken = dry ? null : await takeWorld(folder, { header, parts: followed(source, output) }, log);
      output.progress(null);
      if (taken?.setAside === null) await keepOutOfGit(join(folder, '.wrld'));
      if (given.switches.has('json')) output.json({ ...told, ...taken });
      else
        tell(output, {
          ...told,
          from: source.told,
          aside: taken?.setAside ?? null,
          again: taken?.again ?? false,
          dry,
          folder,
        });
      return 0;
    } catch (error) {
      output.progress(null);
      const known = error instanceof HostRefusal || error instanceof BadArchive;
      output.error(`wrld world import: ${known ? (error as Error).message : failureOf(error)}`);
      return 1;
    }
  },
};

async function* followed({ header, parts }: Source, output: Output): AsyncGenerator<string> {
  const progress = new ArchiveProgress(header);
  for await (const part of parts) {
    yield part;
    output.progress(`Importing  ${progress.add(part)}`);
  }
}

type Told = {
  readonly name: string;
  readonly worlds: readonly string[];
  readonly rows: number;
  readonly left: Parameters<typeof tellLeft>[1];
  readonly from: string;
  readonly aside: string | null;
  readonly again: boolean;
  readonly dry: boolean;
  readonly folder: string;
};

function tell(output: Output, { name, worlds, rows, left, from, aside, again, dry, folder }: Told): void {
  const branches = worlds.length - 1;
  const along = branches === 0 ? '' : `, with ${branches} ${branches === 1 ? 'branch' : 'branches'}`;
  const size = `${rows.toLocaleString('en')} rows${along}`;
  if (dry) output.line(`${name} of ${from} would become the world of this folder: ${size}.`);
  else
    output.line(
      `${output.ink('green', '✓')} ${output.ink('bold', name)} is the world of this folder: ${size}.`,
    );
  tellLeft(output, left);
  if (again) output.line(output.ink('dim', 'An earlier import was cut off; what had come of it is removed.'));
  if (aside !== null) output.line(output.ink('dim', `What was there is in ${relative(folder, aside)}`));
}
