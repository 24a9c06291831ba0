import t from 'tap';
import { browserShelf, openTestSite } from '../../kit/site.ts';

const BROWSERS = '/-/acme/notes/browsers';
const JSON_TYPE = ['content-type', 'application/json'] as const;
const EMPTY = { storageState: { cookies: [], origins: [] }, context: {} };

t.test('[4.3] a browser is put, read, listed, replaced and removed', async t => {
  await using site = await openTestSite();
  const write = [['x-wrld-token', site.token] as const, JSON_TYPE];
  const read = [['x-wrld-token', site.readToken] as const];
  const named = { ...EMPTY, context: { locale: 'fr' } };
  t.same((await site.ask({ target: BROWSERS, headers: read })).json, { browsers: [] });
  for (const name of ['bob', 'alice-2', 'a']) {
    const put = await site.ask({
      method: 'PUT',
      target: `${BROWSERS}/${name}`,
      headers: write,
      body: JSON.stringify(EMPTY.storageState),
    });
    t.same([put.status, put.json], [200, EMPTY], 'the stored state, as a profile');
    t.equal(put.headers['cache-control'], 'no-store');
  }
  t.same((await site.ask({ target: BROWSERS, headers: read })).json, { browsers: ['a', 'alice-2', 'bob'] });
  await site.ask({ method: 'PUT', target: `${BROWSERS}/bob`, headers: write, body: JSON.stringify(named) });
  t.same((await site.ask({ target: `${BROWSERS}/bob`, headers: read })).json, named, 'wholesale');
  const removed = await site.ask({ method: 'DELETE', target: `${BROWSERS}/bob`, headers: write });
  t.same([removed.status, removed.text], [204, '']);
  t.equal((await site.ask({ method: 'DELETE', target: `${BROWSERS}/bob`, headers: write })).status, 404);
  t.equal((await site.ask({ target: `${BROWSERS}/bob`, headers: read })).status, 404);
  t.same(
    (await site.ask({ target: '/-/acme/notes/timeline', headers: read })).json.entries,
    [],
    '[2.5] outside the log',
  );
  t.same(
    (await site.ask({ target: '/-/acme/notes/diff', headers: read })).json.changes,
    [],
    '[2.5] and the diff',
  );
});

t.test('[4.3] who may not write does not, and what is no profile is refused', async t => {
  await using site = await openTestSite();
  const token = ['x-wrld-token', site.token] as const;
  const put = (name: string, body: string, headers = [token, JSON_TYPE]) =>
    site.ask({ method: 'PUT', target: `${BROWSERS}/${name}`, headers, body });
  const whole = JSON.stringify(EMPTY);
  t.equal((await put('bob', whole, [['x-wrld-token', site.readToken], JSON_TYPE])).status, 403);
  t.equal((await site.ask({ target: BROWSERS })).status, 401);
  t.match(await put('bob', whole, [token]), { status: 415, json: { error: { code: 'not-json' } } });
  t.match(await put('bob', whole, [token, ['content-type', 'text/plain'] as never]), { status: 415 });
  t.match(await put('bob', '{"storageState":'), { status: 400, json: { error: { code: 'bad-body' } } });
  t.match(await put('bob', '['.repeat(200_000)), {
    status: 400,
    json: { error: { code: 'bad-body', message: /deeper/ } },
  });
  t.match(await put('bob', '{"storageState":{"cookies":[],"origins":[]},"baseURL":"x"}'), {
    status: 400,
    json: {
      error: { code: 'bad-profile', message: /unknown key "baseURL"/, details: { faults: [/baseURL/] } },
    },
  });
  for (const name of ['Bob', 'a--b', '-a', 'a-', 'a_b', 'x'.repeat(25), '%2e%2e%2fx'])
    t.match(await put(name, whole), { status: 400 }, name);
  t.match(await put('x'.repeat(24), whole), { status: 200 }, '[8] 24 characters');
  const padded = (bytes: number): string => whole + ' '.repeat(bytes - whole.length);
  t.match(await put('bob', padded(1024 * 1024)), { status: 200 }, '[8] 1 MiB');
  t.match(await put('bob', padded(1024 * 1024 + 1)), { status: 413 }, '[8] and a byte');
});

t.test('[8] the 33rd browser is 409, in whatever order they come', async t => {
  await using site = await openTestSite();
  const put = (name: string) =>
    site.ask({
      method: 'PUT',
      target: `${BROWSERS}/${name}`,
      headers: [['x-wrld-token', site.token], JSON_TYPE],
      body: JSON.stringify(EMPTY),
    });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => put(`b${index}`)));
  t.equal(answers.filter(({ status }) => status === 200).length, 32);
  t.equal(answers.filter(({ status }) => status === 409).length, 8);
  t.match(await put('b0'), { status: 200 }, 'one that is there is replaced');
});

t.test('[4.3] addresses that collide, and a file that somebody broke', async t => {
  const kept = new Map([['old', 'no JSON']]);
  await using site = await openTestSite({
    hosts: ['b.test', 'alice--b.test'],
    browsers: {
      ...browserShelf(),
      names: async () => [...kept.keys()],
      read: async name => kept.get(name) ?? null,
      write: async (name, text) => void kept.set(name, text),
      remove: async name => kept.delete(name),
    },
  });
  const headers = [['x-wrld-token', site.token] as const, JSON_TYPE];
  const put = (name: string) =>
    site.ask({ method: 'PUT', target: `${BROWSERS}/${name}`, headers, body: JSON.stringify(EMPTY) });
  t.match(await put('alice'), { status: 400, json: { error: { code: 'label-taken' } } });
  t.match(await site.ask({ target: `${BROWSERS}/old`, headers }), {
    status: 409,
    json: { error: { code: 'unreadable', message: /it is no JSON/ } },
  });
  t.match(await put('old'), { status: 200 }, 'put again, it is whole');
});
