// COPY and ADD as files of this machine: of the context, of other stages, and never of anything beside them.
import { execFileSync } from 'node:child_process';
import { realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readBuildFile } from '../../../images/build-file.ts';
import { readIgnoreFile } from '../../../images/ignore-file.ts';
import { copiedFiles } from '../../../images/native/copies.ts';

const copied = (folder: string, text: string, ignore: string | null = null) => {
  const { stages } = readBuildFile(text, { file: 'Dockerfile' });
  const { layers, files, notes } = copiedFiles(stages.at(-1)!, {
    folder,
    stages,
    ignore: ignore === null ? null : readIgnoreFile(ignore, '.dockerignore'),
    realPath: path => realpathSync(path),
    built: null,
  });
  const short = (path: string): string => path.replace(folder, '.');
  return {
    layers: layers.map(({ from, at, without }) =>
      [short(from), at, ...(without.length === 0 ? [] : ['without', ...without.toSorted()])].join(' '),
    ),
    files: files.map(({ from, at }) => `${short(from)} ${at}`),
    notes: notes.map(({ line, what }) => `${line}: ${short(what)}`),
  };
};

t.test('files and folders of the context', t => {
  const folder = realpathSync(
    t.testdir({ 'a.txt': '', 'b.txt': '', src: { 'c.txt': '', deep: {} }, dist: {} }),
  );
  const none = { layers: [], files: [], notes: [] };
  for (const [text, expected] of [
    ['COPY a.txt /x', { files: ['./a.txt /x'] }],
    ['COPY a.txt /x/', { files: ['./a.txt /x/a.txt'] }],
    ['WORKDIR /app\nCOPY *.txt ./', { files: ['./a.txt /app/a.txt', './b.txt /app/b.txt'] }],
    ['WORKDIR /app\nCOPY a.txt .\nCOPY . .', { layers: ['. /app'] }],
    ['COPY src /app\nCOPY dist /app', { layers: ['./dist /app'] }],
    [
      'WORKDIR /app\nCOPY src ./lib\nCOPY a.txt ./',
      { layers: ['./src /app/lib'], files: ['./a.txt /app/a.txt'] },
    ],
    ['COPY ../../../etc/passwd /x', { notes: ['2: nothing here is ../../../etc/passwd'] }],
    ['COPY no /x', { notes: ['2: nothing here is no'] }],
  ] as const)
    t.strictSame(copied(folder, `FROM a\n${text}`), { ...none, ...expected }, text);
  t.end();
});

t.test('files of other stages are those of the context, with what RUN made there', t => {
  const folder = realpathSync(t.testdir({ 'a.txt': '', dist: { 'x.js': '' } }));
  const build = 'FROM a AS build\nWORKDIR /src\nCOPY . .\nRUN make\n';
  t.strictSame(
    copied(folder, `${build}FROM b\nCOPY --from=build /src/dist /app\nCOPY --from=0 /src/a.txt /usr/local/a`),
    {
      layers: ['./dist /app'],
      files: ['./a.txt /usr/local/a'],
      notes: [],
    },
  );
  t.strictSame(copied(folder, `${build}FROM b\nCOPY --from=build /out/app /app`).notes, [
    '6: nothing here is /out/app',
  ]);
  t.end();
});

t.test('a pipe is not waited for', t => {
  const folder = realpathSync(t.testdir({}));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  t.strictSame(copied(folder, 'FROM a\nCOPY pipe /x\nADD p* /y/'), {
    layers: [],
    files: [],
    notes: ['2: ./pipe is neither a file nor a folder', '3: ./pipe is neither a file nor a folder'],
  });
  t.end();
});

t.test('a link that leads out of the context is not followed', t => {
  const folder = realpathSync(t.testdir({ in: {}, own: '' }));
  symlinkSync('/etc', join(folder, 'out'));
  symlinkSync('own', join(folder, 'link'));
  symlinkSync('loop', join(folder, 'in', 'loop'));
  const { layers, files, notes } = copied(
    folder,
    'FROM a\nCOPY out /x\nCOPY out/passwd /y\nCOPY link /z\nCOPY in /in',
  );
  t.strictSame({ layers, files }, { layers: ['./in /in'], files: ['./own /z'] });
  t.strictSame(notes, [
    '2: ./out leads out of the build context',
    '3: ./out/passwd leads out of the build context',
  ]);
  t.end();
});

t.test('[bad-input] what .dockerignore names is not there, but for the folders that RUN makes', t => {
  const folder = realpathSync(
    t.testdir({
      '.env': '',
      'a.txt': '',
      'b.log': '',
      '.git': { HEAD: '' },
      node_modules: { x: { 'x.log': '' } },
      lib: { 'c.log': '', deep: { '.env': '', 'd.txt': '' } },
      keep: { 'e.txt': '', 'f.txt': '' },
    }),
  );
  const ignore = '# not here\n.git\n**/.env\n*.log\nnode_modules\nkeep\n!keep/f.txt\n';
  const none = { layers: [], files: [], notes: [] };
  const rest = '.env .git b.log';
  for (const [text, expected] of [
    ['COPY . /a', { layers: [`. /a without ${rest} keep/e.txt lib/deep/.env node_modules`] }],
    // `keep` is ignored by its name: what is in it may be made.
    ['COPY . /a\nRUN make', { layers: [`. /a without ${rest} lib/deep/.env`] }],
    ['COPY lib /a', { layers: ['./lib /a without deep/.env'] }],
    ['COPY keep /a', { layers: ['./keep /a without e.txt'] }],
    ['COPY a.txt *.log /a/', { files: ['./a.txt /a/a.txt'] }],
    ['COPY .env /a', { notes: ['2: nothing here is .env'] }],
    ['COPY node_modules /a\nRUN make', { notes: ['2: nothing here is node_modules'] }],
    ['COPY keep/f.txt /a', { files: ['./keep/f.txt /a'] }],
  ] as const)
    t.strictSame(copied(folder, `FROM a\n${text}`, ignore), { ...none, ...expected }, text);
  const from = 'FROM b\nCOPY --from=x /s/node_modules /n\nCOPY --from=x /s/.env /e';
  t.strictSame(copied(folder, `FROM a AS x\nCOPY . /s\nRUN make\n${from}`, ignore).layers, [
    './node_modules /n',
  ]);
  t.strictSame(copied(folder, `FROM a AS x\nCOPY . /s\n${from}`, ignore), {
    ...none,
    notes: ['4: nothing here is /s/node_modules', '5: nothing here is /s/.env'],
  });
  t.end();
});
