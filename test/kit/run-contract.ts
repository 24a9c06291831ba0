// A contract's cases as subtests of tap, each with a host of its own.
import type { Test } from 'tap';
import { type Case, expect } from '../contract/suite.ts';

/** `open`: an empty host, which ends with the case's test. */
export const runContract = <Host>(
  t: Test,
  cases: readonly Case<Host>[],
  open: (t: Test) => Host | Promise<Host>,
): void => {
  for (const { name, run } of cases) {
    t.test(name, async t => {
      await run(await open(t), expect);
      t.pass('as the contract says');
    });
  }
};
