// `wrld/jest`: a test environment for Jest (`testEnvironment: 'wrld/jest'`), whose tests find `world` among their globals.
// It is made outside of the sandbox that tests run in, where ES modules load as they are.
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TestEnvironment } from 'jest-environment-node';
import { Suite, type SuiteOptions } from './runners/suite.ts';
import type { World } from './test/world.ts';

export type { World } from './test/world.ts';

/** `testEnvironmentOptions`, or a file's own `@jest-environment-options`. */
export type JestWorldOptions = Omit<SuiteOptions, 'seed' | 'twins'> & {
  /** Names of twins that ship, or service → such a name or the path of a module, from Jest's `rootDir`. */
  readonly twins: readonly string[] | { readonly [service: string]: string };
  /** Path of a module, from Jest's `rootDir`, whose default export fills the world. */
  readonly seed?: string;
};

declare global {
  /** The world of this file. */
  var world: World;
}

type Parts = ConstructorParameters<typeof TestEnvironment>;
/** As much of jest-circus's events as is used here. */
type CircusEvent = {
  readonly name: string;
  readonly test?: { readonly name: string; readonly errors: readonly unknown[] };
};

// biome-ignore lint/style/noDefaultExport: what Jest takes of an environment's module.
export default class WorldEnvironment extends TestEnvironment {
  readonly #suite: Suite;

  constructor(config: Parts[0], context: Parts[1]) {
    super(config, context);
    const { rootDir, testEnvironmentOptions } = config.projectConfig;
    this.#suite = new Suite(
      suiteOptions(testEnvironmentOptions as unknown as JestWorldOptions, path =>
        isAbsolute(path) ? path : join(rootDir, path),
      ),
    );
  }

  override async setup(): Promise<void> {
    await super.setup();
    this.global.world = await this.#suite.open();
    // Its own is a copy from before the world was installed.
    this.global.fetch = (...asked) => globalThis.fetch(...asked);
  }

  override async teardown(): Promise<void> {
    await this.#suite.close();
    await super.teardown();
  }

  async handleTestEvent({ name, test }: CircusEvent): Promise<void> {
    if (name === 'test_start') await this.#suite.reset();
    if (name === 'test_done' && test !== undefined && test.errors.length > 0)
      await this.#suite.tell(test.name);
  }
}

function suiteOptions(options: JestWorldOptions, at: (path: string) => string): SuiteOptions {
  const { twins, seed, ...others } = options;
  if (twins === undefined)
    throw new Error(
      "wrld/jest needs to know the twins of the world: testEnvironmentOptions: { twins: ['stripe'] }",
    );
  return {
    ...others,
    twins: Array.isArray(twins) ? twins : fromPaths(twins as { readonly [service: string]: string }, at),
    ...(seed !== undefined && {
      seed: async (world: World) => {
        const module = (await import(pathToFileURL(at(seed)).href)) as {
          readonly default: (world: World) => unknown;
        };
        await module.default(world);
      },
    }),
  };
}

function fromPaths(
  twins: { readonly [service: string]: string },
  at: (path: string) => string,
): { readonly [service: string]: URL | string } {
  return Object.fromEntries(
    Object.entries(twins).map(([service, twin]) => [
      service,
      twin.startsWith('.') || isAbsolute(twin) ? pathToFileURL(at(twin)) : twin,
    ]),
  );
}
