// The short soak of the suite; soak.suite.ts is the long one.
import t from 'tap';
import { soak } from './soak.ts';

const seed = Number(process.env['SOAK_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

t.test(
  'a short soak: mixed requests, aborts, stalls and resets leave nothing behind',
  { skip: process.platform === 'linux' ? false : 'memory and handles are read from /proc' },
  t => soak(t, 5_000, seed),
);
