// What the inventory shows of a world's twins is what they have: told when a root may have changed, and then only what is new.
import type { InventoryTwin } from '../control/hosting/host-worlds.ts';
import type { Log } from '../control/ports/log.ts';
import { describeFault } from '../control/world/store/fault.ts';
import type { World } from '../control/world/world.ts';

const TOLD = 'twins-told';

type Parts = {
  readonly world: World;
  readonly kv: SyncKvStorage;
  readonly tell: (twins: string) => Promise<unknown>;
  readonly log: Log;
};

export async function tellTwins({ world, kv, tell, log }: Parts): Promise<void> {
  try {
    const statuses = await Promise.all(world.vendors.map(vendor => world.twinStatus(vendor)));
    const twins: InventoryTwin[] = statuses.flatMap(status =>
      status === null ? [] : [{ vendor: status.twin, protocol: status.protocol, root: status.root }],
    );
    const told = JSON.stringify(twins);
    if (kv.get(TOLD) === told) return;
    await tell(told);
    kv.put(TOLD, told);
  } catch (error) {
    log.error({ fault: describeFault(error) }, 'the inventory could not be told of the twins');
  }
}
