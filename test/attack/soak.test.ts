// The short soak of the suite; soak.suite.ts is the long one.
import t from 'tap';
import { SEED } from '../kit/seed.ts';
import { soak } from './soak.ts';

t.test(
  'a short soak: mixed requests, aborts, stalls and resets leave nothing behind',
  { skip: process.platform === 'linux' ? false : 'memory and handles are read from /proc' },
  t => soak(t, 5_000, SEED),
);
