// `wrld world import` and `push-to` as a person has them: files, the folder of a world, and calls that are wrong.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { wrld, wrldShown } from '../../kit/command-line.ts';
import { askHost, bareWorld, hostDirectory, startHostQuietly } from '../../kit/many-worlds.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

t.test('[4.10] an archive as a file, and a backup, become the world of a folder', async t => {
  const directory = await hostDirectory(t);
  const elsewhere = await hostDirectory(t);
  const { token } = await bareWorld(directory, 'acme/shop');
  const own = join(directory, 'acme/shop');
  const backup = join(elsewhere, 'shop.backup');
  let archive = '';
  {
    await using host = await startHostQuietly(directory);
    const make = (email: string) =>
      askHost(host, 'POST', '/acme/shop/stripe/v1/customers', {
        token,
        headers: FORM,
        body: `email=${email}`,
      });
    await make('a@acme.test');
    t.match(await wrld(own, 'world', 'backup', backup), { code: 0 });
    await make('b@acme.test');
    const admin = host.adminToken.secret.reveal();
    archive = (await askHost(host, 'GET', '/-/worlds/acme/shop/archive', { token: admin })).text;
    await writeFile(join(elsewhere, 'shop.ndjson'), archive);
    t.match(
      await wrld(own, 'world', 'import', backup),
      { code: 1, err: /Stop it first/ },
      'not while it is up',
    );
  }
  const dry = await wrld(elsewhere, 'world', 'import', 'shop.ndjson', '--dry-run');
  t.match(dry, { code: 0, out: /would become the world of this folder: \d+ rows/ });
  t.notOk(existsSync(join(elsewhere, '.wrld')));
  const imported = await wrldShown(elsewhere, 'world', 'import', 'shop.ndjson');
  t.match(imported, {
    code: 0,
    out: /acme\/shop is the world of this folder[\s\S]*access tokens, keys, sessions/,
  });
  t.match(imported.shown.at(0), /^Importing {2}\d+ %, \d+ of \d+ rows$/);
  t.match(imported.shown.at(-2), /^Importing {2}100 %, (\d+) of \1 rows$/);
  t.equal(imported.shown.at(-1), '', 'it is taken away');
  t.match(readFileSync(join(elsewhere, '.wrld/.gitignore'), 'utf8'), /^world\/$/m);
  t.match(await wrld(elsewhere, 'world', 'check'), { code: 0, out: /stripe at 2/ });
  {
    await using other = await startHostQuietly(await hostDirectory(t));
    await writeFile(join(elsewhere, 'admin'), other.adminToken.secret.reveal());
    const moved = await wrldShown(elsewhere, 'world', 'push-to', other.baseUrl, '--token-file', 'admin');
    t.match(moved, { code: 0, out: /acme\/shop is at http/ });
    t.match(moved.shown.at(0), /^Moving acme\/shop {2}\d+ %, \d+ of \d+ rows$/);
    t.match(moved.shown.at(-2), /^Moving acme\/shop {2}100 %, (\d+) of \1 rows$/);
    t.equal(moved.shown.at(-1), '', 'it is taken away');
  }
  const back = await wrld(own, 'world', 'import', backup, '--json');
  t.match(JSON.parse(back.out), { positions: { stripe: 1 }, setAside: /set-aside/ });
  await using host = await startHostQuietly(directory);
  const list = await askHost(host, 'GET', '/acme/shop/stripe/v1/customers', { token });
  t.match(list, { status: 200, json: { data: [{ email: 'a@acme.test' }] } }, 'by the token that it had');
});

t.test('a file that is missing, none, twisted or cut short changes nothing', async t => {
  const folder = await hostDirectory(t);
  const directory = await hostDirectory(t);
  await bareWorld(directory, 'acme/shop');
  const file = (name: string, text: string) => writeFile(join(folder, name), text);
  {
    await using host = await startHostQuietly(directory);
    const admin = host.adminToken.secret.reveal();
    const { text } = await askHost(host, 'GET', '/-/worlds/acme/shop/archive', { token: admin });
    await file('twisted', text.replace('"rows":0', '"rows":1'));
    await file('cut', text.slice(0, text.lastIndexOf('{"end"')));
    await file('cut-in-a-part', text.slice(0, -20));
    await file('twice', `${text}${text}`);
    const wrong = ['world', 'import', `${host.baseUrl}/acme/shop`, '--token-file', 'token'] as const;
    await file('token', 'tok_a_wrong-wrong-wrong-wrong');
    t.match(await wrld(folder, ...wrong), { code: 1, err: /admin token of the host/ });
  }
  await file('none', 'hello\n');
  for (const [name, says] of [
    ['missing', /is not there/],
    ['none', /no archive of a world/],
    ['twisted', /damaged: part \d is not what it was/],
    ['cut', /broke off before its end/],
    ['cut-in-a-part', /damaged: part \d+ has no end/],
    ['twice', /something follows its end|Part/],
  ] as const) {
    const ended = await wrld(folder, 'world', 'import', name);
    if (name === 'twice') t.equal(ended.code, 0, 'what follows the end is not read');
    else t.match(ended, { code: 1, err: says }, name);
    if (name !== 'twice')
      t.notOk(
        readdirSync(folder).some(each => each.startsWith('.wrld')),
        name,
      );
  }
});

t.test('what is asked wrongly is said', async t => {
  const folder = await hostDirectory(t);
  for (const [args, says] of [
    [['import'], /wrld world import <url\|file>/],
    [['import', 'http://127.0.0.1:1/'], /the URL is of a world/],
    [['import', 'http://127.0.0.1:1/acme/shop'], /set ADMIN_TOKEN/],
    [['push-to'], /wrld world push-to <url>/],
    [['push-to', 'worlds.example.com'], /the URL of a host/],
    [['push-to', 'http://127.0.0.1:1/acme/shop'], /without a path/],
  ] as const)
    t.match(await wrld(folder, 'world', ...args), { code: 2, err: says }, args.join(' '));
  await writeFile(join(folder, 'token'), 'tok_a_0123456789012345678901234');
  const nobody = ['push-to', 'http://127.0.0.1:1', '--token-file', 'token'] as const;
  t.match(await wrld(folder, 'world', ...nobody), { code: 1, err: /no world here/ });
  await mkdir(join(folder, 'org'));
  await bareWorld(folder, 'org/w');
  t.match(
    await wrld(
      join(folder, 'org/w'),
      'world',
      'push-to',
      'http://127.0.0.1:1',
      '--token-file',
      '../../token',
    ),
    {
      code: 1,
      err: /cannot be asked/,
    },
  );
});
