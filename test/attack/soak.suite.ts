// The long soak, by `npm run test:soak`: SOAK_REQUESTS and WRLD_SEED change what it does.
import t from 'tap';
import { NEW_SEED } from '../kit/seed.ts';
import { soak } from './soak.ts';

const requests = Number(process.env['SOAK_REQUESTS'] ?? 200_000);

t.test(
  `a soak of ${requests} mixed requests with aborts, stalls and resets: flat memory, no handle left`,
  {
    skip: process.platform === 'linux' ? false : 'memory and handles are read from /proc',
    timeout: 900_000,
  },
  t => soak(t, requests, NEW_SEED),
);
