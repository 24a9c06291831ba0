// The runs that the proxy knows by name: the default one, and every run that brought a declaration of its own
// (design.md, "Which run is asking"). A run's secret is told once; the policy holds its hash.
import { createHash, randomBytes } from 'node:crypto';
import type { Declaration } from '../../policy/run.ts';
import type { RunGrant } from '../../policy/snapshot.ts';
import type { OpenedRun, Runs } from '../http/surroundings.ts';
import { RUNS_MAX } from './limits.ts';

const NAME_BYTES = 4;
const SECRET_BYTES = 24;

const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** `secret`: the one in force; a rotation of the world's tokens changes it. */
export type DefaultRun = { readonly name: string; readonly secret: () => string };

export class RunList implements Runs {
  readonly #default: DefaultRun;
  readonly #opened = new Map<string, RunGrant>();
  readonly #apply: () => Promise<void>;

  /** `apply` resolves when the policy with the present list is in force. */
  constructor(defaultRun: DefaultRun, apply: () => Promise<void>) {
    this.#default = defaultRun;
    this.#apply = apply;
  }

  get grants(): readonly RunGrant[] {
    const { name, secret } = this.#default;
    return [{ name, secretHash: hash(secret()), declaration: {} }, ...this.#opened.values()];
  }

  /** The runs whose calls to twins go to a branch; they count with all others. */
  of(world: string): Runs {
    return {
      open: declaration => this.#open(declaration, world),
      close: async name => this.#opened.get(name)?.world === world && (await this.#close(name)),
    };
  }

  open(declaration: Declaration): Promise<OpenedRun | null> {
    return this.#open(declaration, null);
  }

  async close(name: string): Promise<boolean> {
    return this.#opened.get(name)?.world === undefined && (await this.#close(name));
  }

  async #open(declaration: Declaration, world: string | null): Promise<OpenedRun | null> {
    if (this.#opened.size >= RUNS_MAX) return null;
    const name = `run-${randomBytes(NAME_BYTES).toString('hex')}`;
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const grant = { name, secretHash: hash(secret), declaration };
    this.#opened.set(name, world === null ? grant : { ...grant, world });
    await this.#apply();
    return { name, secret };
  }

  async #close(name: string): Promise<boolean> {
    if (!this.#opened.delete(name)) return false;
    await this.#apply();
    return true;
  }
}
