// A world on this machine with its real proxy process: what starts it, what changes it while it runs, and what
// is left when either process is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import t from 'tap';
import type { ControlOptions } from '../../../control/node/control.ts';
import { ControlError } from '../../../control/node/control-error.ts';
import { PROXY_MAIN } from '../../../control/node/data-plane.ts';
import type { ControlStatus } from '../../../control/node/status-file.ts';
import type { Up } from '../../../control/node/up.ts';
import { isAlive } from '../../../process/alive.ts';
import { holdToContract } from '../../kit/contract.ts';
import { configure, openWorldFolders, STRIPE_WORLD, startQuietly } from '../../kit/control-world.ts';
import { within } from '../../kit/deadline.ts';
import type { Response } from '../../kit/http-text.ts';
import { connectTunnel, openWire, type Tunnel } from '../../kit/wire.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'control', 'node', 'main.ts');
const START_MS_MAX = 60_000;
const { root, world } = await openWorldFolders(t);
const start = startQuietly;

const portOf = (url: string): number => Number(new URL(url).port);

async function stripe(control: { proxyUrl: string; caFile: string }): Promise<Tunnel> {
  const ca = await readFile(control.caFile, 'utf8');
  return connectTunnel(portOf(control.proxyUrl), 'api.stripe.com:443', { tls: { ca } });
}

/** On a connection of its own, which is closed: a proxy that drains waits for the client's side of it. */
async function createCustomerAlone(
  control: { proxyUrl: string; caFile: string },
  email: string,
): Promise<Response> {
  const tunnel = await stripe(control);
  await using peer = tunnel.peer;
  return await createCustomer({ ...tunnel, peer }, email);
}

