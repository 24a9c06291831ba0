// The branch that a run is in: one that is there, or one that is made for it and stays when it has ended.
import type { WorldPaths } from '../control/node/paths.ts';
import { findBranch, problemOf } from './reached-world.ts';
import { worldClient } from './world-client.ts';

/** `ttl`: seconds until the world removes it by itself; null for never. */
export type BranchAsked = { readonly name: string } | { readonly fresh: true; readonly ttl: number | null };

type Place = { readonly baseUrl: string; readonly worldUrl: string; readonly token: string };

export type Entered<Reach> =
  | {
      readonly ok: true;
      readonly reach: Reach;
      /** `<world>`, as `--branch` takes it. */
      readonly branch: string;
    }
  | { readonly ok: false; readonly why: string; readonly exit: 1 | 2 };

/** The world by its branch: whoever opens a run there has its calls answered by the branch's twins. */
export async function enterBranch<Reach extends Place>(
  paths: WorldPaths,
  reach: Reach,
  asked: BranchAsked,
): Promise<Entered<Reach>> {
  const found =
    'name' in asked ? await findBranch(paths, reach, asked.name) : await makeBranch(reach, asked.ttl);
  if (!found.ok) return found;
  const { name, token } = found;
  const branch = name.split('/').at(-1)!;
  return { ok: true, branch, reach: { ...reach, worldUrl: `${reach.baseUrl}/${name}`, token } };
}

async function makeBranch(
  { baseUrl, worldUrl, token }: Place,
  ttl: number | null,
): Promise<
  | { readonly ok: true; readonly name: string; readonly token: string }
  | { readonly ok: false; readonly why: string; readonly exit: 1 }
> {
  const body = { label: 'run', ...(ttl === null ? {} : { ttl }) };
  const made = await worldClient(baseUrl, token).send(
    'POST',
    `/-${new URL(worldUrl).pathname}/branches`,
    body,
  );
  const why = problemOf(made);
  if (why !== null || !made.ok) return { ok: false, exit: 1, why: `no branch was made: ${why}` };
  return { ok: true, ...(made.body as { readonly name: string; readonly token: string }) };
}
