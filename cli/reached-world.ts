// The world that a command asks: the one that is up in this folder, one of its branches, or one that is served
// somewhere (WRLD_WORLD and WRLD_WORLD_TOKEN, the variables that attach an app).
import { join } from 'node:path';
import { readIfThere } from '../control/node/files.ts';
import type { WorldPaths } from '../control/node/paths.ts';
import type { Surround } from './command.ts';
import { readUp, type UpWorld } from './up-world.ts';
import { type Answered, type WorldClient, worldClient } from './world-client.ts';
import { findFolder } from './world-folder.ts';

/** Flags of every command that asks a world. */
export const REACH_FLAGS = {
  world: {
    type: 'value',
    value: '<url>',
    does: 'ask the world served at this URL, with the token of WRLD_WORLD_TOKEN, instead of the one that is up here',
  },
  branch: { type: 'value', value: '<name>', does: 'ask this branch of the world that is up here' },
  json: { type: 'switch', does: 'print what the world answers as one JSON document, for programs' },
} as const;

export const REACH_USAGE = '[--world <url>] [--branch <name>] [--json]';

type Given = {
  readonly switches: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
};

export type ReachedWorld = {
  /** `<org>/<world>` */
  readonly name: string;
  readonly client: WorldClient;
  /** A path of the world's own endpoints: `own('clock')` is `/-/<org>/<world>/clock`. */
  own(path: string): string;
};

export type ReachResult =
  | { readonly ok: true; readonly world: ReachedWorld }
  /** `exit` 1: nothing is up; 2: the call is wrong. */
  | { readonly ok: false; readonly why: string; readonly exit: 1 | 2 };

export async function reachWorld(
  { values }: Given,
  { folder, env }: Pick<Surround, 'folder' | 'env'>,
): Promise<ReachResult> {
  const no = (why: string, exit: 1 | 2): ReachResult => ({ ok: false, why, exit });
  const branch = values.get('branch');
  const url = values.get('world') ?? (branch === undefined ? env['WRLD_WORLD'] : undefined);
  if (url !== undefined) {
    if (branch !== undefined)
      return no('--branch is for the world that is up here; name a branch in --world', 2);
    return worldAt(url, env['WRLD_WORLD_TOKEN']);
  }
  const found = await findFolder(folder);
  if (!found.ok) return no(found.why, 2);
  const up = await readUp(found.paths);
  if (up === null) return no('no world is up in this folder. Start it: wrld world up', 1);
  if (branch === undefined) return reachAt(up.baseUrl, new URL(up.worldUrl).pathname.slice(1), up.token);
  const there = await findBranch(found.paths, up, branch);
  return there.ok ? reachAt(up.baseUrl, there.name, there.token) : there;
}

export type BranchResult =
  | { readonly ok: true; readonly name: string; readonly token: string }
  | { readonly ok: false; readonly why: string; readonly exit: 1 | 2 };

/** A branch of the world that is up, by `<world>` or `<org>/<world>`, with its token. */
export async function findBranch(
  paths: Pick<WorldPaths, 'home'>,
  up: Pick<UpWorld, 'worldUrl'>,
  branch: string,
): Promise<BranchResult> {
  const [, org] = new URL(up.worldUrl).pathname.split('/');
  const world = branch.startsWith(`${org}/`) ? branch.slice(org!.length + 1) : branch;
  if (!/^[a-z0-9-]+$/.test(world))
    return { ok: false, exit: 2, why: `--branch ${branch}: no branch has such a name` };
  const tokens = await readIfThere(join(paths.home, 'branches', world, 'token'));
  if (tokens === null)
    return {
      ok: false,
      exit: 1,
      why: `there is no branch ${JSON.stringify(branch)}; see: wrld world branch`,
    };
  return { ok: true, name: `${org}/${world}`, token: tokens.split('\n')[0]!.trim() };
}

function worldAt(url: string, token: string | undefined): ReachResult {
  const parsed = URL.parse(url);
  const place = parsed === null ? null : /^\/([a-z0-9-]+\/[a-z0-9-]+)\/?$/.exec(parsed.pathname);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || !place)
    return { ok: false, exit: 2, why: `${url} is no world's URL: https://<host>/<org>/<world>` };
  if (!token) return { ok: false, exit: 2, why: 'WRLD_WORLD_TOKEN is not set; it holds the world’s token' };
  return reachAt(parsed.origin, place[1]!, token);
}

/** A world whose address and token are known. */
export function reachAt(baseUrl: string, name: string, token: string): ReachResult {
  const client = worldClient(baseUrl, token);
  return { ok: true, world: { name, client, own: path => `/-/${name}/${path}` } };
}

/** Runs `ask` with the world, and prints what it answered: as JSON, or as `show` does. The exit code. */
export async function askWorld<T>(
  command: string,
  given: Given,
  around: Surround,
  ask: (world: ReachedWorld) => Promise<Answered>,
  show: (body: T, world: ReachedWorld) => void,
): Promise<number> {
  const { output } = around;
  const found = await reachWorld(given, around);
  if (!found.ok) {
    output.error(`wrld ${command}: ${found.why}`);
    return found.exit;
  }
  const answered = await ask(found.world);
  const why = problemOf(answered);
  if (why !== null || !answered.ok) {
    output.error(`wrld ${command}: ${why}`);
    return 1;
  }
  if (given.switches.has('json')) output.json(answered.body);
  else show(answered.body as T, found.world);
  return 0;
}

/** Why an answer is no success, in the world's own words; null when it is one. */
export function problemOf(answered: Answered): string | null {
  if (!answered.ok) return `the world does not answer: ${answered.why}`;
  if (answered.status >= 200 && answered.status < 300) return null;
  const { error } = (answered.body ?? {}) as { readonly error?: { readonly message?: string } };
  return error?.message ?? `the world answers ${answered.status}`;
}
