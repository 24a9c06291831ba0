// What the processes of a host are given of its environment.
import t from 'tap';
import { shardEnvironment } from '../../../control/node/environment.ts';

t.test('a shard has all but the admin token, and compiled code where its front has it', async t => {
  const before = process.env;
  t.teardown(() => {
    process.env = before;
  });
  process.env = { ADMIN_TOKEN: 'tok_a_secret', SEALING_KEY: 'key' };
  t.strictSame(shardEnvironment('/cache'), { NODE_COMPILE_CACHE: '/cache', SEALING_KEY: 'key' });
  t.strictSame(shardEnvironment(undefined), { SEALING_KEY: 'key' });
  process.env = { NODE_COMPILE_CACHE: '/own' };
  t.strictSame(shardEnvironment('/cache'), { NODE_COMPILE_CACHE: '/own' }, 'whoever starts it chooses first');
});