async function createCustomer({ peer }: Tunnel, email: string): Promise<Response> {
  const body = `email=${email}`;
  await peer.send(
    'POST /v1/customers HTTP/1.1\r\nHost: api.stripe.com\r\nAuthorization: Bearer sk_test_x\r\n' +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return peer.readResponse('POST');
}

/** A plain-HTTP request through the proxy, on a connection of its own. */
async function throughProxy(proxyUrl: string, url: string): Promise<Response> {
  await using peer = await openWire(portOf(proxyUrl));
  await peer.send(`GET ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`);
  return await peer.readResponse('GET');
}

const refusal = (response: Response): string | undefined =>
  response.headers.find(([name]) => name.toLowerCase() === 'x-wrld-world-refusal')?.[1];

// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test asserts.
async function endpoint(control: { baseUrl: string; token: string }, path: string): Promise<any> {
  const response = await fetch(`${control.baseUrl}/-/acme/shop/${path}`, {
    headers: { 'x-wrld-token': control.token },
  });
  const text = await response.text();
  const { status, headers, url } = response;
  const contentType = headers.get('content-type') ?? undefined;
  holdToContract({ world: 'acme/shop', method: 'GET', target: url, status, contentType, text });
  return JSON.parse(text);
}

/** An origin on loopback that a world may grant under a pinned name. */
async function origin(): Promise<AsyncDisposable & { readonly url: string; readonly granted: object }> {
  const server = createServer((_request, response) => response.end('from the origin'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://origin.test:${(server.address() as AddressInfo).port}`;
  const runtime = { extraHosts: { 'origin.test': '127.0.0.1' }, network: { egress: [url] } };
  return {
    url,
    granted: { ...STRIPE_WORLD, runtime },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type UpBehindProxy = Extract<Up, { readonly proxyUrl: string }>;

/** Control as a process that can be killed. */
async function startProcess(folder: string): Promise<{ child: ChildProcess; up: UpBehindProxy }> {
  const child = spawn(process.execPath, [MAIN, '--folder', folder, '--log-level', 'warn'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = once(createInterface({ input: child.stdout! }), 'line').then(([line]) => String(line));
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`control ended: ${code}`)));
  // Waited for only until it is up.
  failed.catch(() => {});
  return {
    child,
    up: JSON.parse(await within('control to be up', Promise.race([line, failed]), START_MS_MAX)),
  };
}

t.test('a world comes up, answers on every side, and leaves nothing behind', async t => {
  const folder = await world();
  const control = await start(folder);
  const up = JSON.parse(await readFile(join(folder, '.wrld', 'run', 'up.json'), 'utf8'));
  t.match(up, {
    baseUrl: control.baseUrl,
    worldUrl: `${control.baseUrl}/acme/shop`,
    proxyUrl: control.proxyUrl,
    caFile: control.caFile,
    pid: process.pid,
    proxyPid: control.proxyPid,
  });
  t.strictSame((await readFile(join(folder, '.wrld', 'token'), 'utf8')).split('\n'), [
    control.token,
    control.readToken,
    '',
  ]);

  const created = await createCustomerAlone(control, 'a@acme.test');
  t.equal(created.status, 200);
  const { id } = JSON.parse(created.body.toString());
  const { entries } = await endpoint(control, 'timeline');
  t.match(entries[0], {
    twin: 'stripe',
    caller: 'token',
    entry: { request: { method: 'POST', path: '/v1/customers' } },
  });
  t.match(JSON.stringify(entries), id);
  const byUrl = await fetch(`${control.worldUrl}/stripe/v1/customers/${id}`, {
    headers: { authorization: `Bearer ${control.token}` },
  });
  t.match(await byUrl.json(), { id, email: 'a@acme.test' }, 'by URL, with the token as the API key');
  const manifest = await fetch(`${control.worldUrl}/stripe/twin`, {
    headers: { 'x-wrld-token': control.readToken },
  });
  t.match(await manifest.json(), { kind: 'wrld-twin', vendor: 'stripe' });
  t.match(
    await (
      await fetch(`${control.worldUrl}/.well-known/wrld-world`, {
        headers: { 'x-wrld-token': control.token },
      })
    ).json(),
    {
      name: 'acme/shop',
      vendors: { stripe: `${control.worldUrl}/stripe` },
      ca: await readFile(control.caFile, 'utf8'),
      proxy: control.proxyUrl,
      env: { WRLD_TWINS_KEY: control.token, STRIPE_TWIN_URL: `${control.worldUrl}/stripe` },
    },
  );

  const refused = await throughProxy(control.proxyUrl, 'http://nowhere.test/a');
  t.equal(refused.status, 502);
  t.equal(refusal(refused), 'grant');
  const see = /"see":"([^"]+)"/.exec(refused.body.toString())?.[1];
  const [page, rule] = see!.split('#');
  t.match(
    await (await fetch(page!)).text(),
    `<section id="${rule}">`,
    '[2.1] the link of a refusal opens its entry',
  );
  const { refusals } = await endpoint(control, 'refusals');
  t.match(refusals, [{ run: 'default', record: { rule: 'not-granted', target: 'http://nowhere.test/a' } }]);
  t.strictSame(control.refusals(), refusals);
  t.match(control.status(), { config: { fault: null }, proxy: { state: 'running', restarts: 0, policy: 1 } });

  const { proxyPid } = control;
  await Promise.all([control.close(), control.close()]);
  t.notOk(isAlive(proxyPid));
  for (const file of ['up.json', 'status.json', 'proxy.json', 'control.pid', 'twins.sock'])
    t.notOk(existsSync(join(folder, '.wrld', 'run', file)), `${file} is gone`);

  await using again = await start(folder);
  t.equal(again.token, control.token, 'tokens are minted once');
  const kept = await fetch(`${again.worldUrl}/stripe/v1/customers/${id}`, {
    headers: { authorization: `Bearer ${again.token}` },
  });
  t.match(await kept.json(), { id }, 'and the world is as it was left');
});

t.test('up.json appears once, complete; a proxy that is started again replaces it whole', async t => {
  const folder = await world();
  const file = join(folder, '.wrld', 'run', 'up.json');
  const [begun, gate] = [join(folder, 'begun'), join(folder, 'gate')];
  // The proxy itself, once the test lets it.
  const script = join(folder, 'proxy.ts');
  await writeFile(
    script,
    `import { existsSync, writeFileSync } from 'node:fs';
     writeFileSync(${JSON.stringify(begun)}, '');
     while (!existsSync(${JSON.stringify(gate)})) await new Promise(resolve => setTimeout(resolve, 5));
     await import(${JSON.stringify(PROXY_MAIN)});`,
  );
  const starting = start(folder, { sandbox: true, forRun: true, proxy: { script } });
  await until('the proxy to begin', async () => existsSync(begun));
  t.notOk(existsSync(file), 'nobody is sent to a proxy that does not listen yet');
  await writeFile(gate, '');
  await using control = await starting;
  const read = async (): Promise<Up> => JSON.parse(await readFile(file, 'utf8'));
  const { baseUrl, worldUrl, proxyUrl, caFile, proxyPid, runsSocket } = control;
  const places = {
    baseUrl,
    worldUrl,
    caFile,
    pid: process.pid,
    sandbox: true,
    forRun: true,
    proxyUrl,
    runsSocket,
  };
  t.not(portOf(proxyUrl), 0);
  t.strictSame(await read(), { ...places, proxyPid });
  process.kill(proxyPid, 'SIGKILL');
  await until('the next proxy', async () => control.proxyPid !== proxyPid && control.proxyPid !== 0);
  await until('its file', async () => (await read()).proxyPid === control.proxyPid);
  t.strictSame(await read(), { ...places, proxyPid: control.proxyPid });
});

t.test('[6.3] a webhook leaves the world as its policy lets it', async t => {
  const got = Promise.withResolvers<{ signature: unknown; traceparent: unknown; body: string }>();
  const app = createServer(async (request, response) => {
    const { 'stripe-signature': signature, traceparent } = request.headers;
    got.resolve({ signature, traceparent, body: await text(request) });
    response.end();
  });
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  t.teardown(() => app.close());
  await using control = await start(await world());
  const headers = { authorization: `Bearer ${control.token}` };
  const post = (path: string, fields: { [name: string]: string }) =>
    fetch(`${control.worldUrl}/stripe/v1/${path}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(fields),
    });
  const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}/hook`;
  t.equal((await post('webhook_endpoints', { url, 'enabled_events[0]': 'customer.created' })).status, 200);
  t.equal((await post('customers', { email: 'a@acme.test' })).status, 200);
  const delivery = await within('the delivery', got.promise);
  t.match(delivery, { signature: /^t=\d+,v1=[0-9a-f]{64}/, traceparent: /^00-[0-9a-f]{32}-[0-9a-f]{16}-/ });
  t.match(JSON.parse(delivery.body), { type: 'customer.created' });
});

t.test('what keeps a world from starting is said, and nothing is left running', async t => {
  const code = async (folder: string, more: Partial<ControlOptions> = {}): Promise<ControlError> => {
    try {
      await using control = await start(folder, more);
      throw new Error(`it started: ${control.baseUrl}`);
    } catch (error) {
      if (error instanceof ControlError) return error;
      throw error;
    }
  };
  const empty = join(root, 'empty');
  await mkdir(empty);
  t.match(await code(empty), { code: 'config-missing', message: /wrld world init/ });
  t.notOk(existsSync(join(empty, '.wrld')), 'nothing was made');
  t.match(await code(await world('{\n "name": "acme/shop",\n "nmae": 1\n}')), {
    code: 'config-invalid',
    message: /world\.json:3:/,
  });
  t.match(await code(await world({ name: 'acme/shop', services: { x: { twin: 'nobody' } } })), {
    code: 'twin-unusable',
    message: /services\.x\.twin: no twin “nobody” ships with wrld \(anthropic, openai, smtp, stripe\)/,
  });
  const handlers = await world({
    name: 'acme/shop',
    services: { stripe: { twin: 'stripe', colocate: { scenarioPath: 'h.json' } } },
  });
  await writeFile(join(handlers, 'h.json'), '{"version":1,"handlres":[]}');
  t.match(await code(handlers), { code: 'twin-unusable', message: /h\.json/ });
  const damaged = await world();
  await mkdir(join(damaged, '.wrld', 'world'), { recursive: true });
  await writeFile(
    join(damaged, '.wrld', 'world', 'world.db'),
    'no database, surely, whatever one may think of it',
  );
  t.match(await code(damaged), { code: 'store-unusable' });

  const folder = await world();
  await using control = await start(folder);
  t.match(await code(folder), {
    code: 'already-running',
    pid: process.pid,
    message: new RegExp(`process ${process.pid}`),
  });
  t.match(await code(await world(), { port: portOf(control.baseUrl) }), {
    code: 'cannot-listen',
    message: /listens there already/,
  });
  const taken = await code(await world(), { proxyPort: portOf(control.baseUrl) });
  t.match(taken, { code: 'proxy-failed', message: /EADDRINUSE/ });
});

t.test('an edit of the config is in force while requests run', async t => {
  await using there = await origin();
  const folder = await world();
  await using control = await start(folder);
  const { url } = there;
  t.equal(refusal(await throughProxy(control.proxyUrl, `${url}/`)), 'grant');
  await configure(folder, there.granted);
  await until('the grant', async () => control.status().proxy.policy === 2);
  t.match(await throughProxy(control.proxyUrl, `${url}/`), { status: 200 });
  await configure(folder, '{ "name": "acme/shop", "runtime": { "network": { "egress": ["*"] } } }');
  const told = async (): Promise<ControlStatus> =>
    JSON.parse(await readFile(join(folder, '.wrld', 'run', 'status.json'), 'utf8'));
  await until('the fault', async () => (await told()).config.fault !== null);
  t.match((await told()).config.fault, /world\.json:1:/);
  t.strictSame(await told(), control.status());
  t.match(await throughProxy(control.proxyUrl, `${url}/`), { status: 200 }, 'a bad edit changes nothing');
});

t.test('[7.2 sealed] a sandbox reaches its twins alone', async t => {
  await using there = await origin();
  await using control = await start(await world(there.granted), { sandbox: true });
  const refused = await throughProxy(control.proxyUrl, `${there.url}/`);
  t.match(refused.body.toString(), /"rule":"sealed"/);
  t.equal((await createCustomerAlone(control, 'a@acme.test')).status, 200);
});

t.test('a world deep in the file system', async t => {
  const folder = await world(STRIPE_WORLD, join(root, 'deep'.repeat(10), 'deep'.repeat(20), 'shop'));
  await using control = await start(folder);
  t.equal((await createCustomerAlone(control, 'a@acme.test')).status, 200);
});

t.test(
  'the proxy killed under load: the same port answers again, and nothing acknowledged is lost',
  async t => {
    await using control = await start(await world());
    const acknowledged: string[] = [];
    let failures = 0;
    let stop = false;
    const client = async (name: number): Promise<void> => {
      for (let turn = 0; !stop; ) {
        try {
          const tunnel = await stripe(control);
          await using peer = tunnel.peer;
          while (!stop) {
            const response = await createCustomer({ ...tunnel, peer }, `c${name}-${turn++}@acme.test`);
            if (response.status === 200) acknowledged.push(JSON.parse(response.body.toString()).id);
          }
        } catch {
          failures += 1;
          await new Promise(resolve => setTimeout(resolve, 5));
        }
      }
    };
    const clients = Array.from({ length: 8 }, (_, name) => client(name));
    for (let kill = 1; kill <= 2; kill++) {
      const before = acknowledged.length;
      await until('load', async () => acknowledged.length > before + 50);
      const pid = control.proxyPid;
      process.kill(pid, 'SIGKILL');
      await until('the next proxy', async () => control.proxyPid !== pid && control.proxyPid !== 0);
    }
    const after = acknowledged.length;
    await until('load on the last one', async () => acknowledged.length > after + 50);
    stop = true;
    await Promise.all(clients);
    t.ok(failures > 0, `${failures} connections were cut`);
    t.equal(control.status().proxy.restarts, 2);
    const made = new Set<string>();
    for (let position = 0; ; ) {
      const { entries, next } = await endpoint(control, `log/stripe?after=${position}`);
      for (const entry of entries) for (const change of entry.changes) made.add(change.id);
      if (next === null || entries.length === 0) break;
      position = next;
    }
    t.strictSame(
      acknowledged.filter(id => !made.has(id)),
      [],
      `${acknowledged.length} acknowledged, all in the log`,
    );
  },
);

t.test('control killed: the proxy serves egress on, and the next control takes it over', async t => {
  await using there = await origin();
  const folder = await world(there.granted);
  const { child, up } = await startProcess(folder);
  t.teardown(() => child.kill('SIGKILL'));
  const created = await createCustomerAlone(up, 'a@acme.test');
  const { id } = JSON.parse(created.body.toString());
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;

  t.ok(isAlive(up.proxyPid));
  t.match(await throughProxy(up.proxyUrl, `${there.url}/`), { status: 200 }, 'egress by the last snapshot');
  t.equal(refusal(await throughProxy(up.proxyUrl, 'http://nowhere.test/')), 'grant', 'and nothing else');
  const away = await createCustomerAlone(up, 'b@acme.test');
  t.equal(away.status, 502);
  t.equal(refusal(away), undefined, 'no rule refused it');

  await using control = await start(folder);
  t.equal(control.proxyPid, up.proxyPid, 'adopted');
  t.equal(control.proxyUrl, up.proxyUrl);
  t.equal((await createCustomerAlone(control, 'c@acme.test')).status, 200);
  const kept = await fetch(`${control.worldUrl}/stripe/v1/customers/${id}`, {
    headers: { 'x-wrld-token': control.token, authorization: 'Bearer sk_test_x' },
  });
  t.match(await kept.json(), { id }, 'what was acknowledged is there');
  await control.close();
  t.notOk(isAlive(up.proxyPid), 'and it ends with the control that adopted it');
});

t.test('as a process: one JSON line, SIGTERM drains both, exit codes', async t => {
  const { child, up } = await startProcess(await world());
  t.match(up, {
    baseUrl: String,
    worldUrl: String,
    proxyUrl: String,
    caFile: String,
    pid: child.pid,
    proxyPid: Number,
  });
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  t.strictSame(await within('control to end', ended, START_MS_MAX), [0, null]);
  t.notOk(isAlive(up.proxyPid));
  for (const args of [
    ['--port', 'x'],
    ['--log-level', 'loud'],
    ['--folder', join(root, 'empty')],
    ['--nonsense'],
  ]) {
    const wrong = spawn(process.execPath, [MAIN, ...args], { stdio: 'ignore' });
    t.strictSame(await once(wrong, 'exit'), [2, null], args.join(' '));
  }
});

/** What other processes bring about has no event here to await. */
async function until(what: string, ready: () => Promise<boolean>): Promise<void> {
  const look = async (): Promise<void> => {
    while (!(await ready())) await new Promise(resolve => setTimeout(resolve, 5));
  };
  await within(what, look(), START_MS_MAX);
}

t.test('`workers`: the proxy is one process with as many threads, and twins answer in each', async t => {
  const folder = await world();
  await using control = await start(folder, { workers: 2 });
  t.ok(isAlive(control.proxyPid));
  const ca = await readFile(control.caFile, 'utf8');
  for (let nth = 0; nth < 8; nth++) {
    const { peer } = await connectTunnel(portOf(control.proxyUrl), 'api.stripe.com:443', { tls: { ca } });
    await peer.send(
      'GET /v1/customers HTTP/1.1\r\nHost: api.stripe.com\r\nAuthorization: Bearer sk_test_1\r\n\r\n',
    );
    t.equal((await peer.readResponse()).status, 200);
    peer.socket.destroy();
  }
  const { proxyPid } = control;
  await control.close();
  t.notOk(isAlive(proxyPid));
  t.match(await readFile(join(folder, '.wrld', 'run', 'proxy.log'), 'utf8'), /"workers":2,"msg":"listening"/);
});
