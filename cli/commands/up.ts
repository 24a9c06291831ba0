// `wrld world up`: the world in the foreground, until Ctrl-C or SIGTERM.
import { isIP } from 'node:net';
import { join, relative, resolve } from 'node:path';
import type { RunningControl } from '../../control/node/control.ts';
import { WORKERS_MAX } from '../../proxy/limits.ts';
import { type Command, readPort, type Surround, untilAsked } from '../command.ts';
import { type Environment, exportLines, shellWord } from '../environment.ts';
import { fillShare, type Share } from '../share.ts';
import { worldEnvironment } from '../world-environment.ts';
import { findWorld } from '../world-folder.ts';

export const worldUp: Command = {
  words: ['world', 'up'],
  summary: 'start the world in the foreground, for many commands',
  usage:
    '[--sandbox] [--host <address>] [--port <number>] [--proxy-port <number>] [--guest-port <number>] [--workers <number>] [--share <folder>] [--json]',
  flags: {
    sandbox: { type: 'switch', does: 'reach the twins alone: nothing leaves, whatever the config grants' },
    host: {
      type: 'value',
      value: '<address>',
      does: 'the address to listen on; beyond loopback (0.0.0.0, say) the proxy asks every client for its run',
    },
    port: {
      type: 'value',
      value: '<number>',
      does: "the port of the world's URL; 0, the default, is any free one",
    },
    'proxy-port': {
      type: 'value',
      value: '<number>',
      does: 'the port of its proxy; 0, the default, is any free one',
    },
    'guest-port': {
      type: 'value',
      value: '<number>',
      does: 'a second port of the proxy, for guests: plain HTTP requests, and nothing of this machine',
    },
    workers: {
      type: 'value',
      value: '<number>',
      does: 'threads that the proxy serves with, for more than one core; 1, the default, is enough for most',
    },
    share: {
      type: 'value',
      value: '<folder>',
      does: 'fill a volume for a container that shares this network: <folder>/run <command> runs it in the world, once <folder>/ready is there',
    },
    json: {
      type: 'switch',
      does: 'print one JSON line when it is up: { baseUrl, worldUrl, proxyUrl, caFile, pid, proxyPid }',
    },
  },
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world up', 'from another terminal: wrld world run -- node app.mjs'],
    ['wrld world up --port 4000 --proxy-port 4001', 'at known ports, for a program that is set up by hand'],
    ['wrld world up --share /run/wrld', 'as a sidecar in compose: docs/compose.md'],
    ['wrld world up --json', 'for a program that starts a world'],
  ],
  notes: [
    'Beyond loopback a client names its run in the proxy URL: http://default:<token>@<host>:<port>, with the token of .wrld/token.',
    'An edit of .wrld/world.json is in force when it is saved. A bad one is told here with its line, and the last good config stays in force.',
  ],
  run: async (given, around) => {
    const { output, folder } = around;
    const wrong = (why: string): number => {
      output.error(`wrld world up: ${why}`);
      return 2;
    };
    const port = readPort(given.values.get('port'));
    const proxyPort = readPort(given.values.get('proxy-port'));
    if (port === null) return wrong('--port takes a number from 0 to 65535');
    if (proxyPort === null) return wrong('--proxy-port takes a number from 0 to 65535');
    const guestText = given.values.get('guest-port');
    const guestPort = guestText === undefined ? undefined : readPort(guestText);
    if (guestPort === null || guestPort === 0) return wrong('--guest-port takes a number from 1 to 65535');
    const workers = given.values.get('workers') ?? '1';
    if (!/^[1-9]\d?$/.test(workers) || Number(workers) > WORKERS_MAX)
      return wrong(`--workers takes a number from 1 to ${WORKERS_MAX}`);
    const host = given.values.get('host') ?? '127.0.0.1';
    if (host !== 'localhost' && isIP(host) === 0)
      return wrong('--host takes an address: 127.0.0.1, ::1, 0.0.0.0 or one of this machine');
    const found = await findWorld(folder);
    if (!found.ok) {
      output.error(found.why);
      return 2;
    }
    const asked = untilAsked();
    const { startWorld } = await import('../start-world.ts');
    const started = await startWorld({
      paths: found.paths,
      host: host === 'localhost' ? '127.0.0.1' : host,
      port,
      proxyPort,
      workers: Number(workers),
      ...(guestPort === undefined ? {} : { guestPort }),
      sandbox: given.switches.has('sandbox'),
      forRun: false,
      tell: line => output.error(`${output.ink('yellow', 'wrld:')} ${line}`),
    });
    if (!started.ok) {
      output.error(`wrld world up: ${started.why}`);
      return started.exit;
    }
    await using control = started.control;
    const attached = await worldEnvironment(found.paths, control, around.env);
    if (!attached.ok) {
      output.error(`wrld world up: ${attached.why}`);
      return 1;
    }
    const filled = await fillAsked(given.values.get('share'), found.paths.config, control, around);
    if (filled?.ok === false) {
      output.error(`wrld world up: ${filled.why}`);
      return 1;
    }
    await using _share = filled;
    if (given.switches.has('json')) printJson(control, around);
    else {
      printPeople(found.config.name, found.paths.folder, control, attached.set, around);
      if (given.switches.has('sandbox'))
        output.line(output.ink('yellow', 'A sandbox: only its twins answer.\n'));
      output.line(output.ink('dim', 'Up. Ctrl-C stops it.'));
    }
    await asked;
    return 0;
  },
};

/** Null where no volume was named. */
async function fillAsked(
  volume: string | undefined,
  config: string,
  control: RunningControl,
  { folder, env }: Surround,
): Promise<Share | null> {
  return volume === undefined ? null : await fillShare(resolve(folder, volume), control, { config, env });
}

function printJson(control: RunningControl, { output }: Surround): void {
  const { baseUrl, worldUrl, proxyUrl, caFile, proxyPid } = control;
  output.json({ baseUrl, worldUrl, proxyUrl, caFile, pid: process.pid, proxyPid });
}

function printPeople(
  name: string,
  folder: string,
  control: RunningControl,
  environment: Environment,
  { output, folder: here }: Surround,
): void {
  const near = (file: string): string => relative(here, file) || file;
  const rows = [
    ['World', control.worldUrl],
    ['Page', `${control.ownOrigin ?? control.baseUrl}/-/${name}/`],
    ['Proxy', control.proxyUrl.replace(control.token, '<first line of Tokens>')],
    ['CA', near(control.caFile)],
    ['Tokens', near(join(folder, '.wrld', 'token'))],
  ] as const;
  output.line(output.ink('bold', name));
  for (const [title, value] of rows) output.line(`  ${title.padEnd(8)}${value}`);
  output.line();
  output.line('Run a command in it, from another terminal:');
  output.line(`  ${output.ink('cyan', 'wrld world run -- <command>')}`);
  output.line();
  output.line('Or paste this into a shell (bash, zsh), for everything started from it:');
  // The token opens the world and is not for a screen: the shell reads it of its file, which is named above.
  const token = `"$(head -1 ${shellWord(join(folder, '.wrld', 'token'))})"`;
  for (const line of exportLines(environment)) output.line(`  ${line.replaceAll(control.token, token)}`);
  output.line();
}
