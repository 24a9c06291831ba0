// A shard's end of what its front knows of it: the names of its worlds, branches among them, told as they come and go, many
// at once where many do.
import type { FromShard } from './messages.ts';

export class NamesTold {
  readonly #say: (message: FromShard) => void;
  readonly #come = new Set<string>();
  readonly #gone = new Set<string>();
  readonly #waiting = new Map<number, () => void>();
  /** Not before all were told, when it is up. */
  #begun = false;
  #soon = false;
  #id = 0;

  constructor(say: (message: FromShard) => void) {
    this.#say = say;
  }

  hear(name: string, isHere: boolean): void {
    this.#come.delete(name);
    this.#gone.delete(name);
    (isHere ? this.#come : this.#gone).add(name);
    if (this.#soon || !this.#begun) return;
    this.#soon = true;
    setImmediate(() => {
      this.#soon = false;
      this.flush();
    });
  }

  /** All that are there now; what its front knew before is put aside. */
  begin(): void {
    this.#begun = true;
    this.#say({ kind: 'names', id: null, all: true, come: [...this.#come], gone: [] });
    this.#come.clear();
    this.#gone.clear();
  }

  /** Whatever is said next comes after the names. */
  flush(id: number | null = null): void {
    if (id === null && this.#come.size === 0 && this.#gone.size === 0) return;
    this.#say({ kind: 'names', id, all: false, come: [...this.#come], gone: [...this.#gone] });
    this.#come.clear();
    this.#gone.clear();
  }

  /** Resolves when the front knows all of them. */
  known(): Promise<void> {
    const id = ++this.#id;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(id, resolve);
    this.flush(id);
    return promise;
  }

  acknowledged(id: number): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }
}
