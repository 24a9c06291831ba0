// Asks a world's endpoints, past whatever proxy this process's own environment names.
import type { IncomingMessage } from 'node:http';
import { http } from '../process/http.ts';
import { ANSWER_BYTES_MAX, ANSWER_MS_MAX } from './limits.ts';

const TOO_LONG = `its answer is longer than ${ANSWER_BYTES_MAX / 1024 / 1024} MB; is it a world?`;

export type Answered =
  | { readonly ok: true; readonly status: number; readonly body: unknown }
  | { readonly ok: false; readonly why: string };

export type WorldClient = {
  get(path: string): Promise<Answered>;
  /** `patient`: the answer may take as long as it takes. `type`: of a body that is a text, and no JSON. */
  send(
    method: 'PUT' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    how?: { readonly patient?: boolean; readonly type?: string },
  ): Promise<Answered>;
  /**
   * Server-sent events by kind, one at a time, the first being `open`, until `take` resolves to false, `signal` aborts or the
   * world ends them. Why they ended.
   */
  events(path: string, take: (kind: string) => Promise<boolean>, signal?: AbortSignal): Promise<string>;
};

/** `baseUrl`: `http://127.0.0.1:<port>`, or `https://` of a served world. Paths are whole: `/-/<org>/<world>/clock`. */
export function worldClient(baseUrl: string, token: string): WorldClient {
  const request = baseUrl.startsWith('https:')
    ? process.getBuiltinModule('node:https').request
    : http.request;
  const ask = (
    method: string,
    path: string,
    body?: unknown,
    { patient = false, type }: { readonly patient?: boolean; readonly type?: string } = {},
  ): Promise<Answered> =>
    new Promise(resolve => {
      const text = body === undefined ? undefined : type === undefined ? JSON.stringify(body) : String(body);
      const asked = request(`${baseUrl}${path}`, {
        method,
        agent: false,
        ...(patient ? {} : { signal: AbortSignal.timeout(ANSWER_MS_MAX) }),
        headers: {
          'x-wrld-token': token,
          ...(text === undefined
            ? {}
            : { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(text) }),
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
    events: (path, take, signal) =>
      new Promise(resolve => {
        const asked = request(`${baseUrl}${path}`, {
          agent: false,
          headers: { 'x-wrld-token': token },
          ...(signal === undefined ? {} : { signal }),
        });
        asked.on('error', error => resolve(error.message));
        asked.on('response', answer => {
          follow(answer, take).then(resolve, (error: Error) => resolve(error.message));
        });
        asked.end();
      }),
  };
}

async function follow(answer: IncomingMessage, take: (kind: string) => Promise<boolean>): Promise<string> {
  if (answer.statusCode !== 200) {
    answer.destroy();
    return `the world answers ${answer.statusCode}`;
  }
  // What happened before the stream was open is not told: a look at its beginning sees it.
  if (!(await take('open'))) return '';
  let held = '';
  for await (const text of answer.setEncoding('utf8')) {
    const lines = (held + text).split('\n');
    held = lines.pop()!;
    if (held.length > ANSWER_BYTES_MAX) throw new Error(TOO_LONG);
    for (const line of lines)
      if (line.startsWith('event:') && !(await take(line.slice('event:'.length).trim()))) return '';
  }
  return 'the world ended';
}

async function read(answer: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(TOO_LONG);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? null : JSON.parse(text);
}
