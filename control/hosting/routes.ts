// Every route of a host of many worlds (4.10), and of one whose worlds are brought from elsewhere too (4.11).
import type { AdminRoute } from './admin-route.ts';
import { archives } from './archives.ts';
import { consolePage } from './console.ts';
import { imports } from './import.ts';
import { metrics } from './metrics.ts';
import { hostPages } from './page.ts';
import { ping } from './ping.ts';
import { vendors } from './vendors.ts';
import { adoptingWorlds, worlds } from './worlds.ts';

export const adminRoutes: readonly AdminRoute[] = [
  ...hostPages,
  ...consolePage,
  ...ping,
  ...worlds,
  ...archives,
  ...vendors,
  ...metrics,
];

export const importingRoutes: readonly AdminRoute[] = [
  ...hostPages,
  ...consolePage,
  ...ping,
  ...adoptingWorlds,
  ...archives,
  ...imports,
  ...vendors,
  ...metrics,
];
