// The demo's app as a child process of the world: started, talked to over its own HTTP, stopped.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DEMO_SHOP_MS_MAX } from '../limits.ts';
import { worldClient } from '../world-client.ts';
import { stop } from './typist.ts';

const APP = fileURLToPath(new URL('../../examples/shop/app.mjs', import.meta.url));

type Book = { readonly type: string; readonly invoice: string; readonly reason: string };

export type Shop = AsyncDisposable & {
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  /** The webhooks in the shop's books with that billing reason, waited for until there are `count`. */
  heard(reason: string, count: number): Promise<readonly Book[]>;
};

export async function startShop(
  environment: { readonly [name: string]: string | undefined },
  print: (line: string) => void,
): Promise<Shop> {
  const child = spawn(process.execPath, [APP], {
    env: { ...environment, PORT: '0', STRIPE_API_KEY: 'sk_test_shop' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const lines = createInterface({ input: child.stdout });
  const waiting = new Set<() => void>();
  const address = Promise.withResolvers<string>();
  lines.on('line', line => {
    print(line);
    const listening = /^listening\s+(http:\S+)/.exec(line)?.[1];
    if (listening !== undefined) address.resolve(listening);
    for (const look of waiting) look();
  });
  child.on('error', error => address.reject(error));
  child.on('exit', () => address.reject(new Error(`the shop ended:\n${complaints.trim()}`)));
  const end = (): Promise<void> => stop(child);

  let client: ReturnType<typeof worldClient>;
  try {
    client = worldClient(await within(address.promise, 'the shop does not start'), '');
  } catch (error) {
    await end();
    throw error;
  }
  const get = async (path: string): Promise<unknown> => bodyOf(await client.get(path), path);
  return {
    get,
    post: async (path, body) => bodyOf(await client.send('POST', path, body), path),
    heard: async (reason, count) => {
      const found = Promise.withResolvers<readonly Book[]>();
      const look = (): void => {
        get('/books').then(books => {
          const meant = (books as readonly Book[]).filter(book => book.reason === reason);
          if (meant.length >= count) found.resolve(meant);
        }, found.reject);
      };
      waiting.add(look);
      look();
      try {
        return await within(found.promise, 'no webhook reached the shop');
      } finally {
        waiting.delete(look);
      }
    },
    [Symbol.asyncDispose]: end,
  };
}

function bodyOf(answered: Awaited<ReturnType<ReturnType<typeof worldClient>['get']>>, path: string): unknown {
  if (!answered.ok) throw new Error(`the shop does not answer ${path}: ${answered.why}`);
  if (answered.status >= 400)
    throw new Error(`the shop answers ${answered.status} to ${path}: ${JSON.stringify(answered.body)}`);
  return answered.body;
}

async function within<T>(promise: Promise<T>, why: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${why} (${DEMO_SHOP_MS_MAX / 1_000} s)`)),
    DEMO_SHOP_MS_MAX,
  );
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
