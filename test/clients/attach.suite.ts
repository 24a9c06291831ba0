// Every HTTP client that people use with Node, as it comes: answered by twins, and refused with the record (7.1, C1).
import t from 'tap';
import { refusalText } from '../../policy/refusal.ts';
import { attachedWorld, nodes } from '../kit/attached.ts';

const world = await attachedWorld({
  routes: [{ host: 'tw.test', path: '/v1/', vendor: 'tw', endpointVariable: 'TW_TWIN_URL' }],
});
t.teardown(() => world[Symbol.asyncDispose]());

/** How a client asks, and what it makes of a refusal: where the error that has the record is. */
type Client = {
  readonly get: string;
  readonly refusal: 'error' | 'cause' | 'code';
  /** The oldest major release of Node that its package runs on. */
  readonly since?: number;
};

const HTTP = `const over = (module, options) => url => new Promise((resolve, reject) => {
  module.get(url, options, async answer => { let text = ''; for await (const chunk of answer) text += chunk; resolve(text); }).on('error', reject);
});`;
const UNDICI = `const text = async answer => (await answer).body.text();`;

const undici = (release: number): { readonly [name: string]: Client } => {
  const start = `${UNDICI} const undici = await import('undici${release}');`;
  const since = release === 8 ? 22 : 20;
  return {
    [`undici ${release} request`]: {
      get: `${start} const get = url => text(undici.request(url));`,
      refusal: 'error',
      since,
    },
    [`undici ${release} fetch`]: {
      get: `${start} const get = async url => (await undici.fetch(url)).text();`,
      refusal: 'cause',
      since,
    },
    [`undici ${release} with a dispatcher of its own`]: {
      get: `${start} const dispatcher = new undici.Agent({ connections: 1 }); const get = url => text(undici.request(url, { dispatcher }));`,
      refusal: 'error',
      since,
    },
    [`undici ${release} with a Pool`]: {
      get: `${start} const get = url => { const { origin, pathname: path } = new URL(url); return text(new undici.Pool(origin).request({ path, method: 'GET' })); };`,
      refusal: 'error',
      since,
    },
    [`undici ${release}, its setGlobalDispatcher, and the fetch of Node`]: {
      get: `${start} undici.setGlobalDispatcher(new undici.Agent()); const get = async url => (await fetch(url)).text();`,
      refusal: 'error',
      since: release === 8 ? 24 : since,
    },
  };
};

const CLIENTS: { readonly [name: string]: Client } = {
  fetch: { get: 'const get = async url => (await fetch(url)).text();', refusal: 'error' },
  'node:https': {
    get: `import https from 'node:https'; ${HTTP} const get = over(https, {});`,
    refusal: 'error',
  },
  'node:https with an agent of its own': {
    get: `import https from 'node:https'; ${HTTP} const get = over(https, { agent: new https.Agent({ keepAlive: true }) });`,
    refusal: 'error',
  },
  'node:https without an agent': {
    get: `import https from 'node:https'; ${HTTP} const get = over(https, { agent: false });`,
    refusal: 'error',
  },
  'node:http': {
    get: `import http from 'node:http'; ${HTTP} const get = url => over(http, {})(url.replace('https:', 'http:'));`,
    refusal: 'error',
  },
  axios: {
    get: "import axios from 'axios'; const get = async url => (await axios.get(url)).data;",
    refusal: 'cause',
  },
  got: {
    get: "import got from 'got'; const get = url => got(url, { retry: { limit: 0 } }).text();",
    refusal: 'cause',
    since: 22,
  },
  ky: {
    get: "import ky from 'ky'; const get = url => ky(url, { retry: 0 }).text();",
    refusal: 'error',
    since: 22,
  },
  'node-fetch': {
    get: "import get1 from 'node-fetch'; const get = async url => (await get1(url)).text();",
    refusal: 'code',
  },
  superagent: {
    get: "import superagent from 'superagent'; const get = async url => (await superagent.get(url).buffer(true).parse(superagent.parse.text)).text;",
    refusal: 'error',
  },
  ...undici(6),
  ...undici(7),
  ...undici(8),
};

const TELL = `
const tell = error => ({ message: error.message, code: error.code, record: error.worldRefusal, cause: error.cause?.worldRefusal, own: error instanceof Error });
const answered = await get('https://tw.test/v1/x').catch(tell);
const refused = await get('https://no.test/').catch(tell);
const unclaimed = await get('https://tw.test/v2/x').catch(tell);
say({ answered, refused, unclaimed });
`;

for (const node of nodes()) {
  t.test(`Node ${node.version}`, { jobs: 2 }, async t => {
    for (const [name, client] of Object.entries(CLIENTS)) {
      t.test(`[7.1] ${name}`, async t => {
        if (node.major < (client.since ?? 18)) return void t.pass(`needs Node ${client.since}`);
        const { said, stderr } = await world.run(client.get + TELL, { node: node.path });
        const { answered, refused, unclaimed } = said as { [what: string]: never };
        t.equal(answered, 'twin GET /acme/shop/tw/v1/x');
        for (const [told, rule] of [
          [refused, 'not-granted'],
          [unclaimed, 'unclaimed-path'],
        ] as const) {
          const { message, code, record, cause, own } = told as never;
          t.equal(own, true, 'it is an Error');
          const found = client.refusal === 'cause' ? cause : record;
          if (client.refusal === 'code') {
            t.equal(code, 'ECONNREFUSED');
            t.match(message, /missing: (grant|twin); fix: http/);
            continue;
          }
          t.match(found, { kind: 'wrld-world-refusal', rule }, JSON.stringify(told));
          if (client.refusal === 'error') t.equal(message, refusalText(found), 'its message is the text');
        }
        const lines = stderr.split('\n').filter(line => line.startsWith('[twin-inject] blocked'));
        t.equal(lines.length, 2, `one line a refusal: ${stderr}`);
      });
    }
  });
}
