// `wrld/node-test`: `const world = useWorld({ twins: ['stripe'] })` in a file of `node:test`.
import { after, afterEach, before, beforeEach, type TestContext } from 'node:test';
import { Suite, type SuiteOptions } from './runners/suite.ts';
import type { World } from './test/world.ts';

export type { SuiteOptions } from './runners/suite.ts';
export type { World } from './test/world.ts';

/** The world of this file, or of the suite that asks for it. */
export function useWorld(options: SuiteOptions): World {
  const suite = new Suite(options);
  before(async () => void (await suite.open()));
  beforeEach(() => suite.reset());
  afterEach(async context => {
    // A suite's own end comes here too, and says nothing of a test.
    const { passed, name } = context as TestContext;
    if (passed === false) await suite.tell(name);
  });
  after(() => suite.close());
  return suite.world;
}
