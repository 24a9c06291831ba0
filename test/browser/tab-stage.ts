// Pages of another origin than a world's, which attach themselves to it by the module that the world serves, and what stands
// outside of the world for them to miss.
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import type { Test } from 'tap';
import { type RunningControl, startControl } from '../../control/node/control.ts';
import { openLog } from '../../control/node/log.ts';

const SITE_TWIN = new URL('../kit/site-twin.ts', import.meta.url).pathname;

export type TabStage = {
  readonly control: RunningControl;
  /** Of the pages, which is not the world's. */
  readonly page: string;
  /** Where they are served, and where everything outside is to lead. */
  readonly port: number;
  /** `METHOD host/path` of each request that reached the machine outside of the world. */
  readonly outside: string[];
};

export async function openTabStage(t: Test): Promise<TabStage> {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-tab-'));
  await mkdir(join(folder, '.wrld'));
  const config = {
    name: 'acme/shop',
    services: {
      stripe: { twin: 'stripe' },
      openai: { twin: 'openai', colocate: { scenarioPath: 'openai.json' } },
      acme: { twin: relative(folder, SITE_TWIN) },
    },
    runtime: {
      network: {
        egress: ['http://granted.test', 'http://part.test/v1/'],
        writes: ['http://granted.test/write'],
      },
    },
  };
  await writeFile(join(folder, '.wrld', 'world.json'), JSON.stringify(config));
  await writeFile(join(folder, 'openai.json'), JSON.stringify(HANDLERS));
  const log = openLog('silent');
  const control = await startControl({
    ...{ folder, host: '127.0.0.1', port: 0, proxyPort: 0, sandbox: false, log },
  });
  const sdks = await bundle();
  const outside: string[] = [];
  const server = createServer((request, response): void => {
    const { method, url = '/', headers } = request;
    request.resume();
    const own = String(headers.host).startsWith('127.0.0.1');
    if (!own) outside.push(`${method} ${headers.host}${url}`);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    const file = own ? filesOf(control, sdks)[url] : undefined;
    if (file === undefined) {
      response.end(own ? '{"own":true}' : '{"outside":true}');
      return;
    }
    response.setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html');
    const policy = POLICIES[url]?.(control);
    if (policy !== undefined) response.setHeader('content-security-policy', policy);
    response.end(file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.teardown(async () => {
    await control.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { control, page: `http://127.0.0.1:${port}`, port, outside };
}

const HANDLERS = {
  version: 1,
  handlers: [{ id: 'hello', match: {}, reply: { text: 'Hello from the world.' } }],
};

/** The vendors' own, as an app would bundle them. */
async function bundle(): Promise<string> {
  const contents = `
    import OpenAI from 'openai';
    import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
    import Stripe from 'stripe';
    globalThis.sdks = { OpenAI, OpenAIRealtimeWebSocket, Stripe };`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    ...{ bundle: true, format: 'esm', platform: 'browser', write: false, logLevel: 'silent' },
  });
  return outputFiles![0]!.text;
}

/** By path. */
function filesOf(control: RunningControl, sdks: string): { readonly [path: string]: string } {
  const program = `${control.baseUrl}/-/acme/shop/tab/attach.js`;
  const attach = (more: string): string => `
    import { attach } from ${JSON.stringify(program)};
    globalThis.attached = await attach({
      world: ${JSON.stringify(control.worldUrl)}, token: ${JSON.stringify(control.token)}, program: 'checkout.js', ${more}
    });`;
  const shell = (script: string): string =>
    `<!doctype html><title>app</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;
  return {
    '/strict': shell('/app.js'),
    '/strict-workers': shell('/app.js'),
    '/declared': shell('/declared.js'),
    '/wrong': shell('/wrong.js'),
    '/app.js': `${attach('')}\nawait import('/sdks.js');\ndocument.documentElement.dataset.ready = '';`,
    '/declared.js': `${attach(`hosts: ['api.openai.com', 'granted.test'], grants: { egress: ['http://embedder.test/'] },
      declaredBy: { capability: 'network.egress', file: 'checkout.json', line: 3 }`)}\ndocument.documentElement.dataset.ready = '';`,
    '/wrong.js': `
      import { attach } from ${JSON.stringify(program)};
      globalThis.why = await attach({ world: ${JSON.stringify(control.worldUrl)}, token: 'tok_w_wrong', program: 'checkout.js' })
        .catch(error => error.message);
      document.documentElement.dataset.ready = '';`,
    '/sdks.js': sdks,
    '/worker.js': WORKER,
    '/module.js': `${WORKER}\nexport {};`,
    '/more.js': 'self.more = location.pathname;',
  };
}

/** Says what it is asked for, and has one of its own that does. */
const WORKER = `
  const text = url => fetch(url, url.includes('stripe') ? { headers: { authorization: 'Bearer sk_test_x' } } : {})
    .then(answer => answer.json()).catch(error => error.message);
  onmessage = async ({ data: { urls, nested } }) => {
    if (self.importScripts !== undefined && self.location.pathname === '/worker.js') importScripts('./more.js');
    const own = await Promise.all(urls.map(text));
    if (!nested) return postMessage({ own, more: self.more ?? null });
    const inner = new Worker('./worker.js');
    inner.onmessage = ({ data }) => postMessage({ own, more: self.more ?? null, inner: data.own });
    inner.postMessage({ urls, nested: false });
  };`;

/** By path. For Firefox a worker's imports are workers too. */
const POLICIES: { readonly [path: string]: (control: RunningControl) => string } = {
  '/strict': strictPolicy,
  '/strict-workers': control => `${strictPolicy(control)} ${control.baseUrl}`,
};

function strictPolicy({ baseUrl }: RunningControl): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${baseUrl}`,
    `connect-src 'self' ${baseUrl} ${baseUrl.replace(/^http/, 'ws')} http://*.test`,
    'img-src data:',
    'worker-src blob:',
  ].join('; ');
}
