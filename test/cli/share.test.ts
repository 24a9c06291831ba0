// A world as a sidecar, as compose has it: two groups of processes that share a network in which nobody but the world is
// there, and one folder. What the app knows of the world is what that folder says.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { command, openWorlds, startWords, wrld, wrldWords } from '../kit/command-line.ts';
import { AS_OTHER, cannotContain, noOtherUser } from '../kit/contained.ts';
import { within } from '../kit/deadline.ts';

const skip = await cannotContain();
const worlds = await openWorlds();
t.teardown(worlds.remove);
const root = process.getuid!() === 0;

/** A network with its own loopback and nothing else, for as long as it is not disposed of. */
async function openNetwork(): Promise<
  AsyncDisposable & { words(words: readonly string[], folder: string): readonly string[] }
> {
  const words = ['--net', '--mount', 'sh', '-c', 'ip link set lo up && echo up && exec cat'];
  const child = spawn('unshare', [...(root ? [] : ['--user', '--map-root-user']), ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await within('the network', once(child.stdout, 'data'));
  const join = [`--target=${child.pid}`, ...(root ? [] : ['--user', '--preserve-credentials'])];
  return {
    words: (asked, folder) => [
      ...['nsenter', ...join, '--net', '--mount', '--', 'sh', '-c', 'cd "$0" && exec "$@"', folder],
      ...asked,
    ],
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'exit');
      child.stdin.end();
      await gone;
    },
  };
}

t.test('[4.2] a program beside a world has all of it from the volume', { skip }, async t => {
  const folder = await worlds.make('sidecar');
  const app = await worlds.make('app');
  const volume = join(folder, 'volume');
  await using network = await openNetwork();
  const ready = (): Promise<boolean> =>
    access(join(volume, 'ready')).then(
      () => true,
      () => false,
    );
  const up = wrldWords('world', 'up', '--share', 'volume', '--json');
  await using world = await startWords(folder, network.words(up, folder));
  t.ok(await ready(), 'the health check’s file is there once the world is up');
  await command(['chmod', 'o+x', worlds.root, folder], folder);

  const other = root && (await noOtherUser()) === false;
  const as = other ? AS_OTHER : [];
  const inside = (env: readonly string[], ...words: readonly string[]) => {
    const clean = ['env', '-i', `PATH=${process.env['PATH']}`, ...env, ...words];
    return command(network.words([...as, ...clean], app), app);
  };
  const run = join(volume, 'run');
  const stripe = ['-sS', '-m', '10', '-u', 'sk_test_x:', 'https://api.stripe.com/v1/customers'];
  const curl = await inside([], run, 'curl', ...stripe);
  t.match(curl.out, /"url": "\/v1\/customers"/, curl.err);
  const refused = await inside([], run, 'curl', '-sS', '-m', '10', 'https://example.com/');
  t.match(refused.out, /"rule":"not-granted"/, refused.err);

  const script = `fetch('https://example.com/').catch(error => console.log(error.worldRefusal?.rule, process.env.NODE_OPTIONS))`;
  const node = await inside(['NODE_OPTIONS=--no-warnings'], run, process.execPath, '-e', script);
  t.match(node.out, /^not-granted --require .*volume\/attach\/register\.cjs"? --no-warnings\n$/, node.err);

  const past = await inside([], 'curl', '-sS', '-m', '10', '--noproxy', '*', 'https://192.0.2.7/');
  t.equal(past.code, 7, 'who asks past the world reaches nobody');
  const env = await readFile(join(volume, 'env'), 'utf8');
  const elsewhere = env.split('\n').filter(line => /='?\/(?!.*volume)/.test(line));
  t.strictSame(elsewhere, [], 'every file that is named is on the volume');

  await world[Symbol.asyncDispose]();
  t.notOk(await ready(), 'and gone with the world');
});

t.test('[7.2] a volume that cannot be written is told with what to do', async t => {
  const folder = await worlds.make('not-a-folder');
  const ended = await wrld(folder, 'world', 'up', '--share', join('.wrld', 'world.json'));
  t.equal(ended.code, 1);
  t.match(
    ended.err,
    /--share .*world\.json cannot be filled \(E\w+\); give a folder that this user may write/,
  );
});
