// Several worlds behind one listener: which of them a request is for.
import t from 'tap';
import type { Site } from '../../../control/http/site.ts';
import { Sites } from '../../../control/http/sites.ts';
import type { Reply } from '../../../twins/kit/reply.ts';

/** A site that answers with its name. */
const site = (world: string, ownHost: string | null = null): Site =>
  ({
    world,
    ownHost,
    admit: () => ({ at: 'answered', reply: { status: 200, headers: [], body: world } }),
  }) as unknown as Site;

/** The reply with that one of its headers. */
const ofHeader = (reply: Reply, wanted: string): Reply => ({
  ...reply,
  headers: reply.headers.filter(([name]) => name === wanted),
});

const SHOP = 'shop--acme.localhost:4000';
const BRANCH = 'shop-1a2b--acme.localhost:4000';

const asked = (
  sites: Sites,
  target: string,
  { host = '127.0.0.1:4000', from = 'client' }: { host?: string; from?: 'client' | 'proxy' } = {},
): unknown => {
  const admission = sites.admit({ method: 'GET', target, rawHeaders: ['Accept', '*/*', 'Host', host], from });
  return admission.at === 'answered' && admission.reply.body;
};

t.test('[5.3-2] a request is for the world that its path or its host names', async t => {
  const sites = new Sites('acme/shop');
  sites.add(site('acme/shop', SHOP));
  for (const target of ['/', '/acme/other/stripe/v1', '/-/acme/other/map'])
    t.equal(asked(sites, target), 'acme/shop', `${target}: there is one world`);
  sites.add(site('acme/shop-1a2b', BRANCH));
  for (const [target, world] of [
    ['/acme/shop-1a2b/stripe/v1/customers', 'acme/shop-1a2b'],
    ['/-/acme/shop-1a2b/map', 'acme/shop-1a2b'],
    ['/-/acme/shop-1a2b', 'acme/shop-1a2b'],
    ['http://127.0.0.1:4000/-/acme/shop-1a2b/map', 'acme/shop-1a2b'],
    ['/acme/shop/../shop-1a2b/stripe/v1', 'acme/shop-1a2b'],
    ['/-/acme/shop/map', 'acme/shop'],
    ['/-/acme/shop-1a2/map', 'acme/shop'],
    ['/reference/refusals', 'acme/shop'],
    ['/', 'acme/shop'],
    ['*', 'acme/shop'],
  ] as const)
    t.equal(asked(sites, target), world, target);
  t.equal(asked(sites, '/', { host: BRANCH.toUpperCase() }), 'acme/shop-1a2b', 'at its own origin');
  t.equal(
    asked(sites, '/-/acme/shop/map', { host: BRANCH }),
    'acme/shop-1a2b',
    'at a world’s own origin no other is served',
  );
  t.equal(
    asked(sites, '/acme/shop/stripe/v1', { host: BRANCH, from: 'proxy' }),
    'acme/shop',
    'the proxy’s Host is the vendor’s',
  );
  sites.remove('acme/shop-1a2b');
  sites.remove('acme/nobody');
  t.equal(asked(sites, '/-/acme/shop-1a2b/map'), 'acme/shop');
  t.equal(asked(sites, '/', { host: BRANCH }), 'acme/shop');
});

t.test('[4.3-1] a request at a site’s address is for the world whose label is in it', async t => {
  const sites = new Sites('acme/shop');
  sites.add(site('acme/shop', SHOP));
  sites.add(site('acme/shop-1a2b', BRANCH));
  sites.add(site('acme/far', 'far--acme.worlds.test'));
  for (const [host, world] of [
    [`ada--dashboard-stripe-com.${BRANCH}`, 'acme/shop-1a2b'],
    [`dashboard-stripe-com.${BRANCH}`, 'acme/shop-1a2b'],
    [`dashboard-stripe-com.${SHOP}`, 'acme/shop'],
    ['ada--dashboard-stripe-com--far--acme.worlds.test', 'acme/far'],
    ['dashboard-stripe-com--far--acme.worlds.test', 'acme/far'],
    ['dashboard-stripe-com--gone--acme.worlds.test', 'acme/shop'],
    ['a--b.c--d.localhost:4000', 'acme/shop'],
    ['--far--acme.worlds.test', 'acme/shop'],
  ] as const)
    t.equal(asked(sites, '/-/acme/shop/map', { host }), world, host);
});

t.test('nobody is served before the first world is, whichever is added first', async t => {
  const sites = new Sites('acme/shop');
  sites.add(site('acme/x', 'x--acme.localhost:1'));
  const starting = {
    at: 'answered',
    reply: { status: 503, headers: [['retry-after', '1']], body: /"code":"starting"/ },
  };
  for (const target of ['/', '/-/acme/x/map', '/acme/x/stripe/v1']) {
    const arrived = { method: 'GET', target, rawHeaders: [], from: 'client' } as const;
    for (const admission of [sites.admit(arrived), sites.upgrade(arrived)])
      t.match(
        { ...admission, reply: admission.at === 'answered' && ofHeader(admission.reply, 'retry-after') },
        starting,
      );
  }
  sites.add(site('acme/shop'));
  t.equal(asked(sites, '/'), 'acme/shop');
  t.equal(asked(sites, '/', { host: 'x--acme.localhost:1' }), 'acme/x');
  t.equal(sites.of('acme/x')?.world, 'acme/x');
  t.equal(sites.of('acme/y'), undefined);
});

t.test('a site in the place of one of the same world replaces it, the first too', async t => {
  const sites = new Sites('acme/shop');
  sites.add(site('acme/shop', SHOP));
  const renewed = {
    ...site('acme/shop', SHOP),
    admit: () => ({ at: 'answered', reply: { body: 'renewed' } }),
  };
  sites.add(renewed as unknown as Site);
  t.equal(asked(sites, '/'), 'renewed');
});

t.test('a world behind a door is opened by who asks for it, and says so when it cannot be', async t => {
  const sites = new Sites('acme/shop');
  sites.add(site('acme/shop', SHOP));
  let can = false;
  sites.addDoor({
    world: 'acme/shop-1a2b',
    ownHost: BRANCH,
    open: async () => {
      if (can) sites.add(site('acme/shop-1a2b', BRANCH));
      return can;
    },
  });
  const asked = () =>
    sites.admit({ method: 'GET', target: '/-/acme/shop-1a2b/map', rawHeaders: [], from: 'client' });
  const first = asked();
  if (first.at !== 'opening') throw new Error(first.at);
  await first.opened;
  t.match(asked(), { at: 'answered', reply: { status: 503 } }, 'who was kept waiting in vain');
  can = true;
  const next = asked();
  if (next.at !== 'opening') throw new Error('the next one tries anew');
  await next.opened;
  t.not(asked().at, 'opening');
  t.equal(sites.of('acme/shop-1a2b')?.world, 'acme/shop-1a2b');
});
