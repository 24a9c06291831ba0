// `wrld host <dir>`: many worlds under one URL (4.10), for a machine that others reach.
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { BackupSchedule } from '../../control/node/host/backup-schedule.ts';
import type { RunningHost } from '../../control/node/host/host.ts';
import {
  SHARDS_BY_ITSELF_MAX,
  SHARDS_BY_ITSELF_MIN,
  SHARDS_MAX,
} from '../../control/node/host/shards/limits.ts';
import type { BudgetLimits } from '../../control/world/access/budget.ts';
import { BUDGET_REQUESTS_PER_SECOND } from '../../control/world/limits.ts';
import { parseDuration } from '../../control/world/store/duration.ts';
import { readBudget } from '../budget-flag.ts';
import { type Command, readPort, type Surround, untilAsked } from '../command.ts';
import { BACKUP_EVERY_MS_MIN } from '../limits.ts';
import type { Output } from '../output.ts';
import { readKeep } from '../read-keep.ts';

export const host: Command = {
  words: ['host'],
  summary: 'serve every bare world under a directory at one URL',
  usage:
    '<dir> [--host <address>] [--port <number>] [--url <url>] [--suffix <suffix>] [--trust <issuer>] [--budget <number>|off] [--shards <number>] [--backup-every <duration> [--backup-keep <number>] [--backup-to <folder>]] [--json]',
  flags: {
    host: { type: 'value', value: '<address>', does: 'the address to listen on; 127.0.0.1 unless given' },
    port: { type: 'value', value: '<number>', does: 'the port; 0, the default, is any free one' },
    url: {
      type: 'value',
      value: '<url>',
      does: 'as clients name the host, where something stands in front of it: https://worlds.example.com',
    },
    suffix: {
      type: 'value',
      value: '<suffix>',
      does: 'gives each world an origin of its own, <world>--<org><suffix>: .worlds.example.com; also WORLD_ORIGIN_SUFFIX',
    },
    trust: {
      type: 'value',
      value: '<issuer>',
      does: 'a platform whose passes open sessions for its people: its https URL, or a file of its public keys (JWKS)',
    },
    budget: {
      type: 'value',
      value: '<number>|off',
      does: `requests a second that each world answers, sustained; ${BUDGET_REQUESTS_PER_SECOND} unless given, ten times as many at once`,
    },
    shards: {
      type: 'value',
      value: '<number>',
      does: 'processes that have a part of the worlds each; as many as there are processors, 2 to 4, unless given; 0: all in one',
    },
    'backup-every': {
      type: 'value',
      value: '<duration>',
      does: 'back every world up so often: 6h, 1d; as wrld host backup does',
    },
    'backup-keep': {
      type: 'value',
      value: '<number>',
      does: 'backups of each world that stay; all unless given',
    },
    'backup-to': {
      type: 'value',
      value: '<folder>',
      does: 'where they go; .wrld-host/backups of the directory unless given',
    },
    json: {
      type: 'switch',
      does: 'print one JSON line when it is up: { baseUrl, listensAt, directory, worlds, shards, adminToken, adminTokenFile, pid }',
    },
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    [
      'wrld host /srv/worlds --port 4000',
      'prints the admin token once, and keeps it in .wrld-host/admin-token',
    ],
    [
      `curl -X POST http://127.0.0.1:4000/-/worlds -H "x-wrld-token: $ADMIN" -d '{"org":"acme","world":"shop","vendors":["stripe"]}'`,
      'makes a world, and answers its tokens',
    ],
  ],
  notes: [
    'ADMIN_TOKEN in the environment is the admin token instead; it is kept nowhere. It opens the host’s own endpoints and nothing under a world.',
    'SIGUSR2 replaces the processes of its worlds one after the other by those of the release that is installed now; no request is refused.',
    'Under a socket of systemd (LISTEN_FDS) a restart refuses no connection: who connects meanwhile waits. docs/hosting.md has the units.',
    'The log goes to standard error, a JSON object a line. Put TLS in front of it: docs/hosting.md has examples.',
  ],
  run: async (given, { output, env }) => {
    const wrong = (why: string): number => {
      output.error(`wrld host: ${why}`);
      return 2;
    };
    const [directory] = given.operands;
    if (directory === undefined) return wrong('which directory? wrld host <dir>');
    const port = readPort(given.values.get('port'));
    if (port === null) return wrong('--port takes a number from 0 to 65535');
    const address = given.values.get('host') ?? '127.0.0.1';
    if (address !== 'localhost' && isIP(address) === 0)
      return wrong('--host takes an address: 127.0.0.1, ::1, 0.0.0.0 or one of this machine');
    const budget: BudgetLimits | null | undefined = readBudget(given.values.get('budget'));
    if (budget === undefined) return wrong('--budget takes a number of requests a second, 1 or more, or off');
    const url = readUrl(given.values.get('url'));
    if (url === null)
      return wrong('--url takes an http or https URL without a path: https://worlds.example.com');
    const shards = readShards(given.values.get('shards'));
    if (shards === undefined)
      return wrong(`--shards takes a number of processes up to ${SHARDS_MAX}; 0 or 1 for all worlds in one`);
    const socket = handedSocket(env);
    if (socket !== null && (port === 0 || shards === null))
      return wrong(
        'a socket is handed over (LISTEN_FDS): name its port with --port, and leave two shards or more',
      );
    const backups = readSchedule(given.values);
    if (typeof backups === 'string') return wrong(backups);
    const asked = untilAsked();
    const { startHostHere } = await import('../start-host.ts');
    const suffix = given.values.get('suffix') ?? (env['WORLD_ORIGIN_SUFFIX'] || undefined);
    const adminToken = env['ADMIN_TOKEN'] || undefined;
    const trust = given.values.get('trust');
    const started = await startHostHere({
      directory,
      host: address === 'localhost' ? '127.0.0.1' : address,
      port,
      budget,
      ...(url === undefined ? {} : { baseUrl: url }),
      ...(suffix === undefined ? {} : { suffix }),
      ...(adminToken === undefined ? {} : { adminToken }),
      ...(trust === undefined ? {} : { trust: [trust] }),
      ...(backups === null ? {} : { backups }),
      ...(shards === null ? {} : { shards: { count: shards, logLevel: 'info' } }),
      ...(socket === null ? {} : { socket }),
      looking: ({ found, known }) =>
        output.progress(
          `Opening  ${known.toLocaleString('en')}/${found.toLocaleString('en')} worlds  ${directory}`,
        ),
    });
    output.progress(null);
    if (!started.ok) {
      output.error(`wrld host: ${started.why}`);
      return 1;
    }
    await using running = started.host;
    process.on('SIGUSR2', () => void running.renew());
    const { baseUrl, listensAt, adminToken: admin, directory: real } = running;
    const worlds = running.names().length;
    const shown = admin.minted ? admin.secret.reveal() : null;
    const kept = admin.file ?? 'the environment (ADMIN_TOKEN)';
    if (given.switches.has('json'))
      output.json({
        baseUrl,
        listensAt,
        directory: real,
        worlds,
        shards: shards ?? 1,
        adminToken: shown,
        adminTokenFile: admin.file,
        pid: process.pid,
      });
    else tell(running, { shards, shown, kept }, output);
    await asked;
    return 0;
  },
};

