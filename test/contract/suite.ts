// A contract is written once against a port and run by every host that has the port: by tap on Node, by a small runner
// inside a worker (test/edge/worker.ts). So a suite is a list of cases, and a case tells what is wrong by throwing.
import { deepStrictEqual, ok, rejects, strictEqual, throws } from './assert.ts';

export type Expect = {
  equal(found: unknown, wanted: unknown, message?: string): void;
  /** Compared by what they hold. */
  same(found: unknown, wanted: unknown, message?: string): void;
  ok(found: unknown, message?: string): void;
  throws(work: () => unknown, wanted?: RegExp | (new (...given: never[]) => Error), message?: string): void;
  rejects(work: Promise<unknown>, message?: string): Promise<void>;
};

export type Case<Host> = {
  readonly name: string;
  readonly run: (host: Host, expect: Expect) => void | Promise<void>;
};

export const expect: Expect = { equal: strictEqual, same: deepStrictEqual, ok, throws, rejects };
