// How true the twins are, measured: writes docs/twins/fidelity.{md,json}.
import { writeFile } from 'node:fs/promises';
import { wholeLlm } from '../test/fidelity/llm-whole.ts';
import { type Fired, fireTriggers } from '../test/kit/stripe-triggers.ts';
import {
  FIDELITY_JSON,
  FIDELITY_PAGE,
  failuresOf,
  fidelityJson,
  fidelityPage,
  type Measured,
  type Measures,
  reportOf,
  shown,
} from './fidelity-report.ts';

const NO_FOLDER = '../shared/fixtures/stripe-triggers is not beside this project';
const NO_FIXTURES = 'nobody publishes fixtures of their events';
const NO_EXCHANGES = 'no npm package holds recorded exchanges with these vendors';
const NO_KEY =
  'it is compared by whoever has a test key: `npm run fidelity -- --against stripe`, with the stories of test/fidelity/stories';
const NO_MAIL_SCHEMA = 'its answers are lines, which nodemailer reads in the tests';

function firedOf(all: readonly Fired[] | null): Measured {
  if (all === null) return { skipped: NO_FOLDER };
  const failed = all.flatMap(({ name, why }) => (why === null ? [] : [`${name}: ${why}`]));
  return { of: all.length, good: all.length - failed.length, failed };
}

/** Objects in the events that the fixtures caused, against the SDK's declarations. */
function wholeOf(all: readonly Fired[] | null): Measured {
  if (all === null) return { skipped: NO_FOLDER };
  const of = all.reduce((sum, { objects }) => sum + objects, 0);
  const faulty = all.reduce((sum, { faulty: count }) => sum + count, 0);
  const failed = [...new Set(all.flatMap(({ name, faults }) => faults.map(fault => `${name}: ${fault}`)))];
  return { of, good: of - faulty, failed };
}

/** Writes both files and answers what failed, a line each. */
export async function measureTwins(): Promise<readonly string[]> {
  const fired = await fireTriggers();
  const whole = { openai: await wholeLlm('openai'), anthropic: await wholeLlm('anthropic') };
  const report = reportOf((vendor): Measures => {
    if (vendor !== 'stripe') {
      const schema =
        vendor === 'openai' || vendor === 'anthropic' ? whole[vendor] : { skipped: NO_MAIL_SCHEMA };
      return { fixtures: { skipped: NO_FIXTURES }, exchanges: { skipped: NO_EXCHANGES }, schema };
    }
    return { fixtures: firedOf(fired), exchanges: { skipped: NO_KEY }, schema: wholeOf(fired) };
  });
  await writeFile(FIDELITY_JSON, fidelityJson(report));
  await writeFile(FIDELITY_PAGE, fidelityPage(report));
  for (const { vendor, tiers, fixtures } of report) {
    console.log(
      `${vendor}: ${tiers.modelled} modelled, ${tiers.generic} generic, ${tiers.unmodelled} unmodelled; ` +
        `fixtures ${'skipped' in fixtures ? `skipped: ${fixtures.skipped}` : shown(fixtures)}`,
    );
  }
  const failed = failuresOf(report);
  for (const line of failed) console.log(line);
  return failed;
}
