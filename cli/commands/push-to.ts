// `wrld world push-to`: the world of this folder, or of another host, to a host of worlds. What it leaves stays as it is.
import { resolve } from 'node:path';
import { ArchiveHost, HostRefusal, type Judged, type MovedRow } from '../archive-host.ts';
import {
  adminToken,
  fileSource,
  folderSource,
  hostSource,
  isUrl,
  readHostUrl,
  readWorldUrl,
  type Source,
} from '../archive-source.ts';
import { ArchiveProgress, BadArchive } from '../archive-text.ts';
import type { Command, Surround } from '../command.ts';
import { tellLeft } from '../left-behind.ts';
import type { Output } from '../output.ts';
import { failureOf } from '../stopped-world.ts';

export const worldPushTo: Command = {
  words: ['world', 'push-to'],
  summary: 'move the world, with its history and branches, to a host or the edge',
  usage:
    '<url> [--from <url|file>] [--dry-run] [--without-branches] [--token-file <file>] [--from-token-file <file>] [--json]',
  flags: {
    from: {
      type: 'value',
      value: '<url|file>',
      does: 'not this folder’s world but the one at this URL of a host, or in this archive or backup',
    },
    'dry-run': { type: 'switch', does: 'say what would move and what would not, and change nothing' },
    'without-branches': { type: 'switch', does: 'leave the branches of this folder’s world here' },
    'token-file': {
      type: 'value',
      value: '<file>',
      does: 'holds the admin token of the host; ADMIN_TOKEN or what you type unless given',
    },
    'from-token-file': {
      type: 'value',
      value: '<file>',
      does: 'the same of the host at --from; FROM_ADMIN_TOKEN unless given',
    },
    json: {
      type: 'switch',
      does: 'print { name, worlds, rows, bytes, left, moved: [{ name, base, token, readToken }] } as JSON; without `moved` after --dry-run',
    },
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world push-to https://worlds.example.com --dry-run', 'what would move, and what cannot'],
    [
      'wrld world push-to http://127.0.0.1:8787 --from https://worlds.example.com/acme/shop',
      'from one host to another',
    ],
  ],
  notes: [
    'Moved are the logs, records, files, clock, due events, changesets, browsers, handlers and branches. The world keeps its name and gets new tokens there. Sealed credentials come along where the same SEALING_KEY or vault seals; settings of this machine do not.',
    'What it leaves stays as it is, and goes on if it is up: stop it (wrld world down), or two worlds send the webhooks that wait. A move that breaks off leaves nothing there.',
  ],
  run: async (given, around) => {
    const { output, env, folder } = around;
    const wrong = (why: string): number => {
      output.error(`wrld world push-to: ${why}`);
      return 2;
    };
    const [to] = given.operands;
    if (to === undefined) return wrong('where to? wrld world push-to <url>');
    const url = readHostUrl(to);
    if (url === null)
      return wrong(
        'it takes the URL of a host, without a path: https://worlds.example.com; the world keeps its name',
      );
    const from = given.values.get('from');
    if (from !== undefined && given.switches.has('without-branches'))
      return wrong('--without-branches is for the world of this folder');
    const token = await adminToken(url, {
      file: given.values.get('token-file'),
      variable: 'ADMIN_TOKEN',
      env,
      folder,
    });
    if (!token.ok) return wrong(token.why);
    try {
      using source = await sourceOf(from, given, around);
      const host = new ArchiveHost({ url, token: token.token });
      const name = source.header.worlds[0]!.name;
      const dry = given.switches.has('dry-run');
      const { judged, moved } = dry ? await tried(host, source) : await move(host, source, output);
      output.progress(null);
      if (given.switches.has('json')) output.json({ ...judged, ...(moved && { moved }) });
      else tell(output, { judged, moved, from: source.told, to: url, name });
      return 0;
    } catch (error) {
      output.progress(null);
      if (error instanceof WrongCall) return wrong(error.message);
      const known = error instanceof HostRefusal || error instanceof BadArchive;
      output.error(`wrld world push-to: ${known ? (error as Error).message : failureOf(error)}`);
      return 1;
    }
  },
};

