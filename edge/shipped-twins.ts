// The twins of the worlds on the edge, all of them in the bundle: a worker loads no code while it runs.
import { anthropicTwin } from '../twins/anthropic/twin.ts';
import { mountTwin } from '../twins/kit/mount.ts';
import type { MountedTwin, Twin } from '../twins/kit/twin.ts';
import { openaiTwin } from '../twins/openai/twin.ts';
import { smtpTwin } from '../twins/smtp/twin.ts';
import { stripeTwin } from '../twins/stripe/twin.ts';

const SHIPPED: { readonly [name: string]: Twin } = {
  anthropic: anthropicTwin,
  openai: openaiTwin,
  smtp: smtpTwin,
  stripe: stripeTwin,
};

/** Sorted. */
export const SHIPPED_TWINS: readonly string[] = Object.keys(SHIPPED);

export function shippedTwin(name: string): Twin | null {
  return Object.hasOwn(SHIPPED, name) ? SHIPPED[name]! : null;
}

export type WorldTwin = {
  readonly id: string;
  readonly twin: Required<MountedTwin>;
  readonly package: { readonly name: string; readonly version: string };
};

/** Those of one world; what an older code of this worker had, and this one has not, is left out. */
export function openTwins(vendors: readonly string[]): readonly WorldTwin[] {
  return vendors.flatMap(id => {
    const twin = shippedTwin(id);
    if (twin === null) return [];
    return [{ id, twin: mountTwin(twin, null), package: { name: 'wrld', version: WRLD_VERSION } }];
  });
}
