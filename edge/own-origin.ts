// Where a world of this deployment is asked: at its own origin (5.3-2), and by what the host is called.
import { originsUnder } from '../control/hosting/origins.ts';
import type { Env } from './env.ts';
import type { WorldRecord } from './world-record.ts';

/** Null where the deployment gives none. */
export function ownOriginOf(
  { name }: WorldRecord,
  { WORLD_ORIGIN_SUFFIX: suffix, BASE_URL }: Env,
): string | null {
  if (suffix === undefined || suffix === '') return null;
  return originsUnder(suffix, BASE_URL ?? null)?.of(name) ?? null;
}

/** The origins of the host, as far as a world knows. `askedAt`: as who asked last names it. */
export function hostsOf(
  { baseUrl }: WorldRecord,
  { BASE_URL }: Env,
  askedAt: string | null,
): readonly string[] {
  return [BASE_URL, askedAt, baseUrl].filter(origin => origin != null);
}
