// How often, and for how long, a service is asked whether it is healthy.
import t from 'tap';
import { untilHealthy } from '../../cli/image-health.ts';

const place = { file: 'c.yaml', line: 1 };
const check = {
  command: { words: ['ask'], shell: false, place },
  ...{ interval: 1, timeout: 7, startPeriod: 0, retries: 3, place },
};

function service(answers: readonly boolean[]) {
  const asked: unknown[] = [];
  return {
    asked,
    started: Promise.resolve(),
    check: async (words: readonly string[], timeout: number): Promise<boolean> => {
      asked.push([...words, timeout]);
      return answers[asked.length - 1] ?? false;
    },
  };
}

t.test('until it is content', async t => {
  const late = service([false, false, false, false, true]);
  t.equal(await untilHealthy(late, { ...check, startPeriod: 60_000 }, AbortSignal.timeout(30_000)), true);
  t.strictSame(
    late.asked,
    Array(5).fill(['ask', 7]),
    'the retries alone are not its end: their time has to be over',
  );
});

t.test('its time begins with its program, however long the sandbox takes', async t => {
  const started = Promise.withResolvers<void>();
  const slow = { ...service([true]), started: started.promise };
  const healthy = untilHealthy(slow, check, AbortSignal.timeout(30_000));
  await new Promise(resolve => setImmediate(resolve));
  t.strictSame(slow.asked, []);
  started.resolve();
  t.equal(await healthy, true);
  t.strictSame(slow.asked, [['ask', 7]]);
});

t.test('or has failed as often as it may', async t => {
  const never = service([]);
  t.equal(await untilHealthy(never, check, AbortSignal.timeout(30_000)), false);
  t.ok(never.asked.length >= 3);
});

t.test('or nobody waits any longer', async t => {
  const over = new AbortController();
  const ended = untilHealthy(service([]), { ...check, interval: 3_600_000 }, over.signal);
  over.abort();
  t.equal(await ended, false);
});
