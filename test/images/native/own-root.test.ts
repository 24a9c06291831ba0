import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { MEMORY_BYTES_MAX, PROCESSES_MAX, ROOT_BYTES_MAX } from '../../../images/limits.ts';
import type { RootPlan } from '../../../images/native/messages.ts';
import { openSandbox } from '../../../images/native/sandbox.ts';
import { cannotRunNatively, copyProgram } from '../../kit/native.ts';

const skip = await cannotRunNatively();

async function run(base: string, words: readonly string[], more: Partial<RootPlan> = {}): Promise<string> {
  const told: string[] = [];
  const opened = await openSandbox({
    ...{ env: process.env, labelled: true, bytesMax: ROOT_BYTES_MAX, tell: line => told.push(line) },
    ...{ heard: () => {}, dial: () => {} },
  });
  if (!opened.ok) throw new Error(opened.why);
  await using sandbox = opened.sandbox;
  const said = Promise.all([text(sandbox.output.out), text(sandbox.output.err)]);
  const end = await sandbox.run({
    ...{ words, env: { PATH: '/app', KEY: 'value' } },
    root: {
      ...{ base, made: null },
      ...{ layers: [], files: [], volumes: [], mounts: [], provided: [], bundle: null, system: [] },
      ...{ hidden: [], hosts: [], workingFolder: '/app', hostname: 'own' },
      ...{ user: { name: 'user', uid: 1234, gid: 1235, home: '/' }, ...more },
    },
    limits: { processes: PROCESSES_MAX, memory: MEMORY_BYTES_MAX },
    ...{ proxySocket: '/none', credentials: 'none:none', worldAddress: '127.0.0.1', proxyPort: 4001 },
    ...{ worldPorts: [], directPorts: [], leads: [], saves: null },
  });
  if (!end.ok) throw new Error(end.why);
  return [...(await said), ...told, `code ${end.code}\n`].join('');
}

t.test('it has its own files and no others, in no shell’s place, and changes none', { skip }, async t => {
  const root = join(t.testdir(), 'root');
  for (const name of ['sh', 'cat', 'ls', 'id']) copyProgram(name, root);
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/own'), 'its own\n');
  const before = readdirSync(root);
  const script = `
    id -u; id -g; echo "$KEY"; cat /etc/own; cat /etc/passwd; ls /usr/bin /home/* /.old-root
    echo changed >/etc/own; cat /etc/own; echo new >/app/new; cat /app/new; ls /proc/self/fd >/dev/null && echo proc`;
  const said = await run(root, ['/app/sh', '-c', script]);
  t.match(said, /^1234\n1235\nvalue\nits own\nchanged\nnew\nproc\n/);
  t.match(said, /\/etc\/passwd: No such file/);
  for (const path of ['/usr/bin', '/home/\\*', '/.old-root'])
    t.match(said, new RegExp(`${path}'?: No such file`));
  t.match(said, /code 0\n$/);
  t.equal(readFileSync(join(root, 'etc/own'), 'utf8'), 'its own\n');
  t.strictSame(readdirSync(root), before);
  t.notOk(existsSync(join(root, 'app/new')));
});

t.test('links of the image’s where something is put lead nowhere outside of it', { skip }, async t => {
  const folder = t.testdir({ outside: { file: 'untouched' }, given: { file: 'given' } });
  const root = join(folder, 'root');
  for (const name of ['sh', 'cat', 'ls']) copyProgram(name, root);
  mkdirSync(join(root, 'etc'), { recursive: true });
  const up = '../'.repeat(20);
  const outside = join(folder, 'outside');
  symlinkSync(`${up}${outside.slice(1)}/file`, join(root, 'etc/resolv.conf'));
  symlinkSync(`${outside}/file`, join(root, 'etc/hosts'));
  for (const name of ['proc', 'dev', 'run', 'data']) symlinkSync(outside, join(root, name));
  chmodSync(join(root, 'app/cat'), 0o4755);
  const script = `cat /data/file; echo; ls -l /app/cat; cat ${outside}/file; echo x >/dev/null && echo device`;
  const said = await run(root, ['/app/sh', '-c', script], {
    mounts: [{ from: join(folder, 'given'), at: '/data', readOnly: true }],
  });
  t.match(said, /^given\n/);
  t.match(said, /device\n/);
  t.strictSame(readdirSync(outside), ['file']);
  t.equal(readFileSync(join(outside, 'file'), 'utf8'), 'untouched');
});
