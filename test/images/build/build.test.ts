// An image made of its build file, with a program in the place of each RUN's: what is made in which order, what of it was made
// before, and what no image has.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { buildImage, type StepPlace } from '../../../images/build/build.ts';
import { readBuildFile, stageOf } from '../../../images/build-file.ts';
import { readIgnoreFile } from '../../../images/ignore-file.ts';
import type { RunStep } from '../../../images/makes.ts';

type Does = (step: RunStep, place: StepPlace) => string | null;

/** A folder to build in, with a cache of its own. `does` writes to `into`, as a program that ended well would have. */
function builder(t: Test, files: NonNullable<Parameters<Test['testdir']>[0]>) {
  const top = realpathSync(t.testdir({ context: files, cache: {} }));
  const context = join(top, 'context');
  const ran: string[] = [];
  const build = async (
    text: string,
    does: Does = () => null,
    more: { again?: boolean; ignore?: string } = {},
  ) => {
    ran.length = 0;
    const file = readBuildFile(text, { file: 'Dockerfile' });
    const ignore = more.ignore === undefined ? null : readIgnoreFile(more.ignore, '.dockerignore');
    return await buildImage({
      build: { context, file: 'Dockerfile', stages: file.stages, ignore },
      makes: stageOf(file, null)!.makes,
      ...{ cache: join(top, 'cache'), system: [], realPath: realpathSync },
      ...{ again: more.again ?? false, hidden: [join(context, '.wrld')] },
      tell: ({ text }, isNew) => void ran.push(`${isNew ? 'new' : 'old'} ${text}`),
      runStep: async (step, place) => does(step, place),
    });
  };
  return { context, ran, build };
}

const appends =
  (name: string): Does =>
  ({ text }, { tree, into }) => {
    const before = existsSync(join(tree, name)) ? readFileSync(join(tree, name), 'utf8') : '';
    rmSync(join(into, name), { force: true });
    writeFileSync(join(into, name), `${before}${text}\n`);
    return null;
  };

t.test('instructions in their order, each on what was made before it', async t => {
  const { build, ran, context } = builder(t, { 'package.json': 'one', src: { 'a.txt': 'a' } });
  const text = 'FROM a\nWORKDIR /app\nCOPY package.json ./\nRUN install\nCOPY . .\nRUN make it\n';
  const first = await build(text, appends('log'));
  if (!first.ok) throw new Error(first.why);
  t.equal(readFileSync(join(first.tree, 'log'), 'utf8'), 'install\nmake it\n');
  t.equal(readFileSync(join(first.tree, 'app/src/a.txt'), 'utf8'), 'a');
  t.strictSame(ran, ['new install', 'new make it']);

  t.strictSame(await build(text, appends('log')), first, 'made before');
  t.strictSame(ran, ['old install', 'old make it']);

  writeFileSync(join(context, 'src/a.txt'), 'b');
  const second = await build(text, appends('log'));
  if (!second.ok) throw new Error(second.why);
  t.strictSame(ran, ['old install', 'new make it'], 'only what came of the change');
  t.equal(readFileSync(join(second.tree, 'app/src/a.txt'), 'utf8'), 'b');
  t.equal(readFileSync(join(first.tree, 'app/src/a.txt'), 'utf8'), 'a', 'what was made is not written to');

  await build(text, appends('log'), { again: true });
  t.strictSame(ran, ['new install', 'new make it']);
});

t.test('another stage is made where files are asked for of it, and only there', async t => {
  const { build, ran } = builder(t, { 'a.txt': 'a' });
  const text =
    'FROM x AS one\nRUN first\nFROM x AS never\nRUN not this\nFROM x\nCOPY --from=one /out /app/\nRUN --mount=from=one,source=/out/made,target=/m last\n';
  const seen: StepPlace['mounts'][] = [];
  const built = await build(text, ({ text }, { into, mounts }) => {
    seen.push(mounts);
    if (text === 'first') {
      mkdirSync(join(into, 'out'));
      writeFileSync(join(into, 'out/made'), 'made');
      symlinkSync('/etc', join(into, 'out/away'));
      symlinkSync('made', join(into, 'out/link'));
    }
    return null;
  });
  if (!built.ok) throw new Error(built.why);
  t.strictSame(ran, ['new first', 'new last']);
  t.equal(readFileSync(join(built.tree, 'app/link'), 'utf8'), 'made');
  t.match(seen[1], [{ from: /\/out\/made$/, at: '/m', readOnly: true }]);
  const away = await build('FROM x AS one\nRUN first\nFROM x\nCOPY --from=one /out/away/passwd /p\n');
  t.match(
    away,
    { ok: true, notes: [{ what: /nothing here is/ }] },
    'a link of an image’s leads nowhere else',
  );
});

t.test('what fails says its line, and is not taken for made', async t => {
  const { build, ran } = builder(t, { 'a.txt': 'a', b: {} });
  const text = 'FROM a\nRUN one\nRUN two\n';
  t.strictSame(await build(text, ({ text }) => (text === 'two' ? 'ended with 3' : null)), {
    ok: false,
    why: 'Dockerfile:3: RUN ended with 3: two',
  });
  t.match(await build(text), { ok: true });
  t.strictSame(ran, ['old one', 'new two']);
  t.match(await build('FROM a\nCOPY b /x\nCOPY a.txt /x\n'), {
    why: 'Dockerfile:3: /x is a folder already, where a file is copied to',
  });
  t.match(await build('FROM a\nRUN --mount=source=none,target=/x one\n'), {
    why: 'Dockerfile:2: nothing here is none',
  });
});

t.test('what is ignored and what is the world’s own is in no image, made or not', async t => {
  const { build } = builder(t, {
    '.wrld': { token: 'secret' },
    'a.txt': 'a',
    node_modules: { 'x.js': '' },
    '.env': 'KEY=x',
  });
  const built = await build('FROM a\nCOPY . /app\nCOPY .wrld/token /t\nCOPY .wrld /w\nRUN x\n', undefined, {
    ignore: 'node_modules\n.env\n',
  });
  if (!built.ok) throw new Error(built.why);
  for (const name of ['app/.wrld', 'app/node_modules', 'app/.env', 't', 'w'])
    t.notOk(existsSync(join(built.tree, name)), name);
  t.equal(statSync(join(built.tree, 'app/a.txt')).size, 1);
});
