// What a world remembers of its browsers (4.3, rules 4 and 5), over edits, replacements, deletions and resets.
import t from 'tap';
import { digest } from '../../../../control/node/digest.ts';
import { openEntropy } from '../../../../control/node/entropy.ts';
import { Browsers } from '../../../../control/world/browsers/browsers.ts';
import {
  isForHost,
  isLoadedAt,
  languageOf,
  setCookiesAt,
  storageAt,
} from '../../../../control/world/browsers/loading.ts';
import { type BrowserNote, readNotes, writeNotes } from '../../../../control/world/browsers/notes.ts';
import type { BrowserCookie, BrowserProfile } from '../../../../control/world/browsers/profile.ts';
import { fc } from '../../../kit/property.ts';
import { browserShelf } from '../../../kit/site.ts';

const cookie = (name: string, more: Partial<BrowserCookie> = {}): BrowserCookie => ({
  name,
  value: 'v',
  domain: 'a.test',
  path: '/',
  expires: -1,
  httpOnly: false,
  secure: false,
  sameSite: 'Lax',
  ...more,
});
const profileOf = (...cookies: BrowserCookie[]): BrowserProfile => ({
  storageState: { cookies, origins: [] },
  context: {},
});
const browsersOn = (store = browserShelf()) =>
  new Browsers({ store, digest, entropy: openEntropy(), sites: () => ({ hosts: ['a.test'], place: null }) });

async function stateOf(browsers: Browsers, name: string) {
  const state = await browsers.state(name);
  if (state === null || !state.ok) throw new Error(`no state of ${name}`);
  return state;
}

t.test('[4.3-4] a state has a version, and each put makes another, be it the same', async t => {
  const store = browserShelf();
  const browsers = browsersOn(store);
  t.equal(await browsers.state('ada'), null);
  t.equal(await browsers.state('../x'), null);
  await browsers.put('ada', profileOf(cookie('a')));
  const states = await Promise.all([stateOf(browsers, 'ada'), stateOf(browsers, 'ada')]);
  t.equal(states[0].version, states[1].version);
  t.match(states[0].version, /^[0-9a-f]{24}$/);
  t.equal((await stateOf(browsersOn(store), 'ada')).version, states[0].version, 'after a restart too');
  await browsers.put('ada', profileOf(cookie('a')));
  const again = await stateOf(browsers, 'ada');
  t.not(again.version, states[0].version);
  await store.write('ada', JSON.stringify(profileOf(cookie('b'))));
  const edited = await stateOf(browsers, 'ada');
  t.not(edited.version, again.version, 'an edit by hand is another version');
  t.strictSame(
    edited.left.cookies.map(({ name }) => name),
    ['a', 'b'],
  );
  await browsers.renew();
  t.not((await stateOf(browsers, 'ada')).version, edited.version, '[2.5] a reset makes them anew');
  await store.write('ada', '{');
  t.match(await browsers.state('ada'), { ok: false, why: 'unreadable' });
});

t.test('[4.3-5] places are kept over versions, a deletion and a restart', async t => {
  const store = browserShelf();
  const browsers = browsersOn(store);
  await browsers.put('ada', profileOf(cookie('a', { path: '/x' }), cookie('b')));
  await stateOf(browsers, 'ada');
  await browsers.put('bob', profileOf(cookie('c')));
  t.equal(await browsers.remove('ada'), true);
  t.equal(await browsers.remove('ada'), false);
  t.equal(await browsers.state('ada'), null);
  const later = browsersOn(store);
  await later.put('ada', profileOf(cookie('b', { path: '/y' })));
  const { profile, left } = await stateOf(later, 'ada');
  t.strictSame(setCookiesAt(profile, left, 'a.test', 0), [
    'a=; Path=/x; Max-Age=0; Secure',
    'b=; Path=/; Max-Age=0; Secure',
    'b=v; Path=/y; SameSite=Lax',
  ]);
  t.notMatch(await store.notes(), /"v"/, 'without values');
  t.strictSame(
    (await stateOf(later, 'bob')).left.cookies.map(({ name }) => name),
    ['c'],
    'each has its own',
  );
});

