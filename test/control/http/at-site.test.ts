// What a vendor's site answers at its own address (4.3): who gets in, what reaches the twin, and what a browser is given.
import t from 'tap';
import { EMPTY_PROFILE, type OpenedSites, openSites, profileCookie } from '../../kit/opened-sites.ts';

const ADA = 'ada--app-acme-test';
const LOADING = /Loading what ada has at app\.acme\.test/;

t.test('[4.3-8, security 21, security 22] fetch metadata', async t => {
  await using sites = await openSites();
  await sites.put('ada', EMPTY_PROFILE);
  const { session } = await sites.enter('host=app.acme.test&browser=ada', await own(sites));
  const status = async (method: string, mode: string, from: string | null): Promise<number> =>
    (await sites.at(ADA, { method, mode, from, session, path: method === 'POST' ? '/api/notes' : '/api/me' }))
      .status;
  for (const from of ['same-origin', 'same-site', 'none']) {
    t.equal(await status('GET', 'navigate', from), 200, `a navigation, ${from}`);
    t.not(await status('HEAD', 'navigate', from), 403);
    t.equal(await status('GET', 'cors', from), from === 'same-origin' ? 200 : 403, `a fetch, ${from}`);
    t.equal(await status('GET', 'no-cors', from), from === 'same-origin' ? 200 : 403, `an image, ${from}`);
    t.equal(await status('POST', 'navigate', from), from === 'same-origin' ? 200 : 403, `a form, ${from}`);
  }
  for (const from of ['cross-site', null, 'Same-Origin', ''])
    for (const mode of ['navigate', 'cors'])
      t.equal(await status('GET', mode, from), 403, `${mode}, ${from}`);
});

t.test('[4.3-7, 4.3-9] what reaches the twin', async t => {
  await using sites = await openSites();
  const { hostOf, at } = sites;
  await sites.put('ada', { ...EMPTY_PROFILE, context: { locale: 'fr-FR' } });
  const { session } = await sites.enter('host=app.acme.test&browser=ada', await own(sites));
  const origin = `http://${hostOf(ADA)}`;
  const me = async (headers: readonly (readonly [string, string])[] = [], cookies?: string) =>
    (
      await at(ADA, {
        path: '/api/me',
        mode: 'cors',
        from: 'same-origin',
        session,
        headers,
        ...(cookies && { cookies }),
      })
    ).json;
  t.match(
    await me(
      [
        ['origin', origin],
        ['referer', `${origin}/a?b`],
        ['authorization', 'Bearer pk_page'],
        ['accept-language', 'en'],
      ],
      'who=ada; __Host-wrld-state=v; x=y',
    ),
    {
      host: 'app.acme.test',
      via: 'host',
      scope: 'write',
      may: 'write',
      caller: 'token',
      authorization: 'Bearer pk_page',
      'accept-language': 'fr-FR',
      origin: 'https://app.acme.test',
      referer: 'https://app.acme.test/a?b',
      cookie: 'who=ada; x=y',
    },
    'the page’s own authorization, and the profile’s language',
  );
  t.match(
    await me([
      ['x-wrld-browser', 'bob'],
      ['x-wrld-host', 'docs.acme.test'],
    ]),
    {
      host: 'app.acme.test',
      'x-wrld-browser': null,
      'accept-language': 'fr-FR',
    },
    'nobody routes by a header',
  );
  t.match(await me([['origin', 'http://evil.test']]), { origin: 'http://evil.test' });
  const { token } = sites.gated.site;
  const hidden = await me([['authorization', `Bearer ${token}`]]);
  t.equal(hidden.authorization, 'Bearer tok_wrld', '[5.1] the world’s own token reaches no twin');
  await sites.put('ada', {
    ...EMPTY_PROFILE,
    context: { locale: 'fr', extraHTTPHeaders: { 'Accept-LANGUAGE': 'nn, no' } },
  });
  t.equal((await me())['accept-language'], 'nn, no', '[4.3-6]');
  await sites.put('ada', EMPTY_PROFILE);
  t.equal((await me([['accept-language', 'da']]))['accept-language'], 'da', 'the browser’s own otherwise');
  const plain = await sites.enter('host=app.acme.test', await own(sites));
  const asked = await at('app-acme-test', {
    path: '/api/me',
    session: plain.session,
    headers: [['accept-language', 'da']],
  });
  t.match(asked.json, { host: 'app.acme.test', 'accept-language': 'da', scope: 'read', may: 'write' });
  t.equal((await at(ADA, { path: '/api/me', session, headers: [['x-wrld-token', token]] })).status, 200);
  t.equal(
    (await at(ADA, { path: '/api/me', headers: [['x-wrld-token', token]] })).status,
    401,
    'a token is no session',
  );
  t.equal(
    (await at(ADA, { path: '/-/acme/notes/clock', session })).json.acme_error,
    'no-such-path',
    'no endpoint of the world’s is here',
  );
});

