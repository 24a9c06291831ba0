// Programs that stand in for their vendors by themselves (C3): what is mocked stays mocked, and what is not reaches the
// world as it would without them.
import t from 'tap';
import { attachedWorld, nodes } from '../kit/attached.ts';

const world = await attachedWorld({ routes: [{ host: 'tw.test', path: '/', vendor: 'tw' }] });
t.teardown(() => world[Symbol.asyncDispose]());

const GET = `import http from 'node:http'; import https from 'node:https';
const get = (url, options = {}) => new Promise((resolve, reject) => (url.startsWith('https') ? https : http).get(url, options, async answer => { let text = ''; for await (const chunk of answer) text += chunk; resolve(text); }).on('error', reject)).catch(error => error.worldRefusal?.rule ?? error.message);
const fetched = url => fetch(url).then(answer => answer.text(), error => error.worldRefusal?.rule ?? error.stack);
const agent = () => ({ agent: new https.Agent({ keepAlive: true }) });
const all = async () => [
  await get('https://mocked.test/x'), await get('https://mocked.test/x', agent()), await fetched('https://mocked.test/x'),
  await get('https://tw.test/x'), await get('https://tw.test/x', agent()), await fetched('https://tw.test/x'), await get('http://tw.test/x'),
  await get('https://no.test/x'), await fetched('https://no.test/x'),
];`;
const TWIN = 'twin GET /acme/shop/tw/x';
const EXPECTED = ['mocked', 'mocked', 'mocked', TWIN, TWIN, TWIN, TWIN, 'not-granted', 'not-granted'];

const MOCKS: { readonly [name: string]: string } = {
  'msw 2': `const { http: mock, HttpResponse } = await import('msw');
    const { setupServer } = await import('msw/node');
    const server = setupServer(mock.get('https://mocked.test/x', () => HttpResponse.text('mocked')));
    server.listen({ onUnhandledRequest: 'bypass' });`,
  'nock 14': `const { default: nock } = await import('nock');
    nock('https://mocked.test').persist().get('/x').reply(200, 'mocked');
    nock.enableNetConnect();`,
};

for (const node of nodes()) {
  t.test(`Node ${node.version}`, async t => {
    for (const [name, mock] of Object.entries(MOCKS))
      t.test(name, async t => {
        const { said } = await world.run(`${GET} ${mock} say(await all());`, { node: node.path });
        t.strictSame(said, EXPECTED);
      });

    for (const release of node.major >= 22 ? [6, 7, 8] : [6, 7])
      t.test(`undici ${release}: MockAgent`, async t => {
        const { said } = await world.run(
          `const { MockAgent, setGlobalDispatcher, request } = await import('undici${release}');
          const mocks = new MockAgent();
          mocks.enableNetConnect();
          mocks.get('https://mocked.test').intercept({ path: '/x' }).reply(200, 'mocked').persist();
          setGlobalDispatcher(mocks);
          const asked = async url => request(url).then(({ body }) => body.text(), error => error.worldRefusal?.rule ?? error.stack);
          say([await asked('https://mocked.test/x'), await asked('https://tw.test/x'), await asked('https://no.test/x')]);`,
          { node: node.path },
        );
        t.strictSame(said, ['mocked', TWIN, 'not-granted']);
      });

    if (node.major >= 20)
      t.test('the mocks of node:test', async t => {
        const { said } = await world.run(
          `${GET} import { mock } from 'node:test';
          mock.method(globalThis, 'fetch', async () => new Response('mocked'));
          mock.method(https, 'get', () => 'mocked');
          const during = [await fetched('https://tw.test/x'), https.get('https://tw.test/x')];
          mock.restoreAll();
          say([...during, await fetched('https://tw.test/x'), await get('https://tw.test/x')]);`,
          { node: node.path },
        );
        t.strictSame(said, ['mocked', 'mocked', TWIN, TWIN]);
      });
  });
}
