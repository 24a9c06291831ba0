// The runs that the proxy knows by name: the default one, and every run that brought a declaration of its own
// (design.md, "Which run is asking"). A run's secret is told once; the policy holds its hash.
import { createHash, randomBytes } from 'node:crypto';
import type { Declaration } from '../../policy/run.ts';
import type { RunGrant } from '../../policy/snapshot.ts';
import type { OpenedRun, Runs, SeenRun } from '../http/surroundings.ts';
import { RUNS_MAX, RUNS_SEEN_MAX } from './limits.ts';
import { wallClock } from './wall-clock.ts';

const NAME_BYTES = 4;
const SECRET_BYTES = 24;

const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** `secret`: the one in force; a rotation of the world's tokens changes it. */
export type DefaultRun = { readonly name: string; readonly secret: () => string };

/** `world`: the branch that its calls to twins go to; undefined for the world itself. */
type Seen = SeenRun & { readonly world: string | undefined };

export class RunList implements Runs {
  readonly #default: DefaultRun;
  #seen: readonly Seen[] = [];
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
      seen: () => this.#seenIn(world),
      declarations: () => this.#declaredIn(world),
      open: declaration => this.#open(declaration, world),
      close: async name => this.#opened.get(name)?.world === world && (await this.#close(name)),
    };
  }

  seen(): readonly SeenRun[] {
    return this.#seenIn(undefined);
  }

  declarations(): readonly Declaration[] {
    return this.#declaredIn(undefined);
  }

  #declaredIn(world: string | undefined): readonly Declaration[] {
    const grants = [...this.#opened.values()].filter(grant => grant.world === world);
    return grants.map(({ declaration }) => declaration);
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
    const seen = { name, world: world ?? undefined, openedAt: now(), closedAt: null };
    this.#seen = [seen, ...this.#seen.slice(0, RUNS_SEEN_MAX - 1)];
    await this.#apply();
    return { name, secret };
  }

  #seenIn(world: string | undefined): readonly SeenRun[] {
    return this.#seen
      .filter(seen => seen.world === world)
      .map(({ name, openedAt, closedAt }) => ({ name, openedAt, closedAt }));
  }

  async #close(name: string): Promise<boolean> {
    if (!this.#opened.delete(name)) return false;
    this.#seen = this.#seen.map(seen => (seen.name === name ? { ...seen, closedAt: now() } : seen));
    await this.#apply();
    return true;
  }
}

const now = (): string => new Date(wallClock.now()).toISOString();
