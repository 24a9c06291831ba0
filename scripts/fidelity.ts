// `npm run fidelity`: how true the twins are. By itself it measures and writes docs/twins/fidelity.{md,json}; with
// `--against` it tells the stories of test/fidelity to the twin and to the vendor's test mode, and prints what differs.
import { parseArgs } from 'node:util';
import { againstStripe } from '../test/fidelity/against-stripe.ts';
import { STRIPE_STORIES } from '../test/fidelity/stories.ts';
import { Unasked } from '../test/fidelity/vendor-side.ts';
import { measureTwins } from './fidelity-measures.ts';

const HELP = `npm run fidelity -- [options]

  Measures the twins and writes docs/twins/fidelity.md and fidelity.json.

  --check             fails where a fixture does not fire or an object is not whole
  --against stripe    tells the stories of test/fidelity/stories to the twin and to Stripe's test mode, and
                      prints what their answers differ in, by field. STRIPE_TEST_KEY is the key: sk_test_… or
                      rk_test_…, and nothing else. What a story makes stays in that test mode, but for
                      customers and clocks, which are deleted
  --at <url>          a twin in a world of this machine, in Stripe's place; WRLD_TWINS_KEY is its key
  --story <words>     only the stories whose name has these words
  --json              what differs, for machines
  --help              this text

  Ends with 0 when all is alike, 1 when something differs or failed, 2 when it was asked wrongly or with no
  test key, 3 when the vendor could not be asked.
`;
const DIFFERS = 1;
const MISUSED = 2;
const UNASKED = 3;

process.exitCode = await main();

async function main(): Promise<number> {
  const given = options();
  if (given === null) return MISUSED;
  if (given.help === true) {
    console.log(HELP);
    return 0;
  }
  const { against, at, story = '', json = false, check = false } = given;
  if (against === undefined) {
    if (at !== undefined || story !== '' || json)
      return misused('--at, --story and --json go with --against.');
    const failed = await measureTwins();
    return check && failed.length > 0 ? DIFFERS : 0;
  }
  if (against !== 'stripe') return misused(`--against takes stripe, not ${JSON.stringify(against)}.`);
  if (check) return misused('--check goes without --against, which says by its exit code what differs.');
  const stories = STRIPE_STORIES.filter(({ name }) => name.includes(story));
  if (stories.length === 0) {
    const names = STRIPE_STORIES.map(({ name }) => `  ${name}`).join('\n');
    return misused(`No story is called so. There are:\n${names}`);
  }
  return compared(stories, at, json);
}

async function compared(
  stories: typeof STRIPE_STORIES,
  at: string | undefined,
  json: boolean,
): Promise<number> {
  try {
    const done = await againstStripe({
      stories,
      at,
      env: process.env,
      told: line => json || console.log(line),
    });
    if (!done.ok) return misused(done.message);
    if (json) console.log(JSON.stringify(done.report, null, 2));
    return done.report.alike === done.report.requests ? 0 : DIFFERS;
  } catch (error) {
    if (!(error instanceof Unasked)) throw error;
    console.error(error.message);
    return UNASKED;
  }
}

function options() {
  try {
    return parseArgs({
      options: {
        check: { type: 'boolean' },
        against: { type: 'string' },
        at: { type: 'string' },
        story: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    misused((error as Error).message);
    return null;
  }
}

function misused(message: string): number {
  console.error(`${message}\nnpm run fidelity -- --help says what it takes.`);
  return MISUSED;
}