t.test('[4.3-7] what the browser is told', async t => {
  for (const suffix of [undefined, '.worlds.test']) {
    await using sites = await openSites(suffix === undefined ? {} : { suffix });
    const { gated, hostOf, at } = sites;
    await sites.put('ada', EMPTY_PROFILE);
    const { session } = await sites.enter('host=app.acme.test&browser=ada', await own(sites));
    const to = async (name: string) => (await at(ADA, { path: `/to/${name}`, session })).headers.location;
    t.equal(await to('home'), `http://${hostOf(ADA)}/?from=to#here`, 'the vendor’s own host is here');
    t.equal(
      await to('docs'),
      `http://${hostOf('ada--docs-acme-test')}/start`,
      'another of the world’s at its own',
    );
    t.equal(await to('away'), 'https://elsewhere.example/x?y=1', 'outside of the world unchanged');
    t.equal(await to('near'), '/api/me');
    const page = await at(ADA, { session });
    t.equal(page.headers['x-frame-options'], undefined);
    t.equal(
      page.headers['content-security-policy'],
      `script-src 'none'; frame-ancestors 'self' ${gated.origin}`,
    );
    t.match(page.text, `action="http://${hostOf(ADA)}/login"`);
    t.match(page.text, `href="http://${hostOf('ada--docs-acme-test')}/start"`);
    t.match(page.text, 'href="https://elsewhere.example/"');
    t.equal(
      (await at(ADA, { path: '/api/me', session })).headers['content-security-policy'],
      `frame-ancestors 'self' ${gated.origin}`,
    );
    const signedIn = await at(ADA, { method: 'POST', path: '/login', from: 'same-origin', session });
    t.strictSame(
      signedIn.headers['set-cookie'],
      ['who=; Path=/; Secure'],
      'host-only, and none of the world’s own',
    );
  }
});

