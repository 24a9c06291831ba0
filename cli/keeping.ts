// Whether a run is contained, and its namespaces: begun before what the run itself needs is loaded, since they are made by other
// processes meanwhile.
import module from 'node:module';
import { type Containment, openContainment } from '../contained/containment.ts';
import type { Surround } from './command.ts';

/** How a run is to keep to its world: contained where that is possible, contained or not at all, or by variables alone. */
export type HowKept = 'contained-if-possible' | 'contained' | 'open';

export type Kept =
  | { readonly ok: true; readonly containment: Containment }
  /** It was not asked for, or cannot be, which is to be told then. */
  | { readonly ok: true; readonly containment: null; readonly told: string | null }
  /** It cannot be, and was insisted on. */
  | { readonly ok: false; readonly containment: null; readonly told: string };

/** Whoever has it disposes of its containment. */
export type Keeping = { readonly how: HowKept; readonly kept: Promise<Kept> };

export function keep(how: HowKept, around: Surround): Keeping {
  return { how, kept: how === 'open' ? Promise.resolve(OPEN) : contain(how, around) };
}

const OPEN: Kept = { ok: true, containment: null, told: null };

async function contain(how: HowKept, { output, env, folder }: Surround): Promise<Kept> {
  const opened = await openContainment({
    env,
    folder,
    cacheFolder: module.getCompileCacheDir?.(),
    tell: line => output.error(`wrld world run: ${line}`),
  });
  if (opened.ok) return opened;
  if (how === 'contained')
    return {
      ok: false,
      containment: null,
      told: `wrld world run: cannot contain the command: ${opened.why}`,
    };
  const told = `wrld: not contained (${opened.why}): a client that reads neither proxy variables nor hooks reaches the real vendor. --open leaves this line out`;
  return { ok: true, containment: null, told };
}
