// `wrld/playwright`: fixtures for `@playwright/test`, a world a worker, brought back before each test; and what a browser of
// playwright's needs to be in a world.
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { Suite, type SuiteOptions } from './runners/suite.ts';
import type { World } from './test/world.ts';

export type { SuiteOptions } from './runners/suite.ts';

export type BrowserWorld = World & {
  /** A context of this browser whose pages are in the world; `profile`: as that browser of the world has them (4.3-11). */
  browserContext(browser: Browser, options?: InWorldOptions): Promise<BrowserContext>;
};

export type InWorldOptions = BrowserContextOptions & { readonly profile?: string };

type InWorld = Pick<World, 'proxyUrl'>;

/**
 * For `browser.newContext`. The world's proxy ends all TLS and checks the real vendors' certificates itself, so a context
 * that goes through it may take any; other contexts of the browser go on checking.
 */
export function contextOptions({ proxyUrl }: InWorld): BrowserContextOptions {
  const { origin, username, password } = new URL(proxyUrl);
  const who = username === '' ? {} : { username: decodeURIComponent(username), password };
  return { proxy: { server: origin, bypass: 'localhost,127.0.0.1,[::1]', ...who }, ignoreHTTPSErrors: true };
}

/**
 * For `browser.newContext`, beside `contextOptions`: the settings and the signed-in state of one of the world's browsers
 * (`…/browsers/<name>`). Throws where there is none of that name.
 */
export async function profileOptions(
  { url, name, token }: Pick<World, 'url' | 'name' | 'token'>,
  profile: string,
): Promise<BrowserContextOptions> {
  const at = new URL(`/-/${name}/browsers/${encodeURIComponent(profile)}`, url);
  const answer = await fetch(at, { headers: { 'x-wrld-token': token } });
  if (!answer.ok)
    throw new Error(`The browser “${profile}” of ${name} cannot be read: ${await answer.text()}`);
  const { context, storageState } = (await answer.json()) as StoredProfile;
  return { ...context, storageState };
}

/** 2.5: named after these very options. */
type StoredProfile = {
  readonly context: BrowserContextOptions;
  readonly storageState: NonNullable<BrowserContextOptions['storageState']>;
};

type Use<T> = (value: T) => Promise<void>;
type TestInfo = {
  readonly title: string;
  readonly status?: string | undefined;
  readonly expectedStatus: string;
  attach(name: string, what: { readonly body: string; readonly contentType: string }): Promise<void>;
};

export type WorldFixtures = {
  /** The world of this worker, as it was after its seed. */
  world: BrowserWorld;
};

export type WorldWorkerFixtures = { workerWorld: Suite };

type Fixtures = {
  readonly workerWorld: readonly [
    (parts: object, use: Use<Suite>) => Promise<void>,
    { readonly scope: 'worker' },
  ];
  readonly world: (parts: WorldWorkerFixtures, use: Use<BrowserWorld>, info: TestInfo) => Promise<void>;
  readonly contextOptions: (
    parts: WorldFixtures & { contextOptions: BrowserContextOptions },
    use: Use<BrowserContextOptions>,
  ) => Promise<void>;
};

/** `base.extend(worldFixtures({ twins: ['stripe'] }))`: `page` and `context` are in the world, and tests have `world`. */
export function worldFixtures(options: SuiteOptions): Fixtures {
  return {
    workerWorld: [
      // Playwright reads the names of what a fixture needs out of its text.
      // biome-ignore lint/correctness/noEmptyPattern: it needs nothing.
      async ({}, use) => {
        const suite = new Suite(options);
        await suite.open();
        await use(suite);
        await suite.close();
      },
      { scope: 'worker' },
    ],
    world: async ({ workerWorld }, use, info) => {
      await workerWorld.reset();
      const { world } = workerWorld;
      await use(
        Object.assign(Object.create(world) as World, {
          browserContext: async (browser: Browser, { profile, ...own }: InWorldOptions = {}) => {
            const stored = profile === undefined ? {} : await profileOptions(world, profile);
            return browser.newContext({ ...contextOptions(world), ...stored, ...own });
          },
        }),
      );
      if (info.status === info.expectedStatus) return;
      const told = await workerWorld.story(info.title);
      if (told === '') return;
      console.error(told);
      await info.attach('world', { body: told, contentType: 'text/plain' });
    },
    contextOptions: async ({ contextOptions: own, world }, use) => {
      await use({ ...own, ...contextOptions(world) });
    },
  };
}
