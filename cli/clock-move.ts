// Moves a world's clock and waits until the world has arrived there, however long that takes; a terminal is told how far
// it is meanwhile. The world goes on by itself when this ends earlier.
import { setTimeout as later } from 'node:timers/promises';
import type { ClockReading } from '../control/world/work/world-clock.ts';
import { CLOCK_LOOK_MS, PROGRESS_BAR_COLUMNS } from './limits.ts';
import { instantText, type Output } from './output.ts';
import type { ReachedWorld } from './reached-world.ts';
import type { Answered } from './world-client.ts';

export type ClockMove =
  | { readonly method: 'PUT'; readonly path: 'clock'; readonly body: { readonly at: string } }
  | { readonly method: 'POST'; readonly path: 'clock/advance'; readonly body: { readonly by: string } };

export async function moveClock(
  { client, own }: ReachedWorld,
  { method, path, body }: ClockMove,
  output: Pick<Output, 'progress'>,
): Promise<Answered> {
  const ended = new AbortController();
  const moving = client.send(method, own(path), body, { patient: true }).finally(() => ended.abort());
  let from: string | null = null;
  while (!ended.signal.aborted) {
    await later(CLOCK_LOOK_MS, undefined, { signal: ended.signal }).catch(() => {});
    if (ended.signal.aborted) break;
    const looked = await client.get(own('clock'));
    if (!looked.ok || looked.status !== 200) continue;
    const clock = looked.body as ClockReading;
    if (clock.catchingUp === undefined || ended.signal.aborted) continue;
    from ??= clock.catchingUp.at;
    output.progress(progressLine(clock, from));
  }
  output.progress(null);
  return moving;
}

/** `from`: the instant that was reached when it was first looked at. */
export function progressLine({ at, catchingUp }: ClockReading, from: string): string {
  const { done, left, at: reached } = catchingUp!;
  const whole = Date.parse(at) - Date.parse(from);
  const share = whole <= 0 ? 0 : Math.min(1, (Date.parse(reached) - Date.parse(from)) / whole);
  const filled = Math.floor(share * PROGRESS_BAR_COLUMNS);
  const bar = '█'.repeat(filled) + '░'.repeat(PROGRESS_BAR_COLUMNS - filled);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return `${bar} ${percent}  ${instantText(reached)}  ${done} events, ${left} waiting`;
}
