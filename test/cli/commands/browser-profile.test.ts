// `wrld world browser list|show|set|remove` against a world that is up.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { type Ended, openWorlds, startUp, wrld } from '../../kit/command-line.ts';
import { profileCookie } from '../../kit/opened-sites.ts';

const worlds = await openWorlds();
t.teardown(worlds.remove);
const folder = await worlds.make('asked');

t.test('[2.5, 4.3] profiles are set of files, told without their secrets, and removed', async t => {
  const ask = (...words: readonly string[]): Promise<Ended> => wrld(folder, 'world', 'browser', ...words);
  await using _world = await startUp(folder);
  const state = {
    cookies: [profileCookie('who', 'a secret', { domain: '.stripe.com' })],
    origins: [{ origin: 'https://dashboard.stripe.com', localStorage: [{ name: 'theme', value: 'dark' }] }],
  };
  await writeFile(join(folder, 'state.json'), JSON.stringify(state));
  const told = 'cookies of .stripe.com: who\nhttps://dashboard.stripe.com: 1 in local storage\n';
  t.match(await ask('set', 'ada', 'state.json'), { code: 0, out: `ada is set:\n${told}` });
  const whole = await ask('show', 'ada', '--json');
  t.strictSame(JSON.parse(whole.out), { storageState: state, context: {} });
  const french = { ...JSON.parse(whole.out), context: { locale: 'fr-FR' } };
  await writeFile(join(folder, 'ada.json'), JSON.stringify(french));
  t.match(await ask('set', 'ada', 'ada.json'), { code: 0, out: /locale: "fr-FR"/ });
  t.match(JSON.parse(await readFile(join(folder, '.wrld', 'browsers', 'ada.json'), 'utf8')), {
    context: { locale: 'fr-FR' },
  });
  t.strictSame(JSON.parse((await ask('list', '--json')).out), { browsers: ['ada'] });
  await writeFile(join(folder, 'bad.json'), '{ "cookies": 1, "origins": [] }');
  t.match(await ask('set', 'ada', 'bad.json'), { code: 1, err: /^wrld world browser set: .*cookies/ });
  t.match(await ask('set', 'ada', 'none.json'), { code: 1, err: /none.json cannot be read \(ENOENT\)/ });
  t.match(await ask('show', 'bob'), { code: 1, err: /no browser of that name/ });
  t.match(await ask('set', 'ada'), { code: 2, err: /needs a name and a file/ });
  t.match(await ask('remove', 'ada'), { code: 0, out: 'ada is removed\n' });
});
