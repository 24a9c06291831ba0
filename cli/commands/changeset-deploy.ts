// `wrld world changeset deploy`: what was done in the world is done at the real vendors, and told as it happens.
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChangesetRecord } from '../../control/world/changesets/changesets.ts';
import type { Deployed } from '../../control/world/changesets/deploy.ts';
import type { Command, Surround } from '../command.ts';
import { RECEIPTS_ASKED_MS } from '../limits.ts';
import type { Output } from '../output.ts';
import { problemOf, REACH_FLAGS, REACH_USAGE, type ReachedWorld, reachWorld } from '../reached-world.ts';
import { receiptLine } from './changeset-show.ts';

const WORDS = 'wrld world changeset deploy';

export const worldChangesetDeploy: Command = {
  words: ['world', 'changeset', 'deploy'],
  summary: 'do at the real vendors what a changeset says, each request once',
  usage: `<name> [--yes] ${REACH_USAGE}`,
  flags: {
    yes: { type: 'switch', does: 'without asking for its name to be typed' },
    ...REACH_FLAGS,
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world changeset deploy gold', 'asks for the name again, then tells each receipt with its link'],
  ],
  notes: [
    'A deploy stops at the first request whose outcome is unknown or that cannot be sent now; asked again, it goes on. It exits with 1 unless every request was done or skipped.',
  ],
  run: async (given, around) => {
    const { output } = around;
    const [name] = given.operands;
    if (name === undefined) {
      output.error(`${WORDS} needs a name: ${WORDS} gold`);
      return 2;
    }
    const reached = await reachWorld(given, around);
    if (!reached.ok) {
      output.error(`${WORDS}: ${reached.why}`);
      return reached.exit;
    }
    const { world } = reached;
    const found = await world.client.get(pathOf(world, name));
    const missing = problemOf(found);
    if (missing !== null || !found.ok) {
      output.error(`${WORDS}: ${missing}`);
      return 1;
    }
    if (!given.switches.has('yes')) {
      const why = await askName(around, found.body as ChangesetRecord);
      if (why !== null) {
        output.error(`${WORDS}: ${why}`);
        return 2;
      }
    }
    const told = given.switches.has('json') ? null : teller(output, found.body as ChangesetRecord);
    const answered = await deploying(world, name, told);
    const why = problemOf(answered);
    if (why !== null || !answered.ok) {
      output.error(`${WORDS}: ${why}`);
      return 1;
    }
    const { changesets } = answered.body as { readonly changesets: readonly Deployed[] };
    if (told === null) output.json(answered.body);
    for (const each of changesets) {
      told?.(each.deployed);
      if (each.stopped !== null && told !== null) output.error(`stopped: ${each.stopped.reason}`);
    }
    return changesets.every(isDone) ? 0 : 1;
  },
};

function pathOf({ own }: ReachedWorld, name: string): string {
  return own(`changesets/${encodeURIComponent(name)}`);
}

/** Null when the name was typed; else why nothing is deployed. */
async function askName(
  { output }: Surround,
  { name, entries, message }: ChangesetRecord,
): Promise<string | null> {
  if (!output.terminal || process.stdin.isTTY !== true)
    return 'nobody can be asked here; say --yes to deploy without being asked';
  const question = createInterface({ input: process.stdin, output: process.stdout });
  try {
    output.line(`${message.split('\n')[0]} (${entries} entries)`);
    const typed = await question.question(
      'This reaches the real vendors. Type the changeset’s name to go on: ',
    );
    return typed.trim() === name ? null : 'that is not its name; nothing was deployed';
  } finally {
    question.close();
  }
}

type Receipts = ChangesetRecord['deployed'];

/** Tells each receipt once, when it is settled. */
function teller(output: Output, { deployed }: ChangesetRecord): (receipts: Receipts) => void {
  const settled = (receipts: Receipts) => receipts.filter(({ status }) => status !== 'landed');
  const known = new Set(settled(deployed).map(({ actionId }) => actionId));
  return receipts => {
    for (const receipt of settled(receipts)) {
      if (known.has(receipt.actionId)) continue;
      known.add(receipt.actionId);
      output.line(
        `${output.ink('dim', receipt.actionId)}  ${receipt.service}  ${receiptLine(output, receipt)}`,
      );
    }
  };
}

/** The answer comes at the end; until then the receipts are looked at now and again. */
async function deploying(world: ReachedWorld, name: string, told: ((receipts: Receipts) => void) | null) {
  const over = new AbortController();
  const answer = world.client
    .send('POST', world.own(`deploy/${encodeURIComponent(name)}`), { confirm: name }, { patient: true })
    .finally(() => over.abort());
  while (told !== null && !over.signal.aborted) {
    await pause(RECEIPTS_ASKED_MS, undefined, { signal: over.signal }).catch(() => undefined);
    if (over.signal.aborted) break;
    const found = await world.client.get(pathOf(world, name));
    if (found.ok && found.status === 200) told((found.body as ChangesetRecord).deployed);
  }
  return answer;
}

function isDone({ deployed, stopped, reasons }: Deployed): boolean {
  return (
    stopped === null &&
    reasons.length === 0 &&
    deployed.every(({ status }) => status === 'deployed' || status === 'skipped')
  );
}
