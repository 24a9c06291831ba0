// The twins that ship with wrld. Each is loaded when a world names it: a world of one does not pay for the others.
import type { Manifest } from '../../twins/kit/manifest.ts';
import type { Twin } from '../../twins/kit/twin.ts';

type Shipped = { readonly protocol: Manifest['protocol']; readonly load: () => Promise<Twin> };

const SHIPPED: { readonly [name: string]: Shipped } = {
  anthropic: {
    protocol: 'http',
    load: async () => (await import('../../twins/anthropic/twin.ts')).anthropicTwin,
  },
  openai: { protocol: 'http', load: async () => (await import('../../twins/openai/twin.ts')).openaiTwin },
  smtp: { protocol: 'smtp', load: async () => (await import('../../twins/smtp/twin.ts')).smtpTwin },
  stripe: { protocol: 'http', load: async () => (await import('../../twins/stripe/twin.ts')).stripeTwin },
};

/** Names that `services.<vendor>.twin` takes besides modules, sorted. */
export const SHIPPED_TWINS: readonly string[] = Object.keys(SHIPPED);

/** Null for a name that is none of them. */
export async function loadShipped(name: string): Promise<Twin | null> {
  return Object.hasOwn(SHIPPED, name) ? await SHIPPED[name]!.load() : null;
}

/** As its manifest says, which is not loaded for that; null for a name that is none of them. */
export const shippedProtocol = (name: string): string | null =>
  Object.hasOwn(SHIPPED, name) ? SHIPPED[name]!.protocol : null;