t.test('[4.3-4] which cookies a host has, and which storage', t => {
  for (const [domain, host, expected] of [
    ['a.test', 'a.test', true],
    ['A.test', 'a.test:8443', true],
    ['.a.test', 'a.test', true],
    ['.a.test', 'b.a.test', true],
    ['a.test', 'b.a.test', false],
    ['.a.test', 'xa.test', false],
    ['b.a.test', 'a.test', false],
  ] as const)
    t.equal(isForHost(domain, host), expected, `${domain} at ${host}`);
  const storage = (value: string) => [{ name: 'n', value }];
  const { storageState } = profileOf();
  const profile = {
    context: {},
    storageState: {
      ...storageState,
      origins: [
        { origin: 'https://a.test:8443', localStorage: storage('port') },
        { origin: 'http://a.test', localStorage: storage('plain') },
        { origin: 'https://a.test', localStorage: storage('second') },
      ],
    },
  };
  t.strictSame(storageAt(profile, 'a.test'), storage('plain'));
  t.strictSame(storageAt(profile, 'a.test:8443'), storage('port'));
  t.strictSame(storageAt(profile, 'b.test'), []);
  const left = { cookies: [], storage: ['b.test'] };
  t.equal(isLoadedAt(profile, left, 'b.test'), true, 'an earlier one’s storage is cleared');
  t.equal(isLoadedAt(profile, left, 'c.test'), false);
  t.end();
});

t.test('[4.3-6] the language of a profile', t => {
  const of = (context: BrowserProfile['context']) => languageOf({ ...profileOf(), context });
  t.equal(of({}), null);
  t.equal(of({ locale: 'fr-FR' }), 'fr-FR');
  t.equal(of({ locale: 'fr-FR', extraHTTPHeaders: { 'x-a': 'b', 'ACCEPT-language': 'nn' } }), 'nn');
  t.end();
});

t.test(
  '[security 64] whatever states there were, the last one is all that is left of them at a host',
  async () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const path = fc.constantFrom('/', '/x', '/y');
    const one = fc.record({ name, path }).map(({ name, path }) => cookie(name, { path, domain: '.a.test' }));
    // A profile has a name once.
    const states = fc.array(fc.uniqueArray(one, { selector: ({ name }) => name, maxLength: 3 }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(states, async all => {
        const browsers = browsersOn();
        const jar = new Set<string>();
        for (const cookies of all) {
          await browsers.put('ada', profileOf(...cookies));
          const { profile, left } = await stateOf(browsers, 'ada');
          for (const line of setCookiesAt(profile, left, 'x.a.test', 0)) {
            const [, set, at] = /^(\w+)=v?; Path=([^;]+)/.exec(line)!;
            if (line.includes('Max-Age=0')) jar.delete(`${set} ${at}`);
            else jar.add(`${set} ${at}`);
          }
        }
        return (
          [...jar].sort().join() ===
          all
            .at(-1)!
            .map(({ name, path }) => `${name} ${path}`)
            .sort()
            .join()
        );
      }),
    );
  },
);

t.test('notes are read as they were written, and what is none is nothing', t => {
  const notes = new Map<string, BrowserNote>([
    [
      'ada',
      {
        version: 'v',
        print: 'p',
        cookies: [{ name: 'a', domain: '.b.test', path: '/', partitioned: true }],
        storage: ['b.test'],
      },
    ],
    ['bob', { version: null, print: '', cookies: [], storage: [] }],
  ]);
  t.strictSame(readNotes(writeNotes(notes)), notes);
  for (const text of [null, '', '{', '[]', '{"browsers":1}', '{"browsers":[1]}', 'null'])
    t.strictSame(readNotes(text), new Map(), String(text));
  t.end();
});
