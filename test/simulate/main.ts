// `npm run test:simulate`: thousands of schedules, each of a seed of its own, one after the other in this process. The
// first that fails is made as short as it goes and printed with its seed. WRLD_SCHEDULES says how many, WRLD_SEED with
// which seed to begin: with that of a failure it is the first to run; WRLD_SHORTEN, how many shorter ones are tried.

import { NEW_SEED as SEED } from '../kit/seed.ts';
import { takeOver } from './chosen-time.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
import { shortest } from './shortest.ts';
import { Simulation } from './simulation.ts';

const SCHEDULES = Number(process.env['WRLD_SCHEDULES'] ?? 20_000);
/** Each is a whole run. */
const SHORTEN = Number(process.env['WRLD_SHORTEN'] ?? 600);
const TOLD_EVERY_MS = 15_000;

/** What did not hold, or null. */
const failureOf = async (schedule: Schedule): Promise<Error | null> => {
  try {
    await new Simulation(schedule).run();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
};

takeOver();
console.log(`${SCHEDULES} schedules from seed ${SEED}`);
const begun = Date.now();
let told = begun;
let steps = 0;
for (let n = 0; n < SCHEDULES; n++) {
  const schedule = scheduleOf(SEED + n);
  steps += schedule.steps.length;
  const failure = await failureOf(schedule);
  if (failure !== null) {
    console.log(`FAILED with seed ${schedule.seed}: ${failure.stack}`);
    const { schedule: short, failure: last } = await shortest({ schedule, failure }, failureOf, SHORTEN);
    console.log(`\nThe shortest schedule that fails (${short.kind}): ${last.message}`);
    for (const step of short.steps) console.log(`  ${JSON.stringify(step)}`);
    console.log(`\nAgain: WRLD_SEED=${schedule.seed} WRLD_SCHEDULES=1 npm run test:simulate`);
    process.exit(1);
  }
  if (Date.now() - told < TOLD_EVERY_MS) continue;
  told = Date.now();
  console.log(`${n + 1} of ${SCHEDULES} held`);
}
console.log(`${SCHEDULES} schedules held, ${steps} steps, in ${Math.round((Date.now() - begun) / 1000)} s`);
