// `wrld world refresh`: copies the real vendor behind a twin now, and says how far it is until it is done.
import { setTimeout as later } from 'node:timers/promises';
import type { RefreshStanding } from '../../control/world/roots/rooted-twins.ts';
import type { TwinStatus } from '../../control/world/roots/status.ts';
import type { Command } from '../command.ts';
import { PROGRESS_BAR_COLUMNS, REFRESH_LOOK_MS } from '../limits.ts';
import { instantText, type Output } from '../output.ts';
import { problemOf, REACH_FLAGS, REACH_USAGE, type ReachedWorld, reachWorld } from '../reached-world.ts';

type Begun = { readonly started: boolean; readonly nextAt: string | null; readonly refresh: RefreshStanding };

export const worldRefresh: Command = {
  words: ['world', 'refresh'],
  summary: 'copy the real vendor behind a twin now',
  usage: `<vendor> [--force] ${REACH_USAGE}`,
  flags: {
    force: { type: 'switch', does: 'however short ago the last time is' },
    ...REACH_FLAGS,
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world refresh stripe', 'what is new at Stripe is in the world when it ends']],
  notes: [
    'Requests are answered meanwhile. Ended early, the world goes on by itself: wrld world root <vendor> says how far it is.',
  ],
  run: async (given, around) => {
    const { output } = around;
    const [vendor] = given.operands;
    const no = (why: string, exit: number): number => {
      output.error(`wrld world refresh: ${why}`);
      return exit;
    };
    if (vendor === undefined) return no('it needs a vendor: wrld world refresh stripe', 2);
    const found = await reachWorld(given, around);
    if (!found.ok) return no(found.why, found.exit);
    const { client, own } = found.world;
    const force = given.switches.has('force') ? '?force=1' : '';
    const answered = await client.send('POST', own(`twins/${encodeURIComponent(vendor)}/refresh${force}`));
    const why = problemOf(answered);
    if (why !== null || !answered.ok) return no(why ?? '', 1);
    const { started, nextAt, refresh } = answered.body as Begun;
    const isEarly = !started && refresh.progress === null;
    const standing = isEarly ? refresh : await follow(found.world, vendor, output);
    if (typeof standing === 'string') return no(standing, 1);
    if (given.switches.has('json')) output.json(standing);
    else tell(output, vendor, standing, isEarly ? nextAt : null);
    return standing.fault === null || isEarly ? 0 : 1;
  },
};

/** Resolves when the pass has ended; why it is not known any more, as a text. */
async function follow(
  { client, own }: ReachedWorld,
  vendor: string,
  output: Pick<Output, 'progress'>,
): Promise<RefreshStanding | string> {
  for (let look = 0; ; look++) {
    const answered = await client.get(own(`twins/${encodeURIComponent(vendor)}/status`));
    const why = problemOf(answered);
    if (why !== null || !answered.ok) {
      output.progress(null);
      return why ?? '';
    }
    const { refresh } = answered.body as TwinStatus;
    if (refresh.progress === null) {
      output.progress(null);
      return refresh;
    }
    output.progress(refreshLine(refresh.progress.done, look));
    await later(REFRESH_LOOK_MS);
  }
}

/** Nobody knows how much there is to come: the bar says that something does. */
export function refreshLine(done: number, look: number): string {
  const at = look % PROGRESS_BAR_COLUMNS;
  const bar = Array.from({ length: PROGRESS_BAR_COLUMNS }, (_, n) => (n === at ? '█' : '░')).join('');
  return `${bar}  ${done.toLocaleString('en')} records`;
}

function tell(output: Output, vendor: string, standing: RefreshStanding, nextAt: string | null): void {
  const { lastAt, fault, conflicts } = standing;
  if (nextAt !== null)
    output.line(
      `${vendor} was looked at a moment ago; again from ${instantText(nextAt)} on, or with --force.`,
    );
  else if (fault !== null) output.error(`wrld world refresh: ${fault.message}`);
  else output.line(`${vendor} is as it was at ${instantText(lastAt ?? '')}.`);
  if (conflicts.length > 0)
    output.line(`${conflicts.length} fields are in conflict: wrld world root ${vendor}`);
}
