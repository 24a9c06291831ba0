// The twins that ship with wrld. Each is loaded when a world names it: a world of one does not pay for the others.
import type { Twin } from '../../twins/kit/twin.ts';

const SHIPPED: { readonly [name: string]: () => Promise<Twin> } = {
  anthropic: async () => (await import('../../twins/anthropic/twin.ts')).anthropicTwin,
  openai: async () => (await import('../../twins/openai/twin.ts')).openaiTwin,
  smtp: async () => (await import('../../twins/smtp/twin.ts')).smtpTwin,
  stripe: async () => (await import('../../twins/stripe/twin.ts')).stripeTwin,
};

/** Names that `services.<vendor>.twin` takes besides modules, sorted. */
export const SHIPPED_TWINS: readonly string[] = Object.keys(SHIPPED);

/** Null for a name that is none of them. */
export async function loadShipped(name: string): Promise<Twin | null> {
  return Object.hasOwn(SHIPPED, name) ? await SHIPPED[name]!() : null;
}
