// A world for the tests of one file, whatever runs them: opened before the first, brought back before each, closed after
// the last, and told of where one fails.
import { type OpenWorldOptions, openWorld } from '../test/open-world.ts';
import { story } from '../test/story.ts';
import type { World } from '../test/world.ts';

export type SuiteOptions = OpenWorldOptions & {
  /** The tests' own fetch, http, https and undici go through the world; yes unless said otherwise. */
  readonly install?: boolean;
};

export class Suite {
  /** What the tests hold from the beginning; it is there when the first of them runs. */
  readonly world: World;
  readonly #options: SuiteOptions;
  #opened: World | null = null;
  #installed: Disposable | null = null;

  constructor(options: SuiteOptions) {
    this.#options = options;
    this.world = new Proxy({} as World, {
      get: (_, name) => {
        // Whoever asks whether it is a promise is told that it is none.
        if (name === 'then') return undefined;
        if (this.#opened === null)
          throw new Error(
            'The world of this file opens before its first test, and closes after the last: use it inside of a test or a hook.',
          );
        return Reflect.get(this.#opened, name);
      },
    });
  }

  async open(): Promise<World> {
    const { install = true, ...options } = this.#options;
    this.#opened = await openWorld(options);
    if (install) this.#installed = this.#opened.install();
    return this.#opened;
  }

  async reset(): Promise<void> {
    await this.#opened?.reset();
  }

  /** What a failing test shows; empty where nothing happened. */
  async story(name: string): Promise<string> {
    const told = this.#opened === null ? '' : await story(this.#opened);
    return told === '' ? '' : `The world of “${name}”:\n${told.replace(/^/gm, '  ')}`;
  }

  async tell(name: string): Promise<void> {
    const told = await this.story(name);
    if (told !== '') console.error(told);
  }

  async close(): Promise<void> {
    this.#installed?.[Symbol.dispose]();
    const opened = this.#opened;
    this.#opened = null;
    await opened?.close();
  }
}
