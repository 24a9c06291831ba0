// `fetch` through a world's proxy that changes nothing in its process: a test may have several worlds open, and its own
// requests go where they always went.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { WorldAgent } from './world-agent.ts';

export type ProxiedFetch = Disposable & {
  /** As the global one, but for redirects, which it hands on as they are. */
  readonly fetch: typeof fetch;
  /** For an SDK that takes an agent instead. */
  readonly agent: Agent;
};

/** `ca`: PEM, of the world's authority. */
export function proxiedFetch(proxyUrl: string, ca: string): ProxiedFetch {
  const agent = new WorldAgent({ proxyUrl, ca }, { secure: true });
  const plain = new WorldAgent({ proxyUrl, ca }, { secure: false });
  return {
    agent,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const url = new URL(request.url);
      const { method, signal } = request;
      const headers = Object.fromEntries(request.headers);
      const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      const options = { method, headers, signal };
      const answered = (answer: IncomingMessage): void => resolve(responseOf(method, answer));
      const sent =
        url.protocol === 'https:'
          ? httpsRequest(url, { ...options, agent }, answered)
          : httpRequest(url, { ...options, agent: plain }, answered);
      sent.on('error', cause =>
        reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause })),
      );
      sent.end(body);
      return await promise;
    },
    [Symbol.dispose]: () => {
      agent.destroy();
      plain.destroy();
    },
  };
}

function responseOf(method: string, answer: IncomingMessage): Response {
  const headers = new Headers();
  const { rawHeaders, statusCode = 502, statusMessage = '' } = answer;
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const bodyless = method === 'HEAD' || statusCode === 204 || statusCode === 304;
  if (bodyless) answer.resume();
  const body = bodyless ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(body, { status: statusCode, statusText: statusMessage, headers });
}