t.test('[4.3-4, 4.3-5] a browser is given its state once per version', async t => {
  await using sites = await openSites();
  const { at } = sites;
  const first = {
    storageState: {
      cookies: [
        profileCookie('who', 'ada'),
        profileCookie('deep', 'a b', {
          domain: 'app.acme.test',
          path: '/api',
          expires: 4e9,
          httpOnly: true,
          sameSite: 'Strict',
        }),
        profileCookie('other', 'x', { domain: 'docs.acme.test' }),
        profileCookie('apex', 'x', { domain: 'acme.test' }),
        profileCookie('over', 'x', { expires: 5 }),
        profileCookie('__Host-wrld-session', 'planted', { domain: 'app.acme.test' }),
        profileCookie('cross', 'x', { sameSite: 'None', secure: false, partitionKey: 'https://acme.test' }),
      ],
      origins: [
        { origin: 'https://app.acme.test:8443', localStorage: [{ name: 'theme', value: 'port' }] },
        { origin: 'https://app.acme.test', localStorage: [{ name: 'theme', value: '</script><b>' }] },
        { origin: 'http://app.acme.test', localStorage: [{ name: 'theme', value: 'second' }] },
      ],
    },
  };
  await sites.put('ada', first);
  const { session } = await sites.enter('host=app.acme.test&browser=ada', await own(sites));
  const loading = await at(ADA, { session });
  t.match(loading, { status: 200, text: LOADING });
  t.match(loading.headers, {
    'cache-control': 'no-store',
    'content-security-policy':
      /^default-src 'none'; script-src http:\/\/ada--app-acme-test\.[^ ]+\/\.well-known\/wrld-site\/load\.js; connect-src /,
  });
  t.notMatch(loading.text, /theme|<b>/, '[security 65] no word of the profile is markup');
  const loads = await loader(sites, session);
  t.strictSame(
    loads.state.storage,
    [{ name: 'theme', value: '</script><b>' }],
    'of the first origin with the host, port and all',
  );
  t.strictSame(loads.cookies, [
    'over=; Path=/; Max-Age=0; Secure',
    'who=ada; Path=/; SameSite=Lax; Secure',
    'deep=a b; Path=/api; SameSite=Strict; Expires=Tue, 02 Oct 2096 07:06:40 GMT; HttpOnly; Secure',
    'cross=x; Path=/; SameSite=None; Secure; Partitioned',
  ]);
  const stated = { session, cookies: `__Host-wrld-state=${loads.version}` };
  t.match(await at(ADA, stated), { text: /Nobody/ }, 'loaded: the twin answers');
  t.match(
    (await at(ADA, { ...stated, path: '/.well-known/wrld-site/state', mode: 'cors', from: 'same-origin' }))
      .json,
    {
      loaded: true,
      storage: [],
    },
  );
  t.match(
    await at(ADA, { session, path: '/api/me', mode: 'cors', from: 'same-origin' }),
    { status: 200, json: { via: 'host' } },
    'only a navigation waits for it',
  );

  await sites.put('ada', {
    storageState: { cookies: [profileCookie('who', 'eve'), profileCookie('new', '1')], origins: [] },
  });
  t.match(await at(ADA, stated), { text: LOADING }, 'another version');
  const second = await loader(sites, session, stated.cookies);
  t.strictSame(
    second.cookies,
    [
      'deep=; Path=/api; Max-Age=0; Secure',
      'over=; Path=/; Max-Age=0; Secure',
      'cross=; Path=/; Max-Age=0; Secure; Partitioned',
      'who=eve; Path=/; SameSite=Lax; Secure',
      'new=1; Path=/; SameSite=Lax; Secure',
    ],
    '[security 64] what was loaded before ends where it was',
  );

  await sites.gated.ask({
    method: 'DELETE',
    path: 'browsers/ada',
    headers: [['x-wrld-token', sites.gated.site.token]],
  });
  t.match(await at(ADA, stated), { status: 404, text: /no browser “ada”/ });
  await sites.put('ada', EMPTY_PROFILE);
  t.match(await at(ADA, { session, cookies: `__Host-wrld-state=${second.version}` }), { text: LOADING });
  const third = await loader(sites, session, `__Host-wrld-state=${second.version}`);
  t.strictSame(
    third.cookies.map(cookie => cookie.split('=')[0]),
    ['deep', 'over', 'cross', 'who', 'new'],
    'over a deletion too',
  );
  t.ok(
    third.cookies.every(cookie => /^\w+=; .*Max-Age=0/.test(cookie)),
    'without their values',
  );
  t.equal(new Set([loads.version, second.version, third.version]).size, 3);
  const other = await sites.enter('host=docs.acme.test&browser=ada', await own(sites));
  t.match(
    (await at('ada--docs-acme-test', { session: other.session, path: '/start' })).text,
    'Loading what ada has at docs.acme.test',
  );
});

t.test(
  '[4.3-4] a browser with nothing at a host is given nothing, and many cookies come in parts',
  async t => {
    await using sites = await openSites();
    await sites.put('ada', EMPTY_PROFILE);
    const { session } = await sites.enter('host=app.acme.test&browser=ada', await own(sites));
    t.match(await sites.at(ADA, { session }), { text: /Nobody/ });
    const cookies = Array.from({ length: 30 }, (_, n) => profileCookie(`c${n}`, 'x'.repeat(1000)));
    await sites.put('ada', { storageState: { cookies, origins: [] } });
    const loads = await loader(sites, session);
    t.equal(loads.cookies.length, 30);
    t.ok(loads.state.parts > 8);
    const part = (query: string) =>
      sites.at(ADA, {
        session,
        path: `/.well-known/wrld-site/cookies?${query}`,
        mode: 'cors',
        from: 'same-origin',
      });
    t.match(await part('version=other&part=0'), { status: 409, json: { error: { code: 'other-version' } } });
    for (const bad of ['99', '-1', '1.5', 'x', ''])
      t.equal((await part(`version=${loads.version}&part=${bad}`)).status, bad === '' ? 200 : 404, bad);
  },
);

