// The runs that the proxy knows by name: the default one, and those that brought a declaration of their own
// (design.md, "Which run is asking"). A run's secret is told once; the policy holds its hash.
import { createHash, randomBytes } from 'node:crypto';
import type { Declaration } from '../../policy/run.ts';
import type { RunGrant } from '../../policy/snapshot.ts';
import type { OpenedRun, Runs } from '../http/surroundings.ts';

/** Runs with a declaration at once; `wrld world run` closes its own when its command ends. */
export const RUNS_MAX = 1_000;
const NAME_BYTES = 4;
const SECRET_BYTES = 24;

const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export class RunList implements Runs {
  readonly #default: RunGrant;
  readonly #opened = new Map<string, RunGrant>();
  readonly #apply: () => Promise<void>;

  /** `apply` resolves when the policy with the present list is in force. */
  constructor(defaultRun: { readonly name: string; readonly secret: string }, apply: () => Promise<void>) {
    this.#default = { name: defaultRun.name, secretHash: hash(defaultRun.secret), declaration: {} };
    this.#apply = apply;
  }

  get grants(): readonly RunGrant[] {
    return [this.#default, ...this.#opened.values()];
  }

  async open(declaration: Declaration): Promise<OpenedRun | null> {
    if (this.#opened.size >= RUNS_MAX) return null;
    const name = `run-${randomBytes(NAME_BYTES).toString('hex')}`;
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    this.#opened.set(name, { name, secretHash: hash(secret), declaration });
    await this.#apply();
    return { name, secret };
  }

  async close(name: string): Promise<boolean> {
    if (!this.#opened.delete(name)) return false;
    await this.#apply();
    return true;
  }
}
