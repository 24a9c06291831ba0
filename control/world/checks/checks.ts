// The checks of a world (4.7): modules of its users that look at each entry of a changeset before it may be deployed.
import type { WallClock } from '../../ports/clock.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { Sql } from '../../ports/sql.ts';
import type { Verification } from '../changesets/changeset.ts';
import type { ChangesetRecord, Changesets } from '../changesets/changesets.ts';
import { CHECK_SOURCE_CHARS_MAX, CHECKS_MAX, VERIFY_MS_MAX } from '../limits.ts';
import { formatInstant } from '../store/instant.ts';
import type { Threshold } from '../store/threshold.ts';
import { CheckRun } from './check-run.ts';
import { Findings } from './findings.ts';
import type { Tree } from './tree.ts';

export type Check = { readonly name: string; readonly source: string };

export type SetCheckResult =
  | { readonly ok: true; readonly check: Check }
  | {
      readonly ok: false;
      readonly why: 'bad-name' | 'too-long' | 'too-many' | 'no-check' | 'no-sandbox';
      readonly message: string;
    };

export type VerifyResult =
  | { readonly ok: true; readonly changeset: ChangesetRecord }
  | {
      readonly ok: false;
      readonly why: 'no-such-changeset' | 'changed-meanwhile' | 'no-sandbox';
      readonly message: string;
    };

type Parts = {
  readonly sql: Sql;
  readonly wall: WallClock;
  readonly threshold: Threshold;
  readonly changesets: Changesets;
  readonly tree: Tree;
  /** Null on a host that runs nothing of its users'. */
  readonly sandbox: Sandbox | null;
};

/** As a changeset's, so that it stands in a path as it is. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export class Checks {
  readonly #parts: Parts;
  /** Grows with every change of a check: what was found by others is not what these say. */
  #edition = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** By name. */
  list(): readonly Check[] {
    return this.#parts.sql
      .all<Check>('SELECT name, source FROM world_check ORDER BY name')
      .map(({ name, source }) => ({ name, source }));
  }

  /** It is tried first: what exports no check is refused, and what there was stays. */
  set(name: string, source: string): Promise<SetCheckResult> {
    return this.#inTurn(() => this.#set(name, source));
  }

  /** Runs every check over every entry, and keeps what they say. */
  verify(name: string): Promise<VerifyResult> {
    return this.#inTurn(() => this.#verify(name));
  }

  /** One at a time: each has memory of its own. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #set(name: string, source: string): Promise<SetCheckResult> {
    const { sql, sandbox, tree, threshold } = this.#parts;
    if (!NAME.test(name))
      return no(
        'bad-name',
        'A name is 1 to 63 lower-case letters, digits and hyphens, a hyphen neither first nor last.',
      );
    if (source.length > CHECK_SOURCE_CHARS_MAX)
      return no('too-long', `A check has at most ${CHECK_SOURCE_CHARS_MAX / 1024} KB.`);
    if (sandbox === null) return NO_SANDBOX;
    const run = await CheckRun.open({ sandbox, tree }, source);
    if (!run.ok) return no('no-check', `This is no check: ${run.message}`);
    await run.check[Symbol.asyncDispose]();
    const taken = sql.transaction(() => {
      const { n } = sql.get<{ n: number }>('SELECT count(*) AS n FROM world_check WHERE name <> ?', name)!;
      if (n >= CHECKS_MAX) return false;
      sql.run(
        'INSERT INTO world_check(name, source) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET source = excluded.source',
        name,
        source,
      );
      this.#forgetVerifications();
      return true;
    });
    if (!taken) return no('too-many', `A world has at most ${CHECKS_MAX} checks; remove some first.`);
    await threshold.waiting();
    return { ok: true, check: { name, source } };
  }

  /** False when there is none. */
  async remove(name: string): Promise<boolean> {
    const { sql, threshold } = this.#parts;
    const removed = sql.transaction(() => {
      const rows = sql.run('DELETE FROM world_check WHERE name = ?', name);
      if (rows > 0) this.#forgetVerifications();
      return rows > 0;
    });
    await threshold.waiting();
    return removed;
  }

  async #verify(name: string): Promise<VerifyResult> {
    const { changesets, sandbox, tree, wall } = this.#parts;
    const found = await changesets.get(name);
    if (found === null)
      return { ok: false, why: 'no-such-changeset', message: `There is no changeset ${name}.` };
    const edition = this.#edition;
    const checks = this.list();
    if (checks.length > 0 && sandbox === null) return NO_SANDBOX;
    const findings = new Findings();
    const until = performance.now() + VERIFY_MS_MAX;
    for (const check of checks) {
      const opened = await CheckRun.open({ sandbox: sandbox!, tree }, check.source);
      if (!opened.ok) {
        findings.add(check.name, '', opened.message);
        continue;
      }
      await using run = opened.check;
      for await (const { entries } of changesets.body(name)) {
        if (performance.now() > until) {
          const seconds = VERIFY_MS_MAX / 1000;
          findings.add(check.name, '', `the checks took more than ${seconds} s; it did not see every entry`);
          break;
        }
        const failures = await run.look(entries);
        for (const { entry, message } of failures) findings.add(check.name, entry, message);
        if (run.over) break;
      }
      findings.print(check.name, run.printed);
    }
    if (edition !== this.#edition)
      return {
        ok: false,
        why: 'changed-meanwhile',
        message: 'The checks were changed while they ran; verify again.',
      };
    const verification: Verification = {
      hash: found.currentHash,
      at: formatInstant(wall.now()),
      ...findings.told(),
    };
    await changesets.setVerification(name, verification);
    return { ok: true, changeset: (await changesets.get(name))! };
  }

  /** What the checks of before said holds no more, but where a vendor was asked already. */
  #forgetVerifications(): void {
    this.#edition += 1;
    this.#parts.sql.run(
      `UPDATE changeset SET verification = NULL WHERE verification IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM receipt WHERE receipt.name = changeset.name AND receipt.status <> 'landed')`,
    );
  }
}

const no = <Why extends string>(why: Why, message: string) => ({ ok: false, why, message }) as const;

const NO_SANDBOX = no('no-sandbox', 'This host runs no checks.');
