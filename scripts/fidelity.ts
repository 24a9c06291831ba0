// One command that says how true the Stripe twin is: writes docs/twins/stripe.md. `--check` fails where a fixture
// does not fire or an object is not whole.
import { mkdir, writeFile } from 'node:fs/promises';
import { fireTriggers } from '../test/kit/stripe-triggers.ts';
import { stripeCoverage } from './stripe-coverage.ts';

const FILE: URL = new URL('../docs/twins/stripe.md', import.meta.url);

const fired = await fireTriggers();
const { tiers, operations, sdk, api } = stripeCoverage();
const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
const lines = [
  '# Stripe: how true the twin is',
  '',
  'Written by `npm run fidelity`. Do not edit.',
  '',
  `Measured against ${sdk.npm}@${sdk.version} (API ${api}). Each operation and its tier: [stripe.coverage.json](stripe.coverage.json).`,
  '',
  '## Operations by tier',
  '',
  '| tier | operations | share | what it means |',
  '|---|---|---|---|',
  `| modelled | ${tiers.modelled} | ${share(tiers.modelled, operations.length)} | written by hand: state, events, errors |`,
  `| generic | ${tiers.generic} | ${share(tiers.generic, operations.length)} | stateful, from the vendor's own declarations |`,
  `| unmodelled | ${tiers.unmodelled} | ${share(tiers.unmodelled, operations.length)} | 501 in the vendor's error shape, told in \`/twin/scenario\` |`,
  '',
  '## Trigger fixtures',
  '',
];
let failed = false;
if (fired === null) {
  lines.push('Skipped: the folder with the fixtures of stripe-cli is not beside this project.');
} else {
  const works = fired.filter(({ why }) => why === null);
  const objects = fired.reduce((sum, { objects: count }) => sum + count, 0);
  const faulty = new Set(fired.flatMap(({ name, faults }) => faults.map(fault => `${name}: ${fault}`)));
  failed = works.length < fired.length || faulty.size > 0;
  lines.push(
    `${works.length} of ${fired.length} files of stripe-cli fire their event with a signed delivery.`,
    '',
    ...fired.filter(({ why }) => why !== null).map(({ name, why }) => `- ${name}: ${why}`),
    '## Objects',
    '',
    `${share(objects - faulty.size, objects)} of the ${objects} objects that their events carry have every field that the SDK's types declare, of its kind.`,
    ...[...faulty].map(fault => `- ${fault}`),
  );
}
await mkdir(new URL('.', FILE), { recursive: true });
await writeFile(FILE, `${lines.join('\n')}\n`);
console.log(
  `wrote docs/twins/stripe.md: ${tiers.modelled} modelled, ${tiers.generic} generic, ${tiers.unmodelled} unmodelled`,
);
if (process.argv.includes('--check') && failed) process.exitCode = 1;
