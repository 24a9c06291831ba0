// A world with the twin of a language model's vendor, and behind it that vendor: a world that is served by another process and
// knows nothing of it.
import type { Receipt } from '../../control/world/log/entry.ts';
import type { VendorAnswered } from '../../control/world/roots/vendor-asks.ts';
import type { VendorRequest } from '../../twins/kit/real-vendor.ts';
import { asksByFetch } from './asks-by-fetch.ts';
import { openWorlds, startServe } from './command-line.ts';
import { verify } from './deploy-world.ts';
import { type LlmWorld, openLlmWorld, START } from './llm-world.ts';
import { rootWith } from './note-vendor.ts';

export type LlmVendor = AsyncDisposable & {
  readonly here: LlmWorld;
  /** Where the vendor is served, and with which key it lets in. */
  readonly there: { readonly url: string; readonly token: string };
  /** What the vendor was asked. */
  readonly sent: readonly VendorRequest[];
  /** What becomes of an answer on its way here. */
  onAnswer: ((request: VendorRequest, answered: VendorAnswered) => VendorAnswered) | null;
  /** Cuts what was done, has one person sign it, and deploys it. */
  deploy(name: string): Promise<readonly Receipt[]>;
};

export const openLlmVendor = async (
  vendor: 'openai' | 'anthropic',
  headers: (token: string) => readonly (readonly [string, string])[],
): Promise<LlmVendor> => {
  await using opened = new AsyncDisposableStack();
  const worlds = await openWorlds();
  opened.defer(worlds.remove);
  const services = { [vendor]: { twin: vendor } };
  const served = opened.use(
    await startServe(await worlds.make('vendor', { name: `real/${vendor}`, services })),
  );
  const { baseUrl, worldUrl, token } = served.up;
  // What takes time there is under way for as long as a test looks at it, however slow the machine.
  const stopped = await fetch(`${baseUrl}/-/real/${vendor}/clock`, {
    method: 'PUT',
    headers: { 'x-wrld-token': token, 'content-type': 'application/json' },
    body: JSON.stringify({ at: START }),
  });
  if (!stopped.ok) throw new Error(await stopped.text());
  const there = { url: `${worldUrl}/${vendor}`, token };
  const asks = asksByFetch(() => there.url, headers(token));
  const sent: VendorRequest[] = [];
  const here = opened.use(
    await openLlmWorld(vendor, null, {
      asks: {
        ask: async (twin, request, limits) => {
          sent.push(request);
          const answered = await asks.ask(twin, request, limits);
          return made.onAnswer?.(request, answered) ?? answered;
        },
      },
      root: () => rootWith('manual'),
      pause: async () => {},
    }),
  );
  const { changesets, deploys } = here.world;
  await changesets.setRules({ approvals: 1 });
  const kept = opened.move();
  const made: LlmVendor = {
    here,
    there,
    sent,
    onAnswer: null,
    deploy: async name => {
      const cut = await changesets.cut({ by: 'token', owner: null, message: 'why', name });
      if (!cut.ok) throw new Error(cut.message);
      verify(here, name);
      await changesets.approve(name, { person: 'ann', via: 'session' });
      const result = await deploys.one(name);
      if (!result.ok) throw new Error(result.message);
      return result.changesets[0]!.deployed;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  return made;
};
