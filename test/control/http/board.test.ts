// Which pages the board lists (4.3, rule 10), and how it is served.
import t from 'tap';
import { boardPages } from '../../../control/http/board.ts';
import { VendorSites } from '../../../control/http/vendor-sites.ts';
import { openSites } from '../../kit/opened-sites.ts';
import { twin } from '../../kit/site-twin.ts';

const LONG = 'a'.repeat(40);

/** Of a world with a site whose label has room for short names alone. */
function sitesAt(ownOrigin: string | null, siteForm: 'local' | 'hosted' = 'local'): VendorSites {
  const { manifest } = twin;
  const long = {
    ...manifest,
    vendor: 'long',
    hosts: [],
    screens: [{ id: 'a', path: '/', host: `${LONG}.acme.test` }],
  };
  const manifests: { readonly [vendor: string]: typeof manifest } = { acme: manifest, long };
  return new VendorSites(
    { vendors: Object.keys(manifests), manifest: vendor => manifests[vendor] },
    { ownOrigin, siteForm },
  );
}

const OWN = 'http://notes--acme.localhost:4000';

t.test('[4.3-10] a page for each browser whose address can be made, and a plain copy where one cannot', t => {
  const sites = sitesAt(OWN);
  const keys = (browsers: readonly string[], of = sites) => boardPages(of, browsers).map(({ key }) => key);
  t.strictSame(keys([]), ['acme:app.acme.test', 'acme:docs.acme.test', `long:${LONG}.acme.test`]);
  t.strictSame(keys(['ada', 'bob']), [
    '~browser:ada:acme:app.acme.test',
    '~browser:bob:acme:app.acme.test',
    '~browser:ada:acme:docs.acme.test',
    '~browser:bob:acme:docs.acme.test',
    `~browser:ada:long:${LONG}.acme.test`,
    `~browser:bob:long:${LONG}.acme.test`,
  ]);
  t.strictSame(keys(['ada', 'somebody-else']).slice(4), [
    `~browser:ada:long:${LONG}.acme.test`,
    `long:${LONG}.acme.test`,
  ]);
  t.strictSame(keys(['ada'], sitesAt(null)), [
    'acme:app.acme.test',
    'acme:docs.acme.test',
    `long:${LONG}.acme.test`,
  ]);
  const hosted = boardPages(sitesAt('https://notes--acme.worlds.test', 'hosted'), ['ada']);
  t.equal(hosted[0]!.origin, 'https://ada--app-acme-test--notes--acme.worlds.test');
  t.end();
});

t.test(
  '[4.3-10] what was kept without browsers is the first one’s, where no plain copy is left to have it',
  t => {
    const pages = boardPages(sitesAt(OWN), ['ada', 'somebody-else']);
    const of = (key: string) => pages.find(page => page.key === key)!;
    t.equal(of('~browser:ada:acme:app.acme.test').alias, 'acme:app.acme.test');
    t.equal(of('~browser:somebody-else:acme:app.acme.test').alias, null, 'other copies are new');
    t.equal(of(`~browser:ada:long:${LONG}.acme.test`).alias, null, 'a plain copy keeps its own key');
    t.equal(of(`long:${LONG}.acme.test`).alias, null);
    t.strictSame(of('~browser:ada:acme:app.acme.test').section, { key: '~browser:ada:acme:', alias: 'acme' });
    t.strictSame(of('~browser:somebody-else:acme:app.acme.test').section.alias, null);
    t.strictSame(of(`long:${LONG}.acme.test`).section, { key: 'long', alias: null });
    t.strictSame(of(`~browser:ada:long:${LONG}.acme.test`).section, {
      key: '~browser:ada:long:',
      alias: null,
    });
    t.end();
  },
);

t.test('[4.3] the board and the list of pages are read with what reads, and not cached', async t => {
  for (const suffix of [undefined, '.worlds.test']) {
    await using sites = await openSites(suffix === undefined ? {} : { suffix });
    const { gated, hostOf } = sites;
    const headers = [['x-wrld-token', gated.site.readToken]] as const;
    const board = await gated.ask({ path: 'board', headers });
    t.equal(board.status, 200);
    t.equal(board.headers['cache-control'], 'no-store');
    const below = suffix === undefined ? new URL(gated.origin).host : `worlds.test:${gated.listener.port}`;
    t.match(board.headers['content-security-policy'], `frame-src 'self' http://*.${below};`);
    t.match(board.headers['content-security-policy'], "frame-ancestors 'none'");
    t.equal((await gated.ask({ path: 'board' })).status, 401);
    const { json, headers: told } = await gated.ask({ path: 'sites', headers });
    t.equal(told['cache-control'], 'no-store');
    t.strictSame(json.sites, [
      { vendor: 'acme', host: 'app.acme.test', land: '/' },
      { vendor: 'acme', host: 'docs.acme.test', land: '/start' },
    ]);
    t.equal(json.pages[0].origin, `http://${hostOf('app-acme-test')}`);
  }
});
