// Asks a world's endpoints, on loopback, past whatever proxy this process's own environment names.
import { type IncomingMessage, request } from 'node:http';

type Answered =
  | { readonly ok: true; readonly status: number; readonly body: unknown }
  | { readonly ok: false; readonly why: string };

export type WorldClient = {
  get(path: string): Promise<Answered>;
  send(method: 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answered>;
};

/** Loopback answers at once; a world that is catching up takes a little longer. */
const ANSWER_MS_MAX = 15_000;

/** `baseUrl`: `http://127.0.0.1:<port>`. Paths are whole: `/-/<org>/<world>/clock`. */
export function worldClient(baseUrl: string, token: string): WorldClient {
  const ask = (method: string, path: string, body?: unknown): Promise<Answered> =>
    new Promise(resolve => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const asked = request(`${baseUrl}${path}`, {
        method,
        agent: false,
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
        headers: {
          'x-wrld-token': token,
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      });
      asked.on('error', error => resolve({ ok: false, why: error.message }));
      asked.on('response', answer => {
        read(answer).then(
          parsed => resolve({ ok: true, status: answer.statusCode ?? 0, body: parsed }),
          (error: Error) => resolve({ ok: false, why: error.message }),
        );
      });
      asked.end(text);
    });
  return {
    get: path => ask('GET', path),
    send: ask,
  };
}

async function read(answer: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? null : JSON.parse(text);
}
