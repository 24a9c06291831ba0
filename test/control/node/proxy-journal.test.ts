// The proxy's journal as control reads it: what is new in the file, whoever set it aside meanwhile.
import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ProxyJournal } from '../../../control/node/proxy-journal.ts';

const START = Date.UTC(2026, 2, 10, 10);

/** A line as proxy/journal.ts writes it. */
const line = (n: number, more: object = {}): string =>
  `${JSON.stringify({
    ...{
      level: 30,
      time: START + n * 1000,
      name: 'proxy',
      run: 'default',
      scheme: 'http',
      host: 'rates.test',
    },
    ...{ path: `/r/${n}`, transport: 'http1', method: 'GET', decision: 'egress', status: 200, ms: 1.5 },
    ...more,
    msg: 'request',
  })}\n`;

const fileOf = async (t: Test): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-journal-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'proxy.log');
};

t.test('[6] requests that went out or were refused are told, and those to twins are not', async t => {
  const file = await fileOf(t);
  const journal = new ProxyJournal(file);
  t.strictSame((await journal.look()).lines, [], 'before there is a file');
  await writeFile(
    file,
    [
      line(1),
      line(2, { decision: 'twin', vendor: 'stripe' }),
      line(3, { decision: 'refuse', rule: 'not-granted', status: 502 }),
      line(4, { decision: 'world' }),
      line(5, { decision: 'unjudged', method: undefined, status: 0 }),
      `${JSON.stringify({ level: 30, time: START, decision: 'egress', msg: 'listening' })}\n`,
      'no line at all\n',
      JSON.stringify({
        time: START + 6000,
        run: 'ci',
        method: 'CONNECT',
        host: 'db.test',
        port: 5432,
      }).replace('}', ',"transport":"raw","decision":"refuse","rule":"raw-socket-app","msg":"tunnel"}\n'),
    ].join(''),
  );
  const { lines, minutes, since } = await journal.look();
  t.match(lines, [
    {
      at: START + 1000,
      outcome: 'granted',
      run: 'default',
      method: 'GET',
      host: 'rates.test',
      path: '/r/1',
      ms: 1.5,
    },
    { outcome: 'refused', rule: 'not-granted', status: 502 },
    {
      outcome: 'refused',
      run: 'ci',
      method: 'CONNECT',
      host: 'db.test:5432',
      path: null,
      ms: null,
      status: 0,
    },
  ]);
  t.equal(lines.length, 3);
  t.equal(since, START + 1000);
  t.match([...minutes], [[START, { granted: 1, refused: 2 }]]);
});

t.test('[6] a line is told once it is whole, and once', async t => {
  const file = await fileOf(t);
  const journal = new ProxyJournal(file);
  const paths = async () => (await journal.look()).lines.map(({ path }) => path);
  const second = line(2, { path: '/ü' });
  const cut = Buffer.from(second).indexOf('ü') + 1;
  await writeFile(file, line(1));
  await appendFile(file, Buffer.from(second).subarray(0, cut));
  t.strictSame(await paths(), ['/r/1']);
  t.strictSame(await paths(), ['/r/1']);
  await appendFile(file, Buffer.from(second).subarray(cut));
  const both = Promise.all([paths(), paths()]);
  t.strictSame(
    await both,
    [
      ['/r/1', '/ü'],
      ['/r/1', '/ü'],
    ],
    'two who look at once',
  );
});

t.test('[6] a file that is set aside is read to its end, and the next from its beginning', async t => {
  const file = await fileOf(t);
  const journal = new ProxyJournal(file);
  const paths = async () => (await journal.look()).lines.map(({ path }) => path);
  await writeFile(file, line(1));
  t.strictSame(await paths(), ['/r/1']);
  await appendFile(file, line(2));
  await rename(file, `${file}.1`);
  await writeFile(file, line(3));
  t.strictSame(await paths(), ['/r/1', '/r/2', '/r/3']);
  // Kept elsewhere, so that no other file gets its number.
  await rename(file, `${file}.2`);
  t.strictSame(await paths(), ['/r/1', '/r/2', '/r/3'], 'somebody took it away');
  await writeFile(`${file}.1`, line(8));
  await writeFile(`${file}.new`, line(9));
  await rename(`${file}.new`, file);
  t.strictSame(await paths(), ['/r/9'], 'what lay between is not there: nothing is told as if it were all');
});

t.test('[6] no more is read at once than its bound, and it is said from when on all is counted', async t => {
  const file = await fileOf(t);
  const some = line(1).length * 4;
  const journal = new ProxyJournal(file, some);
  await writeFile(file, Array.from({ length: 9 }, (_, n) => line(n)).join(''));
  const { lines, since } = await journal.look();
  t.strictSame(
    lines.map(({ path }) => path),
    ['/r/6', '/r/7', '/r/8'],
  );
  t.equal(since, START + 6000);
  const { seq } = lines.at(-1)!;
  await appendFile(file, line(9));
  t.ok((await journal.look()).lines.at(-1)!.seq > seq, 'and numbers grow');
});
