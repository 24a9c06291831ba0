// Opens a world: takes calls to its twins, moves its clock, answers from its log. Everything it stands on
// comes in as a port, so the same code runs on Node and on the edge.
import { RunningWorld } from './running-world.ts';
import { describeFault } from './store/fault.ts';
import { migrate } from './store/schema.ts';
import type { World } from './world.ts';
import type { WorldOptions } from './world-kernel.ts';
import { partsOf, type WorldParts } from './world-parts.ts';

/** Throws `StoreError` for a store of a newer schema. */
export const openWorld = async (options: WorldOptions): Promise<World> => {
  migrate(options.sql);
  const parts = await partsOf(options);
  parts.deliveries.resume();
  parts.catchUp.resume();
  parts.roots.resume();
  parts.deploys.resume();
  // A branch that keeps the wall's time has events to wake for before anybody asks it anything.
  if (parts.hydration !== null && !parts.clock.frozen) void arriveByItself(parts);
  return new RunningWorld(options.name, parts);
};

const arriveByItself = async ({ hydration, catchUp, processLog }: WorldParts): Promise<void> => {
  try {
    await hydration?.due();
    catchUp.arm();
  } catch (error) {
    processLog.error({ fault: describeFault(error) }, 'the branch could not read its parent');
  }
};