class WrongCall extends Error {}

async function sourceOf(
  from: string | undefined,
  given: Parameters<Command['run']>[0],
  { env, folder }: Surround,
): Promise<Source> {
  if (from === undefined) return folderSource(folder, !given.switches.has('without-branches'));
  if (!isUrl(from)) return fileSource(resolve(folder, from));
  const place = readWorldUrl(from);
  if (place === null)
    throw new WrongCall('--from takes the URL of a world: https://worlds.example.com/acme/shop');
  const token = await adminToken(place.url, {
    file: given.values.get('from-token-file'),
    variable: 'FROM_ADMIN_TOKEN',
    env,
    folder,
  });
  if (!token.ok) throw new WrongCall(token.why);
  return hostSource(place, token.token);
}

type Pushed = { readonly judged: Judged; readonly moved: readonly MovedRow[] | null };

async function tried(host: ArchiveHost, { header, parts }: Source): Promise<Pushed> {
  for await (const part of parts)
    return { judged: await host.judge(header.worlds[0]!.name, part), moved: null };
  throw new BadArchive('Nothing came.');
}

async function move(host: ArchiveHost, { header, parts }: Source, output: Output): Promise<Pushed> {
  const { name } = header.worlds[0]!;
  const progress = new ArchiveProgress(header);
  let stopped = false;
  const stop = (): void => {
    stopped = true;
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let judged: Judged | null = null;
  try {
    for await (const part of parts) {
      if (stopped) throw new BadArchive('It was stopped; nothing of it is left there.');
      if (judged === null) {
        judged = await host.begin(name, part);
        continue;
      }
      const moved = await host.send(name, part);
      output.progress(`Moving ${name}  ${progress.add(part)}`);
      if (moved !== null) return { judged, moved };
    }
    throw new BadArchive('The archive broke off before its end.');
  } catch (error) {
    // What the host itself refused, it has forgotten.
    if (judged !== null) await host.abandon(name);
    throw unfinished(error, name, judged !== null);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** What is to be thought of a move of which the last word did not come. */
function unfinished(error: unknown, name: string, began: boolean): unknown {
  if (!(error instanceof HostRefusal)) return error;
  const more =
    error.code === null && began
      ? `${name} was on its way there. Run this again: what had come is removed first, and if all of it had, you are told that it is there.`
      : error.code === 'taken'
        ? `Where an earlier move of it was cut off at its very end, this is that world, whole: the host’s inventory has its tokens (GET /-/worlds).`
        : null;
  return more === null
    ? error
    : new HostRefusal(`${error.message.replace(/[.]?$/, '.')} ${more}`, error.code);
}

function tell(
  output: Output,
  {
    judged,
    moved,
    from,
    to,
    name,
  }: Pushed & { readonly from: string; readonly to: string; readonly name: string },
): void {
  const branches = judged.worlds.length - 1;
  const size = `${judged.rows.toLocaleString('en')} rows${judged.bytes === 0 ? '' : `, ${(judged.bytes / 1024 / 1024).toFixed(1)} MB of files`}`;
  const along = branches === 0 ? '' : `, with ${branches} ${branches === 1 ? 'branch' : 'branches'}`;
  if (moved === null) output.line(`${name} would move from ${from} to ${to}: ${size}${along}.`);
  else output.line(`${output.ink('green', '✓')} ${output.ink('bold', name)} is at ${to}: ${size}${along}.`);
  for (const row of moved ?? []) {
    output.line(`  ${output.ink('cyan', row.base)}`);
    if (row.token !== null) output.line(`  ${'Token'.padEnd(12)}${row.token}`);
    if (row.readToken !== null) output.line(`  ${'Read token'.padEnd(12)}${row.readToken}`);
  }
  tellLeft(output, judged.left);
  if (moved !== null)
    output.line(output.ink('dim', `${from} stays as it is; remove it when you no longer need it.`));
}
