// A host under a socket that somebody keeps for it, as systemd does: a restart loses no request and refuses no connection.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, request } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { cleanEnv, command, findOldNode, MAIN, wrld, wrldWords } from '../../kit/command-line.ts';
import { lacks } from '../../kit/contained.ts';
import { within } from '../../kit/deadline.ts';
import { hostDirectory } from '../../kit/many-worlds.ts';

const LAUNCHER = fileURLToPath(new URL('../../../cli/wrld.js', import.meta.url));
const old = await findOldNode();
const noOld = old === null && 'no Node here is older than the one wrld needs';
const CLIENTS = 4;
const RESTARTS = 2;
const EACH_AFTER = 5;

/** What systemd does: it keeps the socket, and starts the host with it on `start` and ends it on `stop`. */
const KEEPER = `
use Socket; $| = 1; $^F = 10;
socket(my $socket, PF_INET, SOCK_STREAM, 0); bind $socket, sockaddr_in(0, INADDR_LOOPBACK); listen $socket, 128;
my ($port) = sockaddr_in(getsockname $socket);
print fileno($socket), " $port\\n";
my $pid;
while (<STDIN>) {
  if (/stop/) { kill 'TERM', $pid; waitpid $pid, 0; print "ended $?\\n"; next }
  $pid = fork; next if $pid;
  open STDIN, '<', '/dev/null';
  @ENV{qw(LISTEN_FDS LISTEN_PID)} = (1, $$);
  exec @ARGV, '--port', $port;
}
kill 'TERM', $pid; waitpid $pid, 0;`;

type Kept = AsyncDisposable & {
  readonly port: number;
  say(what: 'start' | 'stop'): Promise<string>;
};

/** On `node`, which wrld.js may have to leave for a newer one. */
async function keep(directory: string, node = process.execPath): Promise<Kept> {
  const words = [
    node,
    node === process.execPath ? MAIN : LAUNCHER,
    'host',
    directory,
    '--json',
    '--shards',
    '2',
  ];
  const child: ChildProcess = spawn('perl', ['-e', KEEPER, ...words], {
    env: cleanEnv(),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const line = async (): Promise<string> =>
    String((await within('the keeper of the socket', lines.next(), 60_000)).value);
  const [fd, port] = (await line()).split(' ');
  if (fd !== '3') throw new Error(`the socket is descriptor ${fd}`);
  return {
    port: Number(port),
    say: what => {
      child.stdin!.write(`${what}\n`);
      return line();
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin!.end();
      await within('the keeper of the socket to end', once(child, 'exit'), 60_000);
    },
  };
}

type Asked = {
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly form?: string | undefined;
};

/** Each on a connection of its own. */
async function ask(
  port: number,
  { path, headers = {}, form }: Asked,
): Promise<{ status: number; body: string }> {
  const asked = (form === undefined ? get : request)({
    ...{ host: '127.0.0.1', port, path, agent: false },
    ...(form === undefined ? {} : { method: 'POST' }),
    headers: {
      ...headers,
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
  });
  asked.end(form);
  const [response] = await within(`an answer to ${path}`, once(asked, 'response'), 60_000);
  return { status: response.statusCode, body: await text(response) };
}

t.test(
  '[4.10] no request is lost, and none refused, while it is restarted',
  { skip: await lacks('perl') },
  async t => {
    const directory = await hostDirectory(t);
    const made = await wrld(directory, 'world', 'init', '--bare', 'acme/shop', '--twins', 'stripe');
    const token = /Token +(tok_w_\S+)/.exec(made.out)![1]!;
    await using kept = await keep(directory);
    const create = {
      path: '/acme/shop/stripe/v1/customers',
      headers: { 'x-twins-key': token, authorization: 'Bearer sk_test_x' },
      form: 'name=Ada',
    };
    const pids = [JSON.parse(await kept.say('start')).pid];
    let left = Number.POSITIVE_INFINITY;
    const faults: string[] = [];
    let created = 0;
    const client = async (): Promise<void> => {
      for (; left > 0; left--) {
        for (const asked of [create, { path: '/-/ping' }]) {
          const answer = await ask(kept.port, asked).catch((error: Error) => ({
            status: 0,
            body: error.message,
          }));
          if (answer.status !== 200) faults.push(`${asked.path}: ${answer.status} ${answer.body}`);
          else if (asked === create) created += 1;
        }
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    for (let restart = 0; restart < RESTARTS; restart++) {
      t.equal(await kept.say('stop'), 'ended 0');
      pids.push(JSON.parse(await kept.say('start')).pid);
    }
    left = CLIENTS * EACH_AFTER;
    await Promise.all(clients);
    t.strictSame(faults, []);
    t.equal(new Set(pids).size, RESTARTS + 1);
    let listed = 0;
    for (let after = '', more = true; more; ) {
      const page = await ask(kept.port, {
        ...create,
        path: `${create.path}?limit=100${after}`,
        form: undefined,
      });
      const { data, has_more } = JSON.parse(page.body);
      listed += data.length;
      more = has_more;
      after = `&starting_after=${data.at(-1)?.id}`;
    }
    t.equal(listed, created, 'what was acknowledged was done, and nothing twice');
  },
);

t.test(
  'on an older Node the socket is passed on to the newer one',
  { skip: noOld || (await lacks('perl')) },
  async t => {
    const directory = await hostDirectory(t);
    await using kept = await keep(directory, old!);
    t.match(JSON.parse(await kept.say('start')), { listensAt: `http://127.0.0.1:${kept.port}` });
    t.equal((await ask(kept.port, { path: '/-/ping' })).status, 200);
    t.equal(await kept.say('stop'), 'ended 0');
  },
);

t.test(
  'a socket that is none, or is another than was said, is a clear end',
  { skip: await lacks('perl') },
  async t => {
    const directory = await hostDirectory(t);
    const under = (socket: string, ...flags: readonly string[]) =>
      command(
        [
          'perl',
          '-e',
          `use Socket; $^F = 10; ${socket} @ENV{qw(LISTEN_FDS LISTEN_PID)} = (1, $$); exec @ARGV`,
          ...wrldWords('host', directory, '--shards', '2', ...flags),
        ],
        directory,
      );
    const listening =
      'socket(my $s, PF_INET, SOCK_STREAM, 0); bind $s, sockaddr_in(0, INADDR_LOOPBACK); listen $s, 1;';
    t.match(await under('open my $s, "<", "/dev/null";', '--port', '4000'), {
      code: 1,
      err: /descriptor 3\) is none that listens/,
    });
    t.match(await under(listening, '--port', '1'), {
      code: 1,
      err: /does not listen at port 1, which --port names/,
    });
    t.match(await under(listening), { code: 2, err: /name its port with --port/ });
  },
);
