// Hosts of many worlds for tests: a directory that is gone with the test, and its host asked over a real socket. Each
// answer of the host's own endpoints is held to what its route documents.
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import type { AdminRoute } from '../../control/hosting/admin-route.ts';
import { adminRoutes } from '../../control/hosting/routes.ts';
import { makeBareWorld } from '../../control/node/host/bare-world.ts';
import { type HostOptions, type RunningHost, startHost } from '../../control/node/host/host.ts';
import { openLog } from '../../control/node/log.ts';
import { holdTo } from './contract.ts';
import { within } from './deadline.ts';

/** Gone when the test ends. */
export async function hostDirectory(t: Pick<Test, 'teardown'>): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'wrld-host-')));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export const startHostQuietly = (directory: string, more: Partial<HostOptions> = {}): Promise<RunningHost> =>
  startHost({ directory, host: '127.0.0.1', port: 0, budget: null, log: openLog('silent'), ...more });

/** As `wrld world init --bare` makes it; answers its tokens. */
export async function bareWorld(
  directory: string,
  name: string,
  vendors: readonly string[] = ['stripe'],
): Promise<{ readonly token: string; readonly readToken: string }> {
  const made = await makeBareWorld({ directory, name, vendors });
  if (!made.ok) throw new Error(`${name} is there already`);
  return { token: made.tokens.write.reveal(), readToken: made.tokens.read.reveal() };
}

export type HostAsk = {
  /** Sent as `x-wrld-token`. */
  readonly token?: string;
  readonly body?: object | string;
  readonly headers?: { readonly [name: string]: string };
  /** Where much is asked at once; else as long as any answer may take. */
  readonly waitMs?: number;
};

export type HostAnswer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests assert.
  readonly json: any;
};

/** What is asked: where it is, and the endpoints of its own that it documents. */
export type AskedHost = { readonly baseUrl: string; readonly routes?: readonly AdminRoute[] };

/** `ask(host, 'GET', '/-/ping')`. */
export async function askHost(
  { baseUrl, routes = adminRoutes }: AskedHost,
  method: string,
  path: string,
  { token, body, headers = {}, waitMs }: HostAsk = {},
): Promise<HostAnswer> {
  const sent = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const { port } = new URL(baseUrl);
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent: false,
    headers: {
      host: `127.0.0.1:${port}`,
      'content-length': Buffer.byteLength(sent),
      ...(token === undefined ? {} : { 'x-wrld-token': token }),
      ...headers,
    },
  });
  outgoing.end(sent);
  const [response] = (await within('an answer', once(outgoing, 'response'), waitMs)) as [IncomingMessage];
  const whole = await within('the whole answer', text(response), waitMs);
  const status = response.statusCode!;
  // At a world's own origin that world answers.
  if (path.startsWith('/-/') && headers['host'] === undefined)
    holdTo(routes, {
      method,
      target: path,
      status,
      contentType: response.headers['content-type'],
      text: whole,
    });
  let json: unknown = null;
  try {
    json = JSON.parse(whole);
  } catch {}
  return { status, headers: response.headers, text: whole, json };
}