t.test('[5.3-5] a session that reads', async t => {
  await using sites = await openSites();
  await sites.put('ada', EMPTY_PROFILE);
  const guest = await sites.gated.open(sites.gated.site.readToken);
  const { session } = await sites.enter('host=app.acme.test&browser=ada', guest);
  t.match((await sites.at(ADA, { path: '/api/me', from: 'same-origin', session })).json, {
    scope: 'read',
    may: 'read',
    caller: 'token:read',
  });
  const write = { method: 'POST', path: '/api/notes', from: 'same-origin', session };
  t.match(
    await sites.at(ADA, write),
    { status: 403, text: /<h1>.*reads only/s },
    'a page for who looks at one',
  );
  t.match(await sites.at(ADA, { ...write, mode: 'cors' }), {
    status: 403,
    json: { error: { code: 'read-only' } },
  });
});

t.test('[4.3] what is at no site, and what is not open', async t => {
  await using sites = await openSites();
  const { at, gated } = sites;
  const shut = await at(ADA, { path: '/a?b=c' });
  t.equal(shut.status, 401);
  t.match(
    shut.text,
    `href="${gated.origin}/-/acme/notes/board?open=app.acme.test&#38;browser=ada&#38;land=%2Fa%3Fb%3Dc"`,
  );
  t.match(await at(ADA, { mode: 'cors', from: 'same-origin' }), {
    status: 401,
    json: { error: { code: 'unauthenticated' } },
  });
  for (const label of ['nobody-test', 'ada--nobody-test', 'a_b--app-acme-test'])
    t.match(await at(label), { status: 404, text: /no site at this address/ }, label);
  t.match(await at(ADA, { session: 'x', cookies: '__Host-wrld-session=y' }), { status: 400 }, '[security 4]');
  t.match(
    await at('carol--app-acme-test', { session: 'x' }),
    { status: 401 },
    'who is nobody learns of no browser',
  );
});

t.test('[4.3-8, security 20] a WebSocket at a site is asked for by its own page', async t => {
  await using sites = await openSites();
  await sites.put('ada', EMPTY_PROFILE);
  const { session } = await sites.enter('host=app.acme.test&browser=ada', await own(sites));
  const asked = (label: string, origin: string, id: string, target = '/socket') => {
    const jar = `__Host-wrld-session=${id}`;
    const rawHeaders = ['Host', sites.hostOf(label), 'Origin', origin, 'Cookie', jar];
    const admission = sites.gated.site.site.upgrade({ method: 'GET', target, rawHeaders, from: 'client' });
    return admission.at === 'answered' ? admission.reply.status : admission.at;
  };
  const origin = `http://${sites.hostOf(ADA)}`;
  t.equal(asked(ADA, origin, session), 'socket');
  t.equal(asked(ADA, `http://${sites.hostOf('app-acme-test')}`, session), 403);
  t.equal(asked(ADA, sites.gated.origin, session), 403);
  t.equal(asked(ADA, origin, await own(sites)), 401);
  t.equal(asked('nobody-test', origin, session), 404);
  t.not(asked(ADA, origin, session, '/-/acme/notes/streams/x'), 'stream', 'no stream of the world’s is here');
});

const own = (sites: OpenedSites): Promise<string> => sites.gated.open(sites.gated.site.token);

/** What the page's script does: asks for the state, and for its cookies part by part. */
async function loader(sites: OpenedSites, session: string, cookies?: string) {
  const ask = (path: string) =>
    sites.at(ADA, {
      session,
      mode: 'cors',
      from: 'same-origin',
      path: `/.well-known/wrld-site/${path}`,
      ...(cookies && { cookies }),
    });
  t.match(await ask('load.js'), { status: 200, headers: { 'content-type': /^text\/javascript/ } });
  const { json: state } = await ask('state');
  const set: string[] = [];
  for (let part = 0; part < state.parts; part++)
    set.push(...((await ask(`cookies?version=${state.version}&part=${part}`)).headers['set-cookie'] ?? []));
  t.match(
    set.pop(),
    new RegExp(
      `^__Host-wrld-state=${state.version}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=34560000$`,
    ),
  );
  return { state, version: state.version as string, cookies: set };
}
