// `wrld/playwright`: fixtures for `@playwright/test`, a world a worker, brought back before each test; and what a browser of
// playwright's needs to be in a world.
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { Suite, type SuiteOptions } from './runners/suite.ts';
import type { World } from './test/world.ts';

export type { SuiteOptions } from './runners/suite.ts';

export type BrowserWorld = World & {
  /** A context of the test's browser in the world, as one of the world's own has it (4.3-11); closed when the test ends. */
  browserContext(profile: string, options?: BrowserContextOptions): Promise<BrowserContext>;
  /** The same of any browser; without `profile`, one that is signed in nowhere. */
  browserContext(browser: Browser, options?: InWorldOptions): Promise<BrowserContext>;
  /**
   * Keeps what a context is signed in as (cookies, local storage, IndexedDB) as that browser of the world. Its settings stay
   * those that the profile has, if there is one, or become `settings`.
   */
  keepBrowser(profile: string, context: BrowserContext, settings?: BrowserContextOptions): Promise<void>;
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
  const answer = await askProfile({ url, name, token }, profile, {});
  if (!answer.ok)
    throw new Error(`The browser “${profile}” of ${name} cannot be read: ${await answer.text()}`);
  const { context, storageState } = (await answer.json()) as StoredProfile;
  return { ...context, storageState };
}

/** `PUT` of what a context is signed in as; throws what the world has against it. */
export async function keepProfile(
  world: Pick<World, 'url' | 'name' | 'token'>,
  profile: string,
  context: BrowserContext,
  settings?: BrowserContextOptions,
): Promise<void> {
  const before = settings === undefined ? await askProfile(world, profile, {}) : null;
  const kept = before?.ok === true ? ((await before.json()) as StoredProfile).context : {};
  const body = JSON.stringify({
    storageState: await context.storageState({ indexedDB: true }),
    context: settings ?? kept,
  });
  const answer = await askProfile(world, profile, { method: 'PUT', body });
  if (!answer.ok)
    throw new Error(`The browser “${profile}” of ${world.name} cannot be kept: ${await answer.text()}`);
}

function askProfile(
  { url, name, token }: Pick<World, 'url' | 'name' | 'token'>,
  profile: string,
  init: { readonly method?: string; readonly body?: string },
): Promise<Response> {
  const at = new URL(`/-/${name}/browsers/${encodeURIComponent(profile)}`, url);
  return fetch(at, { ...init, headers: { 'x-wrld-token': token, 'content-type': 'application/json' } });
}

/** 2.5: named after these very options. */
type StoredProfile = {
  readonly context: BrowserContextOptions;
  readonly storageState: NonNullable<BrowserContextOptions['storageState']>;
};

/** The contexts of one test. */
class OwnContexts implements AsyncDisposable {
  readonly #world: World;
  readonly #browser: Browser;
  readonly #named: BrowserContext[] = [];

  constructor(world: World, browser: Browser) {
    this.#world = world;
    this.#browser = browser;
  }

  async open(of: string | Browser, { profile, ...own }: InWorldOptions = {}): Promise<BrowserContext> {
    const name = typeof of === 'string' ? of : profile;
    const stored = name === undefined ? {} : await profileOptions(this.#world, name);
    const options = { ...contextOptions(this.#world), ...stored, ...own };
    if (typeof of !== 'string') return of.newContext(options);
    const context = await this.#browser.newContext(options);
    this.#named.push(context);
    return context;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#named.map(context => context.close()));
  }
}

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
  readonly world: (
    parts: WorldWorkerFixtures & { readonly browser: Browser },
    use: Use<BrowserWorld>,
    info: TestInfo,
  ) => Promise<void>;
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
    world: async ({ workerWorld, browser }, use, info) => {
      await workerWorld.reset();
      const { world } = workerWorld;
      await using opened = new OwnContexts(world, browser);
      await use(
        Object.assign(Object.create(world) as World, {
          browserContext: opened.open.bind(opened),
          keepBrowser: keepProfile.bind(null, world),
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
