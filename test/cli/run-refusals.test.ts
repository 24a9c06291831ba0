// What `wrld world run` tells of the refusals of its command: each thing once, how many in the end, and the exit code.
import t from 'tap';
import { REFUSALS_TOLD_MAX } from '../../cli/limits.ts';
import { openWorlds, startUp, wrld } from '../kit/command-line.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);

/** The command swallows whatever it is answered. */
const asks = (...urls: readonly string[]): string[] => [
  '--',
  'sh',
  '-c',
  `for url in ${urls.join(' ')}; do curl -s -o /dev/null -A 'shop/1.0 (test)' "$url"; done`,
];

t.test(
  '[7.1] each thing is told once, with who asked, rule, fix and link, and the exit code is the own one',
  async t => {
    const folder = await worlds.make('own');
    const ended = await wrld(
      folder,
      'world',
      'run',
      ...asks(
        'https://a.test/x?page=1',
        'https://a.test/x?page=2',
        'https://b.test/',
        'https://api.stripe.com/nope',
      ),
    );
    t.equal(ended.code, 0);
    const lines = ended.err.trim().split('\n');
    t.match(lines, [
      /^wrld: refused to shop\/1\.0 \[not-granted\]: GET https:\/\/a\.test\/x\S* is not granted.* \(missing: grant; fix: http:\/\/127\.0\.0\.1:\d+\/reference\/refusals#not-granted\)$/,
      /^wrld: refused to shop\/1\.0 \[not-granted\]: GET https:\/\/b\.test\/ /,
      /^wrld: refused to shop\/1\.0 \[unclaimed-path\]: GET https:\/\/api\.stripe\.com\/nope .* \(missing: twin; fix: /,
      /^wrld: 4 requests were refused \(3 kinds\)\. What may leave stands in \.wrld\/world\.json, under runtime\.network\.$/,
    ]);
    t.equal(lines.length, 4);
  },
);

t.test('of very many kinds the first are told, and all are counted', async t => {
  const folder = await worlds.make('many');
  const many = `for n in $(seq 60); do curl -s -o /dev/null "https://a.test/$n"; done`;
  const ended = await wrld(folder, 'world', 'run', '--', 'sh', '-c', many);
  const lines = ended.err.trim().split('\n');
  t.equal(lines.length, REFUSALS_TOLD_MAX + 1);
  t.match(
    lines.at(-1),
    `wrld: 60 requests were refused (the first ${REFUSALS_TOLD_MAX} kinds are told above).`,
  );
});

t.test('--fail-on-refusal turns a content command into 3, and leaves another’s own code', async t => {
  const folder = await worlds.make('failing');
  const run = (...words: string[]) => wrld(folder, 'world', 'run', ...words);
  t.match(await run('--fail-on-refusal', '--quiet', ...asks('https://a.test/')), { code: 3, err: '' });
  t.match(await run('--fail-on-refusal', ...asks('https://api.stripe.com/v1/customers')), {
    code: 0,
    err: '',
  });
  const own = await run(
    '--fail-on-refusal',
    '--',
    'sh',
    '-c',
    'curl -s -o /dev/null https://a.test/; exit 7',
  );
  t.equal(own.code, 7);
  t.match(own.err, /wrld: 1 request was refused\./);
});

t.test('in a world that is up, a run tells its own refusals and no other’s, and ends', async t => {
  const folder = await worlds.make('up');
  await using _up = await startUp(folder);
  const run = (...words: string[]) => wrld(folder, 'world', 'run', ...words);
  const [first, second] = await Promise.all([
    run(...asks('https://a.test/')),
    run(...asks('https://b.test/')),
  ]);
  t.match(first.err, /a\.test/);
  t.notMatch(first.err, /b\.test/);
  t.match(second.err, /b\.test/);
  t.notMatch(second.err, /a\.test/);
  const made = await wrld(folder, 'world', 'branch', 'make', '--label', 'side', '--json');
  const { name } = JSON.parse(made.out) as { name: string };
  t.match(
    (await run('--branch', name, ...asks('https://c.test/'))).err,
    /c\.test[\s\S]*1 request was refused/,
  );
});
