// `wrld host` and `wrld world init --bare` as processes: what they print, keep, refuse, and that nothing is lost when the
// host is told to end.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import t from 'tap';
import {
  COMMAND_MS_MAX,
  cleanEnv,
  shownIn,
  wordsOnTerminal,
  wrld,
  wrldWords,
} from '../../kit/command-line.ts';
import { within } from '../../kit/deadline.ts';
import { askHost, bareWorld, hostDirectory } from '../../kit/many-worlds.ts';

type Up = {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly adminToken: string | null;
  readonly adminTokenFile: string | null;
  readonly worlds: number;
  readonly log: string[];
};

async function up(directory: string, ...flags: readonly string[]): Promise<Up> {
  const [program = '', ...args] = wrldWords('host', directory, '--json', ...flags);
  const child = spawn(program, args, { cwd: directory, env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const log: string[] = [];
  createInterface({ input: child.stderr! }).on('line', line => log.push(line));
  const [line] = await within(
    'the host',
    once(createInterface({ input: child.stdout! }), 'line'),
    COMMAND_MS_MAX,
  );
  return { child, log, ...JSON.parse(line) };
}

async function ended({ child }: Up): Promise<number | null> {
  const [code] = await within('the host to end', once(child, 'exit'), COMMAND_MS_MAX);
  return code;
}

t.test('[4.10] the admin token is printed once; a bare world is made beside a host, and found', async t => {
  const directory = await hostDirectory(t);
  const made = await wrld(directory, 'world', 'init', '--bare', 'acme/shop', '--twins', 'stripe');
  t.match(made, { code: 0, out: /acme\/shop is made.*Token {7}tok_w_.*wrld host \./s });
  const token = /Token +(tok_w_\S+)/.exec(made.out)![1]!;
  t.match(await wrld(directory, 'world', 'init', '--bare', 'acme/shop'), {
    code: 1,
    err: /is there already/,
  });
  t.match(await wrld(directory, 'world', 'init', '--bare'), { code: 2, err: /needs the name/ });
  t.match(await wrld(directory, 'world', 'init', '--bare', 'acme/worlds'), { code: 2, err: /“worlds”/ });
  const first = await up(directory, '--shards', '0');
  t.match(first, { adminToken: /^tok_a_/, worlds: 1 });
  t.equal(readFileSync(join(directory, '.wrld-host', 'admin-token'), 'utf8'), `${first.adminToken}\n`);
  t.match(await wrld(directory, 'host', '.'), {
    code: 1,
    err: new RegExp(`has a host already, process ${first.child.pid}`),
  });
  t.match(await askHost(first, 'GET', '/-/acme/shop/map', { token }), { status: 200 });
  first.child.kill('SIGTERM');
  t.equal(await ended(first), 0);
  const logged = first.log.map(line => JSON.parse(line));
  t.match(logged.at(0), { msg: 'the host is up', worlds: 1 });
  t.ok(
    logged.some(({ world }) => world === 'acme/shop'),
    'a line says which world it is of',
  );
  t.notMatch(first.log.join('\n'), /tok_[a-z]_/, 'no token reaches the log');
  const second = await up(directory, '--shards', '1');
  t.equal(second.adminToken, null);
  t.equal(second.adminTokenFile, join(directory, '.wrld-host', 'admin-token'));
  second.child.kill('SIGTERM');
  t.equal(await ended(second), 0);
});

t.test('[4.10] who starts a host on a terminal is shown how far it is with the directory', async t => {
  const directory = await hostDirectory(t);
  for (const world of ['shop', 'desk', 'till']) await bareWorld(directory, `acme/${world}`);
  for (const shards of ['0', '2']) {
    const [program = '', ...args] = wordsOnTerminal('host', directory, '--shards', shards, '--json');
    const child = spawn(program, args, {
      cwd: directory,
      env: cleanEnv(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    const said = text(child.stderr);
    await within('the host', once(createInterface({ input: child.stdout }), 'line'), COMMAND_MS_MAX);
    child.kill('SIGTERM');
    await within('the host to end', once(child, 'exit'), COMMAND_MS_MAX);
    const shown = shownIn(await said);
    t.match(shown.at(-2), /^Opening {2}3\/3 worlds {2}\//);
    t.equal(shown.at(-1), '', 'it is taken away when the host is up');
    t.ok(
      shown.slice(0, -1).every(line => /^Opening {2}[0-3]\/[1-3] worlds/.test(line)),
      shown.join(),
    );
  }
});

t.test('a host that is told to end answers what it has been asked', async t => {
  const directory = await hostDirectory(t);
  const made = await wrld(directory, 'world', 'init', '--bare', 'acme/shop', '--twins', 'stripe');
  const token = /Token +(tok_w_\S+)/.exec(made.out)![1]!;
  const host = await up(directory);
  const outgoing = request(`${host.baseUrl}/acme/shop/stripe/v1/customers`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '17',
      expect: '100-continue',
    },
  });
  outgoing.flushHeaders();
  // It has been let in, and its body is still to come.
  await within('the host to ask for the body', once(outgoing, 'continue'), COMMAND_MS_MAX);
  host.child.kill('SIGTERM');
  const refused = async (): Promise<void> => {
    for (;;) {
      const probe = request(`${host.baseUrl}/-/ping`, { agent: false }).end();
      const answered = await Promise.race([
        once(probe, 'response').then(([response]) => (response as IncomingMessage).resume()),
        once(probe, 'error').then(() => null),
      ]).catch(() => null);
      if (answered === null) return;
    }
  };
  await within('nobody else to be let in', refused());
  outgoing.end('email=a@acme.test');
  const [response] = (await within('the answer', once(outgoing, 'response'))) as [IncomingMessage];
  t.equal(response.statusCode, 200);
  t.match(await text(response), /a@acme\.test/);
  t.equal(await ended(host), 0);
  const again = await up(directory, '--shards', '0');
  const kept = await askHost(again, 'GET', '/acme/shop/stripe/v1/customers', { token });
  t.match(kept, { status: 200, json: { data: [{ email: 'a@acme.test' }] } });
  again.child.kill('SIGTERM');
  await ended(again);
});

t.test('what the command cannot do is said', async t => {
  const directory = await hostDirectory(t);
  for (const [args, err] of [
    [[], /which directory/],
    [['.', '--port', 'x'], /--port takes/],
    [['.', '--host', 'example.com'], /--host takes an address/],
    [['.', '--url', 'https://worlds.example.com/path'], /--url takes/],
    [['.', '--url', 'worlds.example.com'], /--url takes/],
    [['.', '--budget', '0'], /--budget takes/],
    [['.', '--shards', '65'], /--shards takes a number of processes up to 64/],
    [['.', '--shards=-1'], /--shards takes/],
  ] as const)
    t.match(await wrld(directory, 'host', ...args), { code: 2, err });
  t.match(await wrld(directory, 'host', '.', '--suffix', 'example.com'), {
    code: 1,
    err: /is no suffix: a dot/,
  });
});
