// The attach module in real child processes of each Node at hand: what a program's HTTP clients reach, and by
// which way. The proxy here is a stand-in that keeps what was asked of it; the real one is in test/cli.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { WebSocketServer } from 'ws';
import { refusalBody, refusalText, refuse } from '../../policy/refusal.ts';
import { createTestAuthority } from '../kit/test-ca.ts';

const REGISTER = join(import.meta.dirname, '..', '..', 'attach', 'register.cjs');
const CHILD_MS_MAX = 60_000;

/** The Node of this process, and the system's where it is another. */
function nodes(): readonly { readonly path: string; readonly version: string }[] {
  const paths = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(folder => !folder.includes('node_modules'))
    .map(folder => join(folder, 'node'));
  const found = new Map([[process.version, process.execPath]]);
  for (const path of paths) {
    try {
      const version = execFileSync(path, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).trim();
      if (!found.has(version)) found.set(version, path);
    } catch {
      // No node in that folder of the PATH.
    }
  }
  return [...found].map(([version, path]) => ({ version, path }));
}

const RECORD = refuse('invalid', { target: 'refused.test:443', host: 'refused.test' }, 'http://docs.test');

/** Tunnels every name to the origins, keeps what it was asked for, and refuses `refused.test` as 7.1 says. */
async function startStandIn(ports: () => { readonly http: number; readonly https: number }) {
  const asked: string[] = [];
  const server = createServer(client => {
    client.on('error', () => client.destroy());
    client.once('data', first => {
      const head = first.toString('latin1');
      const [method, target = ''] = head.split(' ');
      if (method !== 'CONNECT') {
        // The absolute form: what Node 26 itself sends for http.
        asked.push(`${method} ${target}`);
        client.end('HTTP/1.1 200 OK\r\ncontent-length: 8\r\nconnection: close\r\n\r\nabsolute');
        return;
      }
      const credentials = /proxy-authorization: (.*)/i.exec(head)?.[1];
      asked.push(credentials === undefined ? target : `${target} as ${credentials}`);
      if (target.startsWith('refused.test')) {
        const body = refusalBody(RECORD);
        client.write(`HTTP/1.1 502 Bad Gateway\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
        return;
      }
      const upstream: Socket = connect(target.endsWith(':443') ? ports().https : ports().http, '127.0.0.1');
      upstream.on('error', () => client.destroy());
      upstream.on('connect', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(upstream).pipe(client);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { asked, server, port: (server.address() as AddressInfo).port };
}

const authority = await createTestAuthority();
const leaf = await authority.leaf(['a.test', 'b.test']);
const folder = await mkdtemp(join(tmpdir(), 'wrld attach '));
const caFile = join(folder, 'ca.pem');
await writeFile(caFile, authority.pem);
const answer: RequestListener = (request, response) => void response.end(`hello ${request.headers.host}`);
const http = createHttpServer(answer);
const https = createHttpsServer(leaf, answer);
const sockets = new WebSocketServer({ noServer: true });
for (const server of [http, https]) {
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, ws => {
      ws.send(`hello ${request.headers.host}`);
      ws.close();
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const standIn = await startStandIn(() => ({ http: portOf(http), https: portOf(https) }));
t.teardown(async () => {
  for (const server of [standIn.server, http, https]) server.close();
  http.closeAllConnections();
  https.closeAllConnections();
  await rm(folder, { recursive: true });
});

/** Runs the program under the module; answers what it printed as JSON, and what the proxy was asked for. */
async function run(node: string, program: string, more: { readonly [name: string]: string } = {}) {
  const before = standIn.asked.length;
  const { stdout } = await promisify(execFile)(node, ['--input-type=module', '-e', program], {
    timeout: CHILD_MS_MAX,
    env: {
      PATH: process.env['PATH'],
      NODE_OPTIONS: `--require ${REGISTER}`,
      NODE_EXTRA_CA_CERTS: caFile,
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: `http://127.0.0.1:${standIn.port}`,
      HTTP_PROXY: `http://127.0.0.1:${standIn.port}`,
      NO_PROXY: 'localhost,127.0.0.1,::1,[::1]',
      ORIGIN_PORT: String(portOf(http)),
      ...more,
    },
  });
  return { said: JSON.parse(stdout), asked: standIn.asked.slice(before) };
}

const GET = `
import http from 'node:http';
import https from 'node:https';
const get = (module, url, options = {}) => new Promise((resolve, reject) => {
  module.get(url, options, async answer => {
    let text = '';
    for await (const chunk of answer) text += chunk;
    resolve(text);
  }).on('error', reject);
});
const say = value => console.log(JSON.stringify(value));
`;

for (const { path, version } of nodes()) {
  t.test(`Node ${version}`, async t => {
    t.test("https.get, with the process's agent and with an SDK's own, kept alive", async t => {
      const { said, asked } = await run(
        path,
        `${GET}
        const agent = new https.Agent({ keepAlive: true });
        const first = await get(https, 'https://a.test/');
        const own = await get(https, 'https://a.test/', { agent });
        const again = await get(https, 'https://a.test/', { agent });
        const other = await get(https, 'https://b.test/', { agent });
        agent.destroy();
        say([first, own, again, other]);`,
      );
      t.strictSame(said, ['hello a.test', 'hello a.test', 'hello a.test', 'hello b.test']);
      t.strictSame(asked, ['a.test:443', 'a.test:443', 'b.test:443'], 'one tunnel carries two requests');
    });

    t.test('http.get with an own agent goes through a tunnel', async t => {
      const { said, asked } = await run(
        path,
        `${GET} say(await get(http, 'http://a.test/', { agent: new http.Agent() }));`,
      );
      t.equal(said, 'hello a.test');
      t.strictSame(asked, ['a.test:80']);
    });

    t.test('fetch', async t => {
      const { said, asked } = await run(
        path,
        `const answers = await Promise.all([1, 2].map(() => fetch('https://a.test/').then(one => one.text())));
        console.log(JSON.stringify(answers));`,
      );
      t.strictSame(said, ['hello a.test', 'hello a.test']);
      t.strictSame([...new Set(asked)], ['a.test:443']);
    });

    t.test('a worker and a child process are in the world too', async t => {
      const { said, asked } = await run(
        path,
        `import { execFileSync } from 'node:child_process';
        import { once } from 'node:events';
        import { Worker } from 'node:worker_threads';
        const worker = new Worker(
          "import { parentPort } from 'node:worker_threads'; parentPort.postMessage(await (await fetch('https://a.test/')).text());",
          { eval: true },
        );
        const [text] = await once(worker, 'message');
        const child = execFileSync(process.execPath, ['-e', "fetch('https://b.test/').then(one => one.text()).then(console.log)"], { encoding: 'utf8' });
        console.log(JSON.stringify([text, child.trim()]));`,
      );
      t.strictSame(said, ['hello a.test', 'hello b.test']);
      t.strictSame(asked, ['a.test:443', 'b.test:443']);
    });

    t.test('WebSockets of `ws`, which bring their own connection', async t => {
      const { said, asked } = await run(
        path,
        `import { createRequire } from 'node:module';
        const { WebSocket } = createRequire(${JSON.stringify(import.meta.filename)})('ws');
        const hear = url => new Promise(resolve => {
          const ws = new WebSocket(url);
          ws.on('message', data => resolve(String(data)));
          ws.on('error', error => resolve([error.message, error.code, error.worldRefusal?.rule]));
        });
        const urls = ['wss://a.test/', 'ws://b.test/x', 'wss://refused.test/', 'ws://127.0.0.1:' + process.env.ORIGIN_PORT];
        const said = [];
        for (const url of urls) said.push(await hear(url));
        console.log(JSON.stringify(said));`,
      );
      t.strictSame(said, [
        'hello a.test',
        'hello b.test',
        [refusalText(RECORD), 'ECONNREFUSED', 'invalid'],
        `hello 127.0.0.1:${portOf(http)}`,
      ]);
      t.strictSame(asked, ['a.test:443', 'b.test:80', 'refused.test:443']);
    });

    t.test('what NO_PROXY lists is reached directly', async t => {
      const { said, asked } = await run(
        path,
        `${GET}
        const url = 'http://127.0.0.1:' + process.env.ORIGIN_PORT + '/';
        say([await get(http, url), await (await fetch(url)).text()].map(text => text.startsWith('hello 127.0.0.1:')));`,
      );
      t.strictSame(said, [true, true]);
      t.strictSame(asked, []);
    });

    t.test('[7.1] a refusal at CONNECT is an error with its text, its record and ECONNREFUSED', async t => {
      const { said, asked } = await run(
        path,
        `${GET}
        const error = await get(https, 'https://refused.test/', { agent: new https.Agent() }).catch(error => error);
        say([error.message, error.code, error.worldRefusal]);`,
      );
      t.strictSame(said, [refusalText(RECORD), 'ECONNREFUSED', RECORD]);
      t.strictSame(asked, ['refused.test:443']);
    });

    t.test('credentials in the proxy URL name the run', async t => {
      const { asked } = await run(
        path,
        `${GET} say(await get(https, 'https://a.test/', { agent: new https.Agent() }));`,
        { HTTPS_PROXY: `http://one:s%40crt@127.0.0.1:${standIn.port}` },
      );
      t.strictSame(asked, [`a.test:443 as Basic ${Buffer.from('one:s@crt').toString('base64')}`]);
    });

    t.test('nothing of Node’s is loaded that the program does not load', async t => {
      const { said } = await run(
        path,
        `const loaded = process.moduleLoadList.map(each => each.replace(/^\\S+ /, ''));
        console.log(JSON.stringify(['http', 'https', 'http2', 'internal/deps/undici/undici'].filter(name => loaded.includes(name))));`,
        { NODE_USE_ENV_PROXY: '' },
      );
      t.strictSame(said, []);
    });

    t.test('an environment without a proxy is left as it is', async t => {
      const { said } = await run(
        path,
        `import net from 'node:net';
        console.log(JSON.stringify(net.Socket.prototype.connect.toString().includes('proxyFor')));`,
        { HTTPS_PROXY: '', HTTP_PROXY: '' },
      );
      t.equal(said, false);
    });
  });
}
