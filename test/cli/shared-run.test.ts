// Several `wrld world run`s at once in a folder: they share the world that the first of them started, and `--fresh` has one
// of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import t from 'tap';
import { joinRun, shareRun } from '../../cli/shared-run.ts';
import { COMMAND_MS_MAX, cleanEnv, openWorlds, wrldWords } from '../kit/command-line.ts';
import { within } from '../kit/deadline.ts';

const worlds = await openWorlds();
t.teardown(() => worlds.remove());

/** Says `ready`, does as it is told by a line of input, and ends. */
const script = (work: string): string => `echo ready; read go; ${work}`;
const CURL = 'curl -sS -u sk_test_x: https://api.stripe.com/v1/customers';

type Started = {
  readonly child: ChildProcess;
  readonly said: { out: string; err: string };
};

function start(folder: string, words: readonly string[]): Started {
  const [program = '', ...args] = wrldWords('world', 'run', ...words);
  const child = spawn(program, args, { cwd: folder, env: cleanEnv(), stdio: ['pipe', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout!.on('data', (bytes: Buffer) => (said.out += bytes));
  child.stderr!.on('data', (bytes: Buffer) => (said.err += bytes));
  return { child, said };
}

async function ready({ child, said }: Started): Promise<void> {
  while (!said.out.includes('ready'))
    await within('the command', once(child.stdout!, 'data'), COMMAND_MS_MAX);
}

async function ended({ child, said }: Started): Promise<{ code: number; out: string; err: string }> {
  child.stdin!.end('go\n');
  if (child.exitCode === null) await within('wrld to end', once(child, 'close'), COMMAND_MS_MAX);
  return { code: child.exitCode!, ...said };
}

t.test('two runs share one world, which stays until the second has ended too', async t => {
  const folder = await worlds.make('shared');
  const first = start(folder, [
    '--',
    'sh',
    '-c',
    script(`${CURL} -d email=ada@example.com >/dev/null; exit 3`),
  ]);
  await ready(first);
  const second = start(folder, ['--', 'sh', '-c', script(CURL)]);
  await ready(second);
  const firstEnds = ended(first);
  while (!/stays up for 1 more that uses it/.test(first.said.err))
    await within('a line', once(first.child.stderr!, 'data'), COMMAND_MS_MAX);
  const other = await ended(second);
  t.equal(other.code, 0, other.err);
  t.match(other.out, 'ada@example.com', 'what the first wrote');
  t.equal((await firstEnds).code, 3, 'the exit code of its own command');
});

t.test('--fresh is empty, beside a world that is up, and leaves nothing', async t => {
  const folder = await worlds.make('fresh');
  const first = start(folder, ['--', 'sh', '-c', script(':')]);
  await ready(first);
  const before = await readdir(tmpdir());
  const fresh = start(folder, ['--fresh', '--', 'sh', '-c', script(`${CURL} -d email=eve@example.com`)]);
  await ready(fresh);
  const own = await ended(fresh);
  t.match(own, { code: 0, out: /eve@example\.com/ }, own.err);
  const left = (await readdir(tmpdir())).filter(
    name => name.startsWith('wrld-fresh-') && !before.includes(name),
  );
  t.strictSame(left, []);
  const again = start(folder, ['--', 'sh', '-c', script(CURL)]);
  await ready(again);
  t.notMatch((await ended(again)).out, 'eve@example.com');
  await ended(first);
});

t.test('who comes when the world ends is told so; who is gone is not waited for', async t => {
  const run = await worlds.make('ending');
  const shared = await shareRun({ run });
  const noted = await joinRun({ run });
  await noted?.[Symbol.asyncDispose]();
  const counts: number[] = [];
  await shared.gone({ tell: count => counts.push(count), calledOff: () => false });
  t.strictSame(counts, []);
  t.equal(await joinRun({ run }), null);
});
