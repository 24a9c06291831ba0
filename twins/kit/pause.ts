// A wait that somebody else may end: a stream that is paced waits for its next piece, unless its reader leaves.
export class Pause {
  #end: (() => void) | null = null;

  /** Resolves after so many milliseconds, or when it is ended. One at a time. */
  for(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(() => this.#end?.(), ms);
      this.#end = () => {
        clearTimeout(timer);
        this.#end = null;
        resolve();
      };
    });
  }

  end(): void {
    this.#end?.();
  }
}
