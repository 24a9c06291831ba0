import t from 'tap';
import { processor } from '../../../control/node/processor.ts';

const ms = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

t.test('what this thread has run for, in milliseconds', async t => {
  const before = ms();
  while (ms() < before + 1);
  const spent = processor.spent();
  t.ok(spent >= before + 1, 'what it ran for meanwhile is in it');
  t.ok(spent <= ms());
});
