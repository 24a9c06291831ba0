// Which programs are browsers, and the words that put one into a world; real ones are opened by test/browser/launch.suite.ts.
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import t from 'tap';
import { browserKind, chromiumArgs, findBrowser, launchOf } from '../../cli/browser.ts';

const scratch = await mkdtemp(join(tmpdir(), 'wrld-launch-'));
t.teardown(() => rm(scratch, { recursive: true, force: true }));
const caFile = join(scratch, 'ca.crt');
const proxy = { host: '127.0.0.1', port: 4001 };

t.test('browsers are known by the name of their file', async t => {
  for (const [program, kind] of [
    ['chromium', 'chromium'],
    ['/usr/bin/google-chrome-stable', 'chromium'],
    ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', 'chromium'],
    ['C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe', 'chromium'],
    ['firefox-esr', 'firefox'],
    ['/opt/firefox/firefox', 'firefox'],
    ['node', null],
    ['chromium-launcher.sh', null],
  ] as const)
    t.equal(browserKind(program), kind, program);
});

t.test('the first of those that are on the path is found', async t => {
  const folders = [join(scratch, 'one'), join(scratch, 'two')];
  for (const folder of folders) await mkdir(folder);
  await writeFile(join(folders[0]!, 'firefox'), '');
  await writeFile(join(folders[1]!, 'chromium'), '');
  await chmod(join(folders[1]!, 'chromium'), 0o755);
  t.equal(findBrowser(folders.join(delimiter)), join(folders[1]!, 'chromium'));
});

t.test('a Chromium gets a profile of its own, unless it names one, and the profile goes', async t => {
  let profile = '';
  {
    await using launch = await launchOf('chromium', ['chromium', 'https://a.test/'], { caFile, proxy });
    if (!launch.ok) throw new Error(launch.why);
    profile = launch.command[1]!.replace('--user-data-dir=', '');
    t.ok(existsSync(profile));
    t.equal(launch.command.at(-1), 'https://a.test/');
    t.ok(launch.command.includes('--proxy-server=http://127.0.0.1:4001'));
    t.equal(launch.command.includes('--no-sandbox'), process.getuid?.() === 0);
  }
  t.notOk(existsSync(profile));
  await using own = await launchOf('chromium', ['chromium', '--user-data-dir=/p'], { caFile, proxy: null });
  if (!own.ok) throw new Error(own.why);
  t.strictSame(
    own.command.filter(word => word.startsWith('--user-data-dir')),
    ['--user-data-dir=/p'],
  );
  t.ok(own.command.includes('--no-proxy-server'), 'where every connection arrives at the world anyway');
});

t.test('the switches are the same for every start in a world', async t => {
  t.strictSame(await chromiumArgs(caFile, proxy), await chromiumArgs(caFile, proxy));
});
