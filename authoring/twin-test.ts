// `wrld/twin-test`: a whole world around a twin, for its tests: real proxy, real TLS, real store, in a folder that is gone
// afterwards. Nothing leaves it but what goes to this machine's own loopback (webhooks).
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { Agent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type RunningControl, startControl } from '../control/node/control.ts';
import type { Log } from '../control/ports/log.ts';
import type { Entry } from '../control/world/log/entry.ts';
import { proxiedFetch } from './proxied-fetch.ts';

export type { Entry } from '../control/world/log/entry.ts';

/** A webhook is awaited so long. */
const WEBHOOK_MS_MAX = 10_000;

export type TwinWorldOptions = {
  /** Service → its module (`new URL('./acme.ts', import.meta.url)`, a package) or the name of a twin that ships. */
  readonly twins: { readonly [service: string]: URL | string };
  /** Service → the document of its handlers file. */
  readonly handlers?: { readonly [service: string]: object };
  /** The instant that the world's clock stands at; it runs with the wall's unless given. */
  readonly at?: string;
};

export type TwinWorld = AsyncDisposable & {
  /** As the app's: to the vendor's own hosts, through the world's proxy. */
  readonly fetch: typeof fetch;
  /** For an SDK that takes an agent instead of a fetch. */
  readonly agent: Agent;
  /** `<baseUrl>/<org>/<world>`: under it `/<service>/…` is a twin. */
  readonly worldUrl: string;
  /** Opens everything of this world: `x-wrld-token` at its endpoints, `x-twins-key` at its twins. */
  readonly token: string;
  /** What the world complained of so far, a line each; a twin that failed is told of here. */
  readonly complaints: readonly string[];
  /** The twin's log, oldest first. */
  log(service: string): Promise<readonly Entry[]>;
  /** `GET /twin/scenario` (handlers, how often each matched, what nothing answered). */
  scenario(service: string): Promise<ScenarioSeen>;
  /** Moves the clock on (`90s`, `4h`, `31d`) and lets happen what is due until then. Stops the clock, if it ran. */
  advance(by: string): Promise<void>;
  /** A receiver of webhooks on this machine. */
  receiver(): Promise<Receiver>;
};

export type ScenarioSeen = {
  readonly handlers: readonly { readonly id: string; readonly matched: number }[];
  readonly unmatched: readonly { readonly method: string; readonly path: string }[];
  readonly unmatchedTotal: number;
};

export type Received = {
  readonly headers: { readonly [name: string]: string };
  /** The exact text: what a signature is over. */
  readonly body: string;
};

export type Receiver = {
  readonly url: string;
  /** What came, in order; waits for it. */
  next(): Promise<Received>;
  /** The status of the next answers; 200 at first. */
  answer(status: number): void;
};

/** Rejects with what is wrong, in words, where a twin or its handlers cannot be used. */
export async function openTwinWorld(options: TwinWorldOptions): Promise<TwinWorld> {
  await using opened = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wrld-twin-')));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await writeWorld(folder, options);
  const complaints: string[] = [];
  const control = await startControl({
    folder,
    host: '127.0.0.1',
    port: 0,
    proxyPort: 0,
    sandbox: true,
    log: complainingLog(complaints),
  });
  opened.use(control);
  const proxied = opened.use(proxiedFetch(control.proxyUrl, await readFile(control.caFile, 'utf8')));
  const { at } = options;
  if (at !== undefined) await ask(control, 'PUT', 'clock', { at });
  const kept = opened.move();
  return {
    fetch: proxied.fetch,
    agent: proxied.agent,
    worldUrl: control.worldUrl,
    token: control.token,
    complaints,
    log: async service => {
      const entries: Entry[] = [];
      for (let after = 0; ; ) {
        const page = (await ask(control, 'GET', `log/${service}?after=${after}`)) as {
          readonly entries: readonly Entry[];
        };
        if (page.entries.length === 0) return entries;
        entries.push(...page.entries);
        after = page.entries.at(-1)!.position;
      }
    },
    scenario: async service => {
      const answer = await fetch(`${control.worldUrl}/${service}/twin/scenario`, {
        headers: { 'x-twins-key': control.token },
      });
      return (await answer.json()) as ScenarioSeen;
    },
    advance: async by => {
      const clock = (await ask(control, 'GET', 'clock')) as { readonly at: string; readonly frozen: boolean };
      if (!clock.frozen) await ask(control, 'PUT', 'clock', { at: clock.at });
      await ask(control, 'POST', 'clock/advance', { by });
    },
    receiver: async () => {
      const made = await openReceiver();
      kept.use(made);
      return made;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function writeWorld(folder: string, { twins, handlers = {} }: TwinWorldOptions): Promise<void> {
  const services = Object.entries(twins).map(([service, module]) => {
    const twin = module instanceof URL ? fileURLToPath(module) : module;
    const scenario = handlers[service] === undefined ? {} : { colocate: { scenarioPath: `${service}.json` } };
    return [service, { twin, ...scenario }];
  });
  await mkdir(join(folder, '.wrld'));
  const config = { name: 'twin/test', services: Object.fromEntries(services) };
  await writeFile(join(folder, '.wrld', 'world.json'), JSON.stringify(config));
  for (const [service, document] of Object.entries(handlers))
    await writeFile(join(folder, `${service}.json`), JSON.stringify({ version: 1, ...document }));
}

function complainingLog(complaints: string[]): Log {
  const keep = (fields: object, message: string): void => {
    complaints.push(`${message} ${JSON.stringify(fields)}`);
  };
  const drop = (): void => undefined;
  return { debug: drop, info: drop, warn: keep, error: keep };
}

async function ask(control: RunningControl, method: string, path: string, body?: object): Promise<unknown> {
  const { origin, pathname } = new URL(control.worldUrl);
  const answer = await fetch(`${origin}/-${pathname}/${path}`, {
    method,
    headers: { 'x-wrld-token': control.token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const told = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${told}`);
  return JSON.parse(told);
}

async function openReceiver(): Promise<Receiver & AsyncDisposable> {
  const came: Received[] = [];
  const waiting: ((received: Received) => void)[] = [];
  let status = 200;
  const server: Server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
    );
    response.writeHead(status).end();
    const take = waiting.shift();
    if (take === undefined) came.push({ headers, body });
    else take({ headers, body });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // One that could not be accepted comes again: the world tries for days.
  server.on('error', () => {});
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    next: () => {
      const first = came.shift();
      if (first !== undefined) return Promise.resolve(first);
      const { promise, resolve, reject } = Promise.withResolvers<Received>();
      const late = setTimeout(() => reject(new Error('no webhook came')), WEBHOOK_MS_MAX);
      waiting.push(received => {
        clearTimeout(late);
        resolve(received);
      });
      return promise;
    },
    answer: next => {
      status = next;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
