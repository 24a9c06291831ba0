// The simulation in short: a hundred schedules hold, and each bug that is put back is found (storage.md, invariants
// 1–12 and 25). `npm run test:simulate` is the long form.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { BUGS } from './put-back.ts';

/** Twenty seconds of one core, on a machine that others use too. */
t.setTimeout(600_000);

const MAIN = join(import.meta.dirname, 'main.ts');
const PUT_BACK = join(import.meta.dirname, 'put-back.ts');
/** The same in every run of the suite: what is new is looked for by the long form. */
const SEED = '1';

type Env = { readonly [name: string]: string };

const simulate = async (env: Env): Promise<{ readonly code: number; readonly told: string }> => {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--import', PUT_BACK, MAIN],
    {
      env: { ...process.env, WRLD_SEED: SEED, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [told, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number]>]);
  return { code, told };
};

t.test('[storage 1–12, 25] worlds hold through crashes, faults and whatever else a schedule has', async t => {
  const { code, told } = await simulate({ WRLD_SCHEDULES: '100' });
  t.equal(code, 0, told);
  t.match(told, /100 schedules held/);
});

t.test(
  '[6-3] a webhook that a refusal ended for good is found, by a schedule as short as it goes',
  async t => {
    const { code, told } = await simulate({
      WRLD_SCHEDULES: '300',
      WRLD_PUT_BACK: 'a refusal ends a webhook',
    });
    t.equal(code, 1, told);
    t.match(told, /given up after 1 of \d+ attempts/);
    t.match(told, /WRLD_SEED=\d+ WRLD_SCHEDULES=1/, 'how to have it again');
    const steps = told.split('\n').filter(line => line.startsWith('  {'));
    t.ok(steps.length > 0 && steps.length <= 6, `${steps.length} steps: ${told}`);
  },
);

for (const [bug, { shows }] of Object.entries(BUGS).slice(1)) {
  t.test(`it is found that ${bug}`, async t => {
    const { code, told } = await simulate({
      WRLD_SCHEDULES: '300',
      WRLD_SHORTEN: '0',
      WRLD_PUT_BACK: bug,
    });
    t.match(told, `put back: ${bug}`, 'the place that it is put back into is there');
    t.equal(code, 1, told);
    t.match(told, shows);
  });
}
