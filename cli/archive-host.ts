// A host that worlds move to or from (`wrld host`, or the edge), as its admin asks it.
import type { IncomingMessage } from 'node:http';
import { type JsonText, parseJson } from '../policy/json-text.ts';
import { http } from '../process/http.ts';
import { BadArchive, type ReadArchive, readArchive } from './archive-text.ts';
import { ANSWER_BYTES_MAX, ARCHIVE_PART_MS_MAX, PART_SENT_TIMES_MAX } from './limits.ts';

/** What the host says, or why it could not be asked. */
export class HostRefusal extends Error {
  override readonly name = 'HostRefusal';
  /** The host's own word for it; null where it did not answer. */
  readonly code: string | null;

  constructor(message: string, code: string | null) {
    super(message);
    this.code = code;
  }
}

export type Judged = {
  readonly name: string;
  readonly worlds: readonly string[];
  readonly rows: number;
  readonly bytes: number;
  readonly left: readonly {
    readonly world: string;
    readonly what: string;
    readonly name: string;
    readonly why: string;
  }[];
};

export type MovedRow = {
  readonly name: string;
  readonly base: string;
  readonly token: string | null;
  readonly readToken: string | null;
};

export type HostPlace = {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
};

export class ArchiveHost {
  readonly #place: HostPlace;

  constructor(place: HostPlace) {
    this.#place = place;
  }

  /** Throws `HostRefusal` and `BadArchive`. */
  async read(name: string): Promise<ReadArchive> {
    const answer = await this.#open('GET', pathOf(name));
    if (answer.statusCode !== 200) throw refusalOf(await textOf(answer), answer.statusCode);
    return readArchive(chunksOf(answer));
  }

  async judge(name: string, first: string): Promise<Judged> {
    return (await this.#ask('POST', `${pathOf(name)}/check`, first)) as Judged;
  }

  async begin(name: string, first: string): Promise<Judged> {
    return (await this.#ask('POST', pathOf(name), first)) as Judged;
  }

  /** The rows of the worlds after the last part; null before. A part of which no word came back is sent again. */
  async send(name: string, part: string): Promise<readonly MovedRow[] | null> {
    for (let times = 1; ; times++)
      try {
        const { worlds } = (await this.#ask('PUT', pathOf(name), part)) as { worlds?: readonly MovedRow[] };
        return worlds ?? null;
      } catch (error) {
        if (!(error instanceof HostRefusal) || error.code !== null || times >= PART_SENT_TIMES_MAX)
          throw error;
      }
  }

  /** Harmless where nothing arrives. */
  async abandon(name: string): Promise<void> {
    await this.#open('DELETE', pathOf(name)).then(
      answer => void answer.resume(),
      () => {},
    );
  }

  async #ask(method: string, path: string, body: string): Promise<unknown> {
    const answer = await this.#open(method, path, body);
    const text = await textOf(answer);
    const { statusCode: status = 0 } = answer;
    if (status < 200 || status > 299) throw refusalOf(text, status);
    const read = parseJson(text);
    if (!read.ok)
      throw new HostRefusal(`${this.#place.url} answers no JSON; is it a host of worlds?`, 'no-host');
    return read.value;
  }

  #open(method: string, path: string, body?: string): Promise<IncomingMessage> {
    const { url, token } = this.#place;
    const request = url.startsWith('https:') ? process.getBuiltinModule('node:https').request : http.request;
    return new Promise((resolve, reject) => {
      const asked = request(`${url}${path}`, {
        method,
        agent: false,
        headers: {
          'x-wrld-token': token,
          ...(body !== undefined && {
            'content-type': 'application/x-ndjson',
            'content-length': Buffer.byteLength(body),
          }),
        },
      });
      const silent = (): void => void asked.destroy(new Error('it does not answer'));
      asked.setTimeout(ARCHIVE_PART_MS_MAX, silent);
      asked.on('error', error => reject(new HostRefusal(`${url} cannot be asked: ${error.message}`, null)));
      asked.on('response', resolve);
      asked.end(body);
    });
  }
}

function pathOf(name: string): string {
  return `/-/worlds/${name}/archive`;
}

function refusalOf(text: string, status = 0): HostRefusal {
  const read: JsonText = parseJson(text);
  const { error } = ((read.ok ? read.value : null) ?? {}) as {
    error?: { code?: unknown; message?: unknown };
  };
  if (typeof error?.code === 'string' && typeof error.message === 'string')
    return new HostRefusal(error.message, error.code);
  return new HostRefusal(`It answers ${status}; is it a host of worlds of this release?`, 'no-host');
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of chunksOf(answer)) {
    text += chunk;
    if (text.length > ANSWER_BYTES_MAX) throw new BadArchive('The host’s answer is too long.');
  }
  return text;
}

async function* chunksOf(answer: IncomingMessage): AsyncGenerator<string> {
  try {
    yield* answer.setEncoding('utf8') as AsyncIterable<string>;
  } catch (error) {
    throw new HostRefusal(`The host broke off: ${(error as Error).message}`, null);
  }
}
