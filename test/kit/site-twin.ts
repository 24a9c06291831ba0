// A vendor with pages at two hosts of its own, where people sign in: `app.acme.test` (`GET /`, `POST /login`, `GET /api/me` says
// how it was asked, `POST /api/notes` writes one, `GET /to/<where>` leads on) and `docs.acme.test`. Loaded by a world's config,
// or mounted by a test.
import type { Call } from '../../twins/kit/call.ts';
import type { Manifest } from '../../twins/kit/manifest.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { Twin } from '../../twins/kit/twin.ts';
import type { Tx } from '../../twins/kit/tx.ts';

const MANIFEST: Manifest = {
  kind: 'wrld-twin',
  vendor: 'acme',
  version: '1.0.0',
  protocol: 'http',
  api: { sdks: [] },
  models: [{ type: 'note', operations: ['create'] }],
  coverage: { modelled: 1, generic: 0, catalog: 0 },
  hosts: [
    { host: 'app.acme.test', paths: ['/'] },
    { host: 'docs.acme.test', paths: ['/'] },
  ],
  generative: false,
  matchers: [],
  root: false,
  screens: [
    { id: 'home', path: '/', host: 'app.acme.test' },
    { id: 'docs', path: '/start', host: 'docs.acme.test' },
    { id: 'doc', path: '/docs/{id}', host: 'docs.acme.test' },
  ],
};

export const twin: Twin = {
  manifest: MANIFEST,
  records: { note: { indexes: [] } },
  respond,
  error: (status, code, message) => json(status, { acme_error: code, message }),
};

/** Where `GET /to/<name>` leads. */
const PLACES: { readonly [name: string]: string } = {
  home: 'https://app.acme.test/?from=to#here',
  docs: 'https://docs.acme.test/start',
  away: 'https://elsewhere.example/x?y=1',
  near: '/api/me',
};

function respond(call: Call, tx: Tx): Reply {
  const { method, path, host } = call;
  if (host === 'docs.acme.test')
    return page('Docs', '<p>How to.</p><a href="https://app.acme.test/">App</a>');
  switch (`${method} ${path}`) {
    case 'GET /favicon.ico':
      return { status: 204, headers: [], body: null };
    case 'GET /':
      return home(call);
    case 'GET /api/me':
      return json(200, asked(call));
    case 'POST /login':
      return signIn(new URLSearchParams(new TextDecoder().decode(call.body)).get('name') ?? '');
    case 'POST /api/notes': {
      const id = tx.id('note_', 8);
      tx.put('note', id, { id });
      return json(200, { id });
    }
  }
  const to = PLACES[path.replace('/to/', '')];
  if (to === undefined) return json(404, { acme_error: 'no-such-path' });
  return { status: 302, headers: [['Location', to]], body: '' };
}

function asked({ headers, host, via, scope, may, caller }: Call): object {
  const shown = ['authorization', 'accept-language', 'origin', 'referer', 'host', 'cookie', 'x-wrld-browser'];
  return {
    host,
    via,
    scope,
    may,
    caller,
    ...Object.fromEntries(shown.map(name => [name, headers[name] ?? null])),
  };
}

function cookie({ headers }: Call, name: string): string | null {
  const field = headers['cookie'];
  const pairs = typeof field === 'string' ? field.split('; ') : [];
  return pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

function home(call: Call): Reply {
  const who = cookie(call, 'who');
  const language = call.headers['accept-language'];
  return page(
    'App',
    `<h1>${who === null ? 'Nobody' : `Hello ${encodeURIComponent(who)}`}</h1>
<p id="language">${typeof language === 'string' ? encodeURIComponent(language) : ''}</p>
<form method="post" action="https://app.acme.test/login"><label>Name <input name="name"></label><button>Sign in</button></form>
<a href="https://docs.acme.test/start">Docs</a> <a href="https://elsewhere.example/">Elsewhere</a>`,
  );
}

function signIn(name: string): Reply {
  return {
    status: 303,
    headers: [
      ['Location', 'https://app.acme.test/'],
      ['Set-Cookie', `who=${encodeURIComponent(name)}; Domain=acme.test; Path=/; Secure`],
      ['Set-Cookie', '__Host-wrld-session=planted; Path=/; Secure'],
    ],
    body: '',
  };
}

function page(title: string, body: string): Reply {
  return {
    status: 200,
    headers: [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Content-Security-Policy', "script-src 'none'; frame-ancestors 'none'"],
      ['X-Frame-Options', 'DENY'],
    ],
    body: `<!doctype html><html lang="en"><title>${title}</title><body>${body}</body></html>`,
  };
}

function json(status: number, body: object): Reply {
  return { status, headers: [['Content-Type', 'application/json']], body: JSON.stringify(body) };
}
