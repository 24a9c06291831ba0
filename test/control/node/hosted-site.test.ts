// The sites of a world and of its branch on this machine (4.3): each has browsers of its own, and a reset makes them anew.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { openWorldFolders, startQuietly } from '../../kit/control-world.ts';
import { profileCookie } from '../../kit/opened-sites.ts';

const { world } = await openWorldFolders(t);

type Place = { readonly baseUrl: string; readonly name: string; readonly token: string };

async function ask(
  { baseUrl, name, token }: Place,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  return fetch(`${baseUrl}/-/${name}/${path}`, {
    method,
    headers: { 'x-wrld-token': token, 'content-type': 'application/json' },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** As a browser that navigates; no resolver of Node's knows the names under localhost. */
async function open(
  url: URL,
  cookie = '',
): Promise<{ readonly response: IncomingMessage; readonly body: string }> {
  const outgoing = request({
    host: '127.0.0.1',
    port: url.port,
    path: url.pathname + url.search,
    agent: false,
    headers: { host: url.host, cookie, 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' },
  });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { response, body: await text(response) };
}

/** What a browser that was never there is loaded with at the dashboard. */
async function versionAt(place: Place): Promise<string> {
  const sent = await ask(place, 'GET', 'sites/go?host=dashboard.stripe.com&browser=ada');
  const entered = await open(new URL(sent.headers.get('location')!));
  const [cookie = ''] = entered.response.headers['set-cookie']![0]!.split(';');
  const home = new URL(entered.response.headers.location!);
  t.match((await open(home, cookie)).body, /Loading what ada has at dashboard\.stripe\.com/);
  const outgoing = request({
    host: '127.0.0.1',
    port: home.port,
    path: '/.well-known/wrld-site/state',
    agent: false,
    headers: { host: home.host, cookie, 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' },
  });
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return (JSON.parse(await text(response)) as { version: string }).version;
}

t.test(
  '[2.5, 4.3] a branch has its browsers at addresses of its own, and a reset loads each anew',
  async t => {
    await using control = await startQuietly(await world());
    const shop = { baseUrl: control.baseUrl, name: 'acme/shop', token: control.token };
    const profile = {
      storageState: { cookies: [profileCookie('who', 'ada', { domain: '.stripe.com' })], origins: [] },
    };
    t.equal((await ask(shop, 'PUT', 'browsers/ada', profile)).status, 200);
    const first = await versionAt(shop);
    t.equal(await versionAt(shop), first);
    const made = (await (await ask(shop, 'POST', 'branches', { label: 'try' })).json()) as Omit<
      Place,
      'baseUrl'
    >;
    const branch = { ...made, baseUrl: control.baseUrl };
    const sent = await ask(branch, 'GET', 'sites/go?host=dashboard.stripe.com&browser=ada');
    const label = `${branch.name.split('/')[1]}--acme`;
    t.equal(new URL(sent.headers.get('location')!).hostname, `ada--dashboard-stripe-com.${label}.localhost`);
    await versionAt(branch);
    t.equal((await ask(branch, 'DELETE', 'browsers/ada')).status, 204);
    t.equal(await versionAt(shop), first, 'what is done to the branch’s changes none of the world’s');
    t.equal((await ask(shop, 'DELETE', `branches/${branch.name}`)).status, 204);
    t.equal((await ask(shop, 'POST', 'reset', {})).status, 200);
    t.not(await versionAt(shop), first);
    t.same(await (await ask(shop, 'GET', 'browsers')).json(), { browsers: ['ada'] });
    t.same(
      ((await (await ask(shop, 'GET', 'timeline')).json()) as { entries: unknown }).entries,
      [],
      'no log tells of them',
    );
  },
);
