// An internet of its own for a test: a network namespace in which the vendors' names lead to a stranger, who takes every
// connection and counts it. Whatever a world lets slip arrives there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { command, type Ended } from './command-line.ts';
import { within } from './deadline.ts';

const ADDRESS = '203.0.113.10';
const PORTS = [80, 443, 8443];

/** Tells of each connection, and of what it began with: a request in the clear or a TLS hello, which both name a host. */
const STRANGER = `
for (const port of ${JSON.stringify(PORTS)})
  require('net').createServer(socket => {
    console.log('port ' + port);
    socket.on('error', () => {});
    socket.once('data', data => {
      console.log('heard ' + JSON.stringify(data.toString('latin1')));
      socket.destroy();
    });
  }).listen(port, '${ADDRESS}', () => console.log('listening'));`;

export type Stranger = AsyncDisposable & {
  /** Runs it in that internet, in `folder`. */
  run(words: readonly string[], folder: string): Promise<Ended>;
  /** The words that do so. */
  words(words: readonly string[], folder: string): readonly string[];
  /** How many connections arrived there. */
  readonly seen: number;
  /** Whether one of them named that host. */
  heardOf(host: string): boolean;
};

/** An address of that internet at which a test's own origin may listen. */
export const ORIGIN_ADDRESS = '203.0.113.11';

/** `hosts` are the stranger's, `origins` the test's own. */
export async function openStranger(
  hosts: readonly string[],
  origins: readonly string[] = [],
): Promise<Stranger> {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-stranger-'));
  const file = join(folder, 'hosts');
  const lines = [
    ...hosts.map(host => `${ADDRESS} ${host}\n`),
    ...origins.map(host => `${ORIGIN_ADDRESS} ${host}\n`),
  ];
  await writeFile(file, `127.0.0.1 localhost\n${lines.join('')}`);
  const root = process.getuid!() === 0;
  const script = `
    ip link set lo up && ip address add ${ADDRESS}/32 dev lo && ip address add ${ORIGIN_ADDRESS}/32 dev lo && mount --bind "$1" /etc/hosts && exec "$2" -e "$3"`;
  const child = spawn(
    'unshare',
    [
      ...(root ? [] : ['--user', '--map-root-user']),
      ...['--net', '--mount', 'sh', '-c', script, 'sh', file, process.execPath, STRANGER],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let seen = 0;
  let heard = '';
  const all = Promise.withResolvers<void>();
  let left = PORTS.length;
  createInterface({ input: child.stdout }).on('line', line => {
    if (line.startsWith('port ')) seen += 1;
    else if (line.startsWith('heard ')) heard += line;
    else if (--left === 0) all.resolve();
  });
  await within('the stranger to listen', all.promise);
  const words = (asked: readonly string[], at: string): readonly string[] => [
    ...['nsenter', `--target=${child.pid}`, ...(root ? [] : ['--user', '--preserve-credentials'])],
    ...['--net', '--mount', '--', 'sh', '-c', 'cd "$0" && exec "$@"', at, ...asked],
  ];
  return {
    words,
    run: (asked, at) => command(words(asked, at), at),
    get seen() {
      return seen;
    },
    heardOf: host => heard.includes(host),
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      await rm(folder, { recursive: true });
    },
  };
}
