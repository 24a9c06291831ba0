// What does not come along when a world moves, for people.
import type { Left } from '../control/world/archive/archive.ts';
import { LEFT_TOLD_MAX } from './limits.ts';
import type { Output } from './output.ts';

type Told = Omit<Left, 'what'> & { readonly what: string };

export function tellLeft(output: Output, left: readonly Told[]): void {
  if (left.length === 0) return;
  output.line('Not moved:');
  for (const { world, what, name, why } of left.slice(0, LEFT_TOLD_MAX))
    output.line(`  ${output.ink('yellow', `${what} ${name}`)} of ${world}: ${why}`);
  const more = left.length - LEFT_TOLD_MAX;
  if (more > 0) output.line(`  and ${more} more; --json has all of them`);
}
