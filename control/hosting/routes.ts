// Every route of a host of many worlds (4.10).
import type { AdminRoute } from './admin-route.ts';
import { consolePage } from './console.ts';
import { metrics } from './metrics.ts';
import { hostPages } from './page.ts';
import { ping } from './ping.ts';
import { vendors } from './vendors.ts';
import { worlds } from './worlds.ts';

export const adminRoutes: readonly AdminRoute[] = [
  ...hostPages,
  ...consolePage,
  ...ping,
  ...worlds,
  ...vendors,
  ...metrics,
];
