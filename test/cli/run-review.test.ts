// `wrld world run --branch new --cut`: real processes in a branch that is made for them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openSink } from '../../cli/sink.ts';
import { cleanEnv, openWorlds, startUp, wrld, wrldWords } from '../kit/command-line.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);

/** Two calls, the second one about what the first one made; then an exit code of its own. */
const SCRIPT = `
id=$(curl -sf https://api.stripe.com/v1/products -u sk_test_x: -d name=Gold | sed -n 's/.*"id": *"\\(prod_[A-Za-z0-9]*\\)".*/\\1/p')
curl -sf https://api.stripe.com/v1/prices -u sk_test_x: -d product=$id -d currency=usd -d unit_amount=2000 >/dev/null
echo made; exit 7`;

const branchIn = (text: string): string => /the branch (\S+) stays/.exec(text)![1]!;

t.test(
  '[2.6] in a world that is up: a branch, a changeset, a report; the world itself is as it was',
  async t => {
    const folder = await worlds.make('agents');
    await using _world = await startUp(folder);
    const run = await wrld(
      folder,
      ...['world', 'run', '--branch', 'new', '--ttl', '1h', '--cut', 'Gold plan'],
      ...['--report', 'report.md', '--json', 'run.json', '--', 'sh', '-c', SCRIPT],
    );
    t.equal(run.code, 7, 'the exit code is the command’s own');
    t.equal(run.out, 'made\n', 'and so is its output');
    t.match(run.err, /wrld: cut change-[0-9a-f]{8}: 2 entries\n/);
    t.match(run.err, 'a deploy of it would ask 2 things of stripe; nothing is deployed:');
    t.match(
      run.err,
      /a1 {2}stripe: create product “Gold” {2}POST \/v1\/products\n {6}(?:skipped.*\n {6})?name: Gold\n/,
    );
    t.match(run.err, /a2 {2}stripe: create price {2}POST \/v1\/prices\n/);
    t.match(run.err, /product: \{product prod_\w+\}/);
    t.notMatch(run.err, 'verif', 'a world without checks says nothing of them');
    const branch = branchIn(run.err);
    t.match(branch, /^shop-run-[0-9a-f]{4}$/);

    t.match(await readFile(join(folder, 'report.md'), 'utf8'), /<b>created<\/b> product “Gold”/);
    const told = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8'));
    t.match(told, {
      branch,
      code: 7,
      refused: 0,
      run: /^run-/,
      changeset: { message: 'Gold plan', entries: 2 },
      report: { entries: 2, actions: [{ method: 'POST' }, { dependsOn: ['a1'] }] },
      problems: [],
    });

    t.match(JSON.parse((await wrld(folder, 'world', 'diff', '--json')).out), { changes: [] });
    t.match(JSON.parse((await wrld(folder, 'world', 'branch', '--json')).out), {
      branches: [{ name: `acme/${branch}`, expiresAt: /Z$/ }],
    });

    await t.test('joined again: only what is new is cut, and nothing is nothing', async t => {
      const again = await wrld(
        folder,
        ...['world', 'run', '--branch', branch, '--cut', 'again', '--', 'curl', '-sfo', '/dev/null'],
        ...['https://api.stripe.com/v1/customers', '-u', 'sk_test_x:', '-d', 'name=Ann'],
      );
      t.match(again, { code: 0, out: '', err: /1 entry\n(?:.*\n)*.*create customer “Ann”/ });
      const none = await wrld(folder, 'world', 'run', '--branch', branch, '--cut', 'none', '--', 'true');
      t.match(none, { code: 0, err: /nothing was changed: there is no changeset/ });
      const report = await wrld(folder, 'world', 'report', '--branch', branch, '--since', 'run');
      t.match(report, { code: 0, out: /Nothing happened/ });
      const whole = await wrld(folder, 'world', 'report', '--branch', branch, '--format', 'json');
      t.match(JSON.parse(whole.out), { branchOf: 'acme/shop', entries: 3 });
    });

    await t.test('the document on a descriptor of choice', async t => {
      const words = wrldWords('world', 'run', '--branch', 'new', '--json', '3', '--', 'true');
      const child = spawn(words[0]!, words.slice(1), {
        cwd: folder,
        env: cleanEnv(),
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      });
      let text = '';
      child.stdio[3]!.on('data', data => (text += data));
      t.strictSame(await once(child, 'close'), [0, null]);
      t.match(JSON.parse(text), { branch: /^shop-run-/, changeset: null, report: { entries: 0 } });
    });
  },
);

t.test('[2.12] where no world is up one is started, and the branch is there when it is up again', async t => {
  const folder = await worlds.make('own');
  const run = await wrld(
    folder,
    'world',
    'run',
    '--branch',
    'new',
    '--cut',
    'Gold',
    '--',
    'sh',
    '-c',
    SCRIPT,
  );
  t.equal(run.code, 7);
  const branch = branchIn(run.err);
  t.match(await wrld(folder, 'world', 'run', '--branch', branch, '--', 'sh', '-c', 'exit 5'), { code: 5 });
  await using _world = await startUp(folder);
  t.match(JSON.parse((await wrld(folder, 'world', 'changeset', '--branch', branch, '--json')).out), {
    changesets: [{ message: 'Gold', entries: 2 }],
  });
});

t.test('what cannot be is said before the command begins', async t => {
  const folder = await worlds.make('wrong');
  for (const [args, says] of [
    [['--cut', 'x'], /--cut is for a branch/],
    [['--ttl', '1h'], /--branch new --ttl 1h/],
    [['--branch', 'new', '--ttl', 'soon'], /--ttl takes/],
    [
      ['--branch', 'new', '--json', 'no/such/folder/x'],
      /--json: no\/such\/folder\/x cannot be written \(ENOENT\)/,
    ],
    [['--branch', 'new', '--report', '77'], /descriptor 77 is not open/],
    [['--branch', 'new', '--fresh'], /a fresh world has no branches/],
  ] as const) {
    const ended = await wrld(folder, 'world', 'run', ...args, '--', 'echo', 'ran');
    t.match(ended, { code: 2, out: '' }, args.join(' '));
    t.match(ended.err, says);
  }
  const missing = await wrld(folder, 'world', 'run', '--branch', 'shop-x-1a2b', '--', 'echo', 'ran');
  t.match(missing, { code: 1, out: '', err: /there is no branch "shop-x-1a2b"; see: wrld world branch/ });
});

t.test('a sink writes all of it', async t => {
  const sink = openSink('whole.txt', worlds.root);
  if (typeof sink === 'string') throw new Error(sink);
  sink.write('x'.repeat(3_000_000));
  sink[Symbol.dispose]();
  t.equal((await readFile(join(worlds.root, 'whole.txt'), 'utf8')).length, 3_000_000);
});
