// A Firefox as the machine has it, spoken to by WebDriver BiDi, which it brings itself: enough to open a page and to ask it
// things. (Playwright drives a build of its own.)
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { WebSocket } from 'ws';
import { within } from '../kit/deadline.ts';

export const FIREFOX: string | undefined = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);

/** For a Firefox that is to be spoken to: it says where on standard error. */
export const FIREFOX_SWITCHES = ['--headless', '--remote-debugging-port=0'] as const;

const START_MS_MAX = 60_000;

export type Firefox = {
  /** Resolves when the page and what it loads are there; throws what Firefox says of one that cannot be opened. */
  goto(url: string): Promise<void>;
  /** What a function body answers in the page; JSON can say it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects.
  run(body: string): Promise<any>;
  /** Ends it. */
  close(): Promise<void>;
};

type Told = {
  readonly id: number | null;
  readonly type: 'success' | 'error' | 'event';
  readonly result?: unknown;
  readonly message?: string;
};

/** The Firefox that `child` is, or has started; its standard error is a pipe. */
export async function firefoxOf(child: ChildProcess): Promise<Firefox> {
  const ended = once(child, 'close');
  const at = await within('the Firefox to say where it listens', placeOf(child.stderr!), START_MS_MAX);
  const socket = new WebSocket(`${at}/session`);
  const waiting = new Map<number, (told: Told) => void>();
  socket.on('message', data => {
    const told = JSON.parse(String(data)) as Told;
    if (told.id !== null) waiting.get(told.id)?.(told);
  });
  await once(socket, 'open');
  let last = 0;
  const ask = async <T>(method: string, params: object): Promise<T> => {
    const id = ++last;
    const answered = new Promise<Told>(resolve => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const told = await within(`${method} of the Firefox`, answered, START_MS_MAX);
    waiting.delete(id);
    if (told.type === 'error') throw new Error(`${method}: ${told.message}`);
    return told.result as T;
  };
  await ask('session.new', { capabilities: {} });
  const { contexts } = await ask<{ readonly contexts: readonly { readonly context: string }[] }>(
    'browsingContext.getTree',
    {},
  );
  const { context } = contexts[0]!;
  return {
    goto: url => ask('browsingContext.navigate', { context, url, wait: 'complete' }),
    run: async body => {
      const { result, exceptionDetails } = await ask<Evaluated>('script.evaluate', {
        expression: `(async () => { ${body} })().then(value => JSON.stringify(value ?? null))`,
        target: { context },
        awaitPromise: true,
      });
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
      return JSON.parse(result!.value);
    },
    close: async () => {
      await ask('browser.close', {}).catch(() => {});
      await ended;
    },
  };
}

type Evaluated = {
  readonly result?: { readonly value: string };
  readonly exceptionDetails?: { readonly text: string };
};

async function placeOf(stderr: Readable): Promise<string> {
  let said = '';
  for await (const line of createInterface({ input: stderr })) {
    const at = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(line)?.[1];
    if (at !== undefined) {
      // Whatever it says from here on must not fill the pipe.
      stderr.resume();
      return at;
    }
    said += `${line}\n`;
  }
  throw new Error(`it ended: ${said}`);
}
