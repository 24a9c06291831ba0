// `wrld/vitest`: `const world = useWorld({ twins: ['stripe'] })` in a file of Vitest's.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { Suite, type SuiteOptions } from './runners/suite.ts';
import type { World } from './test/world.ts';

export type { SuiteOptions } from './runners/suite.ts';
export type { World } from './test/world.ts';

/** The world of this file, or of the suite that asks for it. */
export function useWorld(options: SuiteOptions): World {
  const suite = new Suite(options);
  beforeAll(async () => void (await suite.open()));
  beforeEach(async ({ onTestFailed, task }) => {
    onTestFailed(() => suite.tell(task.name));
    await suite.reset();
  });
  afterAll(() => suite.close());
  return suite.world;
}