/** For people. `shown`: the admin token, where it is told this once. */
function tell(
  { baseUrl, listensAt, directory, names }: RunningHost,
  {
    shards,
    shown,
    kept,
  }: { readonly shards: number | null; readonly shown: string | null; readonly kept: string },
  output: Output,
): void {
  const worlds = names().length;
  output.line(output.ink('bold', baseUrl));
  const rows = {
    ...(listensAt === baseUrl ? {} : { 'Listens at': listensAt }),
    Console: `${baseUrl}/-/console/`,
    Directory: directory,
    Worlds: shards === null ? String(worlds) : `${worlds} in ${shards} processes`,
    'Admin token': shown === null ? `in ${kept}` : `${shown}  (shown this once; kept in ${kept})`,
  };
  for (const [title, value] of Object.entries(rows)) output.line(`  ${title.padEnd(13)}${value}`);
  output.line(output.ink('dim', '\nServing. Ctrl-C stops it.'));
}

/** Descriptors that are handed over begin here (systemd’s `sd_listen_fds`). */
const FIRST_HANDED = 3;

/** A socket of systemd's, or of what does as it does, for this process; or for wrld.js, which has started it on a newer Node. */
function handedSocket({ LISTEN_FDS, LISTEN_PID }: Surround['env']): number | null {
  const isMeant = LISTEN_PID === String(process.pid) || LISTEN_PID === `child of ${process.ppid}`;
  return isMeant && LISTEN_FDS === '1' ? FIRST_HANDED : null;
}

/** Null for none: this process serves all worlds. Undefined for what is no number of them. */
function readShards(text: string | undefined): number | null | undefined {
  if (text === undefined)
    return Math.min(Math.max(availableParallelism(), SHARDS_BY_ITSELF_MIN), SHARDS_BY_ITSELF_MAX);
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= SHARDS_MAX)) return undefined;
  return count < 2 ? null : count;
}

/** Null where no backups are asked for; a text for what is wrong. */
function readSchedule(values: ReadonlyMap<string, string>): BackupSchedule | string | null {
  const every = values.get('backup-every');
  const to = values.get('backup-to');
  if (every === undefined) {
    const alone = ['backup-keep', 'backup-to'].find(flag => values.has(flag));
    return alone === undefined ? null : `--${alone} needs --backup-every: how often?`;
  }
  const everyMs = parseDuration(every);
  if (everyMs === null || everyMs < BACKUP_EVERY_MS_MIN)
    return '--backup-every takes a duration of a minute or more: 30m, 6h, 1d';
  const keep = readKeep(values.get('backup-keep'));
  if (keep === undefined) return '--backup-keep takes a number of backups, 1 or more';
  return { everyMs, keep, to: to === undefined ? null : resolve(to) };
}

/** An origin, without a slash at its end; null for what is none, undefined for nothing. */
function readUrl(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.href === `${url.origin}/` ? url.origin : null;
}
