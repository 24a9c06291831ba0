// Asks a world that may be killed at any moment: an answer, or the knowledge that there was none.
import { type Agent, request } from 'node:http';

export type Answer = { readonly status: number; readonly body: string };

/** Null: the connection ended without a whole answer. Nobody knows then what the world did. */
export type Asked = Answer | null;

export type Ask = {
  readonly method: string;
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
  /** The request line's target where it is not the URL's path: as a proxy is asked. */
  readonly path?: string;
  readonly agent?: Agent;
};

/** Long enough for any catch-up that the harness causes; a world that is silent longer hangs. */
const ANSWER_MS_MAX = 60_000;

export function ask({ method, url, path, headers = {}, body, agent }: Ask): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method,
      headers,
      ...(path === undefined ? {} : { path }),
      ...(agent === undefined ? {} : { agent }),
    });
    asked.setTimeout(ANSWER_MS_MAX, () =>
      asked.destroy(new Error(`no answer to ${method} ${url} in ${ANSWER_MS_MAX} ms`)),
    );
    asked.on('error', (error: NodeJS.ErrnoException) =>
      error.code === undefined ? reject(error) : resolve(null),
    );
    asked.on('response', answer => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', () => resolve(null));
      answer.on('close', () =>
        resolve(answer.complete ? { status: answer.statusCode ?? 0, body: text } : null),
      );
    });
    asked.end(body);
  });
}
