// Every route of a world.
import { clock } from './clock.ts';
import { log } from './log.ts';
import { map } from './map.ts';
import { pages } from './page.ts';
import { reference } from './reference.ts';
import { refusals } from './refusals.ts';
import type { Route } from './route.ts';
import { runs } from './runs.ts';
import { timeline } from './timeline.ts';
import { twins } from './twins.ts';
import { vendor } from './vendor.ts';
import { wellKnown } from './well-known.ts';

export const routes: readonly Route[] = [
  ...pages,
  ...reference,
  ...wellKnown,
  ...log,
  ...timeline,
  ...clock,
  ...map,
  ...twins,
  ...refusals,
  ...runs,
  ...vendor,
];
