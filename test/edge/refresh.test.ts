// Roots on the edge (7.3, 4.11): a world that nobody asks refreshes what it holds of its vendor at the time that its root says.
import { Response } from 'miniflare';
import t from 'tap';
import { bundleEdge } from '../../scripts/edge-bundle.ts';
import { within } from '../kit/deadline.ts';
import { edgeWorld, startEdge } from '../kit/edge-host.ts';
import { askHost, hostDirectory } from '../kit/many-worlds.ts';

const bundle = await bundleEdge({ minify: false });
const KEY = ['rk', '_test_', 'onlyReads0123456789'].join('');

/** What the vendor was asked, and who waits for the next of it. */
const asked: string[] = [];
let heard: () => void = () => {};
const vendor = async (request: Request): Promise<Response> => {
  const { host, pathname } = new URL(request.url);
  if (host !== 'api.stripe.com' || request.headers.get('authorization') !== `Bearer ${KEY}`)
    return new Response('{}', { status: 401 });
  asked.push(pathname);
  heard();
  const customer = {
    id: 'cus_real1',
    object: 'customer',
    created: 1_700_000_000,
    livemode: false,
    email: 'ada@real.test',
  };
  const data = pathname === '/v1/customers' ? [customer] : [];
  return Response.json({ object: 'list', url: pathname, has_more: false, data });
};

const nextAsk = (): Promise<void> =>
  new Promise(resolve => {
    heard = resolve;
  });

t.test('[4.11] [7.3] a world that nobody opened refreshes what it holds when it is due', async t => {
  const folder = await hostDirectory(t);
  const start = () =>
    startEdge({
      bundle,
      folder,
      bindings: { SEALING_KEY: Buffer.alloc(32, 7).toString('base64') },
      outside: vendor as never,
    });
  const url = 'https://api.stripe.com';
  {
    await using edge = await start();
    const { token } = await edgeWorld(edge, 'acme/shop');
    const put = (path: string, body: object) =>
      askHost(edge, 'PUT', `/-/acme/shop/twins/stripe/${path}`, {
        token,
        headers: { 'content-type': 'application/json' },
        body,
      });
    t.match(await put('root', { url }), { status: 200 });
    t.match(await put('credential', { credential: KEY }), { status: 200 });
    const first = nextAsk();
    t.match(await put('root', { url, refresh: { every: '10s' } }), { status: 200 });
    await within('the first refresh', first, 60_000);
  }
  const again = nextAsk();
  const before = asked.length;
  await using _edge = await start();
  // Nobody asks the world: its own alarm has it look.
  await within('the refresh that is due', again, 60_000);
  t.ok(asked.length > before);
});
