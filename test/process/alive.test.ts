import { spawnSync } from 'node:child_process';
import t from 'tap';
import { isAlive } from '../../process/alive.ts';

t.test('a process is alive until it has ended, whoever has started it', t => {
  t.equal(isAlive(process.pid), true);
  // The first process of the machine or of its container; where this user may not signal it, it is there all the same.
  t.equal(isAlive(1), true);
  t.equal(isAlive(spawnSync(process.execPath, ['-e', '']).pid), false);
  t.end();
});
