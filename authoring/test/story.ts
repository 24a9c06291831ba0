// What a failing test shows of its world, in few lines: what was refused, what went wrong, what happened.
import { SHOWN_ENTRIES_MAX, SHOWN_REFUSALS_MAX } from './limits.ts';
import type { TimelineRow } from './view.ts';
import type { World } from './world.ts';

/** Empty where nothing happened. */
export async function story(world: World): Promise<string> {
  const [refusals, requests, timeline] = await Promise.all([
    world.refusals(),
    world.requests(),
    world.timeline(),
  ]);
  const parts: string[] = [];
  const section = (title: string, lines: readonly string[], max: number): void => {
    if (lines.length === 0) return;
    const left = lines.length > max ? [`  … ${lines.length - max} before`] : [];
    parts.push([`${title}:`, ...left, ...lines.slice(-max).map(line => `  ${line}`)].join('\n'));
  };
  const refused = refusals.map(({ rule, reason, see }) => `${reason} (${rule}; fix: ${see})`);
  section('refused by the world', refused, SHOWN_REFUSALS_MAX);
  section('the world complained', world.complaints, SHOWN_REFUSALS_MAX);
  const calls = requests.map(
    ({ twin, method, path, status, unmatched }) =>
      `${twin} ${method} ${path} → ${status === 0 ? 'cut' : status}${unmatched ? ' (nothing answers this)' : ''}`,
  );
  section('calls', calls, SHOWN_ENTRIES_MAX);
  section('what they changed', timeline.map(rowOf), SHOWN_ENTRIES_MAX);
  return parts.join('\n');
}

function rowOf({ twin, position, entry }: TimelineRow): string {
  const changes = entry.changes.map(({ op, type, id }) => `${op} ${type} ${id}`).join(', ');
  return `${twin} ${position}: ${changes}`;
}
