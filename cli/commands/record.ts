// `wrld world record`: an app's exchanges with a real vendor, let out by the world's grants, kept as handlers for its twin.
import type { RecordingStanding } from '../../control/world/recordings/recorder.ts';
import type { Command, Surround } from '../command.ts';
import { instantText, type Output, table } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';

const pathOf = (vendor: string): string => `twins/${encodeURIComponent(vendor)}/recording`;

export const worldRecord: Command = {
  words: ['world', 'record'],
  summary: 'keep what an app and the real vendor say to each other, for the twin to say again',
  usage: `[<vendor>] [--to <file>] [--strict] [--at <url>] [--stop] ${REACH_USAGE}`,
  flags: {
    to: {
      type: 'value',
      value: '<file>',
      does: 'keep it in this file of the world’s folder, not in the service’s colocate.scenarioPath',
    },
    strict: { type: 'switch', does: 'replayed, the twin refuses what was not recorded' },
    at: {
      type: 'value',
      value: '<url>',
      does: 'ask this URL in the place of the vendor’s own hosts: a gateway, another world',
    },
    stop: { type: 'switch', does: 'end the recording of this vendor' },
    ...REACH_FLAGS,
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [
    ['wrld world record openai', 'from now on; run the app meanwhile: wrld world run -- npm test'],
    ['wrld world record openai --stop', 'the twin answers again: what was recorded as it was recorded'],
    ['wrld world record', 'what is recorded now'],
  ],
  notes: [
    'Nothing leaves but what runtime.network grants: https://api.openai.com in egress, and in writes for a POST. A refusal names what to grant.',
    'The app asks with its own key. Keys and other secrets are masked before anything is kept.',
  ],
  run: (given, around) => {
    const [vendor] = given.operands;
    const stops = given.switches.has('stop');
    const begins = ['to', 'at'].some(name => given.values.has(name)) || given.switches.has('strict');
    if (vendor === undefined)
      return stops || begins
        ? wrong(around, 'needs a vendor: wrld world record openai')
        : list(given, around);
    if (stops && begins) return wrong(around, '--stop goes with no --to, --strict or --at');
    return stops ? end(vendor, given, around) : begin(vendor, given, around);
  },
};

type Given = Parameters<Command['run']>[0];

async function wrong({ output }: Surround, why: string): Promise<number> {
  output.error(`wrld world record ${why}`);
  return 2;
}

const list = (given: Given, around: Surround): Promise<number> =>
  askWorld<{ readonly recordings: readonly RecordingStanding[] }>(
    'world record',
    given,
    around,
    ({ client, own }) => client.get(own('recordings')),
    ({ recordings }) => {
      const { output } = around;
      if (recordings.length === 0) {
        output.line(output.ink('dim', 'Nothing is recorded. Begin: wrld world record openai'));
        return;
      }
      const rows = recordings.map(({ twin, to, kept, unkept, since }) => [
        twin,
        to,
        String(kept),
        String(unkept),
        instantText(since),
      ]);
      for (const line of table(output, ['twin', 'file', 'kept', 'not kept', 'since'], rows))
        output.line(line);
      for (const standing of recordings) tellUnkept(output, standing);
    },
  );

function begin(vendor: string, given: Given, around: Surround): Promise<number> {
  const [to, at] = ['to', 'at'].map(name => given.values.get(name));
  const body = {
    strict: given.switches.has('strict'),
    ...(to !== undefined && { to }),
    ...(at !== undefined && { at }),
  };
  return askWorld<RecordingStanding>(
    'world record',
    given,
    around,
    ({ client, own }) => client.send('PUT', own(pathOf(vendor)), body),
    standing => {
      const { output } = around;
      const whom = standing.at ?? `the real ${vendor}`;
      output.line(`What apps ask ${vendor} goes to ${whom} now, where the world grants it.`);
      output.line(`Kept in ${standing.to}; secrets are masked.`);
      output.line(output.ink('dim', `End it: wrld world record ${vendor} --stop`));
    },
  );
}

const end = (vendor: string, given: Given, around: Surround): Promise<number> =>
  askWorld<RecordingStanding>(
    'world record',
    given,
    around,
    ({ client, own }) => client.send('DELETE', own(pathOf(vendor))),
    standing => {
      const { output } = around;
      const { kept, to, strict } = standing;
      output.line(`${kept} ${kept === 1 ? 'exchange is' : 'exchanges are'} kept in ${to}.`);
      tellUnkept(output, standing);
      const replayed = `The twin says them again where ${to} is its handlers file (colocate.scenarioPath)`;
      output.line(output.ink('dim', `${replayed}${strict ? ', and refuses all else' : ''}.`));
    },
  );

function tellUnkept(output: Output, { unkept, why }: RecordingStanding): void {
  if (unkept === 0) return;
  output.line(output.ink('yellow', `${unkept} not kept:`));
  for (const { method, path, message } of why) output.line(`  ${method} ${path}: ${message}`);
}
