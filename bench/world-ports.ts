// What a world of a bench stands on besides its store: this machine's own, with nothing sent and nobody told but of errors.
import { openAlarms } from '../control/node/alarms.ts';
import { digest } from '../control/node/digest.ts';
import { openEntropy } from '../control/node/entropy.ts';
import type { WallClock } from '../control/ports/clock.ts';
import type { WorldOptions } from '../control/world/world-kernel.ts';

const quiet = (): void => {};

export const worldPorts = (
  wall: WallClock,
): Pick<WorldOptions, 'digest' | 'wall' | 'alarms' | 'entropy' | 'outbound' | 'processLog'> => ({
  digest,
  wall,
  alarms: openAlarms(wall),
  entropy: openEntropy(),
  outbound: {
    ready: () => null,
    send: async () => ({ ok: false, refused: true, sent: false, why: 'a bench sends nothing', ms: 0 }),
  },
  processLog: {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (fields, text) => console.error(text, fields),
  },
});
