// The long soak, by `npm run test:soak`: SOAK_REQUESTS and SOAK_SEED change what it does.
import t from 'tap';
import { soak } from './soak.ts';

const requests = Number(process.env['SOAK_REQUESTS'] ?? 200_000);
const seed = Number(process.env['SOAK_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

t.test(
  `a soak of ${requests} mixed requests with aborts, stalls and resets: flat memory, no handle left`,
  {
    skip: process.platform === 'linux' ? false : 'memory and handles are read from /proc',
    timeout: 900_000,
  },
  t => soak(t, requests, seed),
);
