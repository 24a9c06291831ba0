// One run of the simulated process, from its start to its clean end or to a crash. After that nothing of it reaches the
// outside: what still runs of it meets ports that are gone.

/** Thrown by the ports of a process that is no more. */
export class ProcessGone extends Error {
  override readonly name = 'ProcessGone';

  constructor() {
    super('the process is gone');
  }
}

export class Life {
  readonly #ended: () => void;
  #alive = true;
  #left: number | null = null;

  /** `ended`: called at the moment of the crash. */
  constructor(ended: () => void) {
    this.#ended = ended;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Power is cut when so many statements more have been executed: 0 for the next. */
  crashAfter(statements: number): void {
    this.#left = statements;
  }

  /** A crash that was to come and has not comes now. */
  crashIfMeant(): void {
    if (this.#left !== null) this.crash();
  }

  crash(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#ended();
  }

  /** A clean end: what had been begun has been ended by the world itself. */
  close(): void {
    this.#alive = false;
  }

  /** Before each statement. */
  statement(): void {
    if (this.#left !== null && this.#left-- === 0) this.crash();
    this.must();
  }

  must(): void {
    if (!this.#alive) throw new ProcessGone();
  }
}
