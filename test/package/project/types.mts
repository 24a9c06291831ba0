// The package's types as a strict consumer of its meets them.

import { useWorld } from 'wrld/node-test';
import type { BrowserWorld } from 'wrld/playwright';
import { openWorld, type World } from 'wrld/test';
import { buildTwin, JSON_API, type Twin } from 'wrld/twin';
import { openTwinWorld } from 'wrld/twin-test';

const world: World = await openWorld({
  twins: { stripe: 'stripe', own: new URL('file:///own.ts') },
  handlers: { stripe: { handlers: [] } },
  grants: { egress: ['https://example.com'] },
  clock: new Date(0),
  seed: async filled => {
    const answer: Response = await filled.fetch('https://api.stripe.com/v1/customers');
    answer.status satisfies number;
  },
});
world.on('openai', ({ said, body }) => ({ text: `${said?.lastUser} ${String(body)}` }));
// @ts-expect-error: a reply is an object of a handler's words, or a text.
world.on('openai', () => 42);
const refused = await world.refusals();
refused.map(({ rule, target, at }): string => `${rule} ${target} ${at}`);
const log = await world.twin('stripe').log();
log[0]?.changes[0]?.id satisfies string | undefined;
export const parts: readonly unknown[] = [buildTwin, JSON_API, openTwinWorld, useWorld];
export type Named = readonly [Twin, BrowserWorld];
