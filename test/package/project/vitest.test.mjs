// A file of somebody's suite, run by Vitest, in the name of a user whose timers stand still.
import { expect, test, vi } from 'vitest';
import { useWorld } from 'wrld/vitest';
import { charge, customers } from './shop.mjs';

const world = useWorld({ twins: ['stripe'], seed: () => charge('seed@example.com') });

test('the first writes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
  await charge('first@example.com');
  expect(await customers()).toEqual(['first@example.com', 'seed@example.com']);
  vi.useRealTimers();
});

test('the second does not see it', async () => {
  expect(await customers()).toEqual(['seed@example.com']);
  expect(await world.requests()).toHaveLength(1);
});

test.skipIf(process.env.WRLD_FAIL === undefined)('fails where it is told to', async () => {
  await fetch('https://api.elsewhere.example/');
});
