// `wrld world changeset push`: what was cut in a branch lands in the world that the branch left, which deploys it by rules and
// roots of its own.
import type { ChangesetRecord } from '../../control/world/changesets/changesets.ts';
import type { Command, Surround } from '../command.ts';
import {
  findBranch,
  problemOf,
  REACH_FLAGS,
  type ReachedWorld,
  type ReachResult,
  reachAt,
  reachWorld,
} from '../reached-world.ts';
import { readUp } from '../up-world.ts';
import { findFolder } from '../world-folder.ts';

const WORDS = 'wrld world changeset push';

export const worldChangesetPush: Command = {
  words: ['world', 'changeset', 'push'],
  summary: 'land a branch’s changeset in the world that the branch left',
  usage: '<name> --branch <branch> [--json]',
  flags: { branch: REACH_FLAGS.branch, json: REACH_FLAGS.json },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world changeset push gold --branch shop-gold-1a2b', 'it is verified, approved and deployed there'],
  ],
  notes: [
    'It lands as a whole or not at all. Where the world has gone on since the branch left it, nothing lands, and what has changed is told. To a world that is served elsewhere: wrld world push.',
  ],
  run: async (given, around) => {
    const { output } = around;
    const [name] = given.operands;
    if (name === undefined || !given.values.has('branch')) {
      output.error(`${WORDS} needs a changeset and its branch: ${WORDS} gold --branch shop-gold-1a2b`);
      return 2;
    }
    const branch = await reachWorld(given, around);
    const parent = branch.ok ? await parentOf(branch.world, around) : branch;
    if (!branch.ok || !parent.ok) {
      output.error(`${WORDS}: ${(parent as Extract<ReachResult, { ok: false }>).why}`);
      return (parent as Extract<ReachResult, { ok: false }>).exit;
    }
    const { world } = branch;
    const body = await world.client.get(world.own(`changesets/${encodeURIComponent(name)}?body=1`));
    const landed = problemOf(body) === null && body.ok ? await push(parent.world, body.body) : body;
    const why = problemOf(landed);
    if (why !== null || !landed.ok) {
      output.error(`${WORDS}: ${why}`);
      return 1;
    }
    if (given.switches.has('json')) output.json(landed.body);
    else told(around, landed.body as ChangesetRecord, parent.world);
    return 0;
  },
};

const push = (to: ReachedWorld, body: unknown) =>
  to.client.send('POST', to.own('push'), body, { patient: true });

function told(
  { output }: Surround,
  { name, deployed }: ChangesetRecord,
  { name: world }: ReachedWorld,
): void {
  output.line(
    `${output.ink('bold', name)} landed in ${world}: ${deployed.length} actions wait for a deploy.`,
  );
  output.line(`Read it: wrld world changeset show ${name}`);
}

/** The world that a branch left, as its own diff says. */
async function parentOf(
  { client, own, name }: ReachedWorld,
  { folder }: Pick<Surround, 'folder'>,
): Promise<ReachResult> {
  const no = (why: string): ReachResult => ({ ok: false, why, exit: 1 });
  const diff = await client.get(own('diff'));
  const why = problemOf(diff);
  if (why !== null || !diff.ok) return no(why ?? 'the branch does not answer');
  const { base } = diff.body as { readonly base: { readonly id: string } };
  if (base.id === name) return no(`${name} is no branch`);
  const found = await findFolder(folder);
  const up = found.ok ? await readUp(found.paths) : null;
  if (!found.ok || up === null) return no('no world is up in this folder. Start it: wrld world up');
  if (new URL(up.worldUrl).pathname === `/${base.id}`) return reachAt(up.baseUrl, base.id, up.token);
  const there = await findBranch(found.paths, up, base.id);
  return there.ok ? reachAt(up.baseUrl, there.name, there.token) : there;
}
