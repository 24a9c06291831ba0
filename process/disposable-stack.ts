// `AsyncDisposableStack` where the runtime has none (Node 22): the package is compiled to import this file first wherever
// the name stands (scripts/compile.ts). As the proposal says, for what this program uses of it.

type Entry = () => unknown;

class Stack implements AsyncDisposable {
  #entries: Entry[] = [];
  #disposed = false;

  use<T>(value: T): T {
    const disposable = value as Partial<AsyncDisposable & Disposable> | null | undefined;
    if (disposable === null || disposable === undefined) return value;
    const dispose = disposable[Symbol.asyncDispose] ?? disposable[Symbol.dispose];
    if (typeof dispose !== 'function') throw new TypeError('the value cannot be disposed of');
    this.defer(() => dispose.call(disposable as AsyncDisposable & Disposable));
    return value;
  }

  defer(entry: Entry): void {
    if (this.#disposed) throw new ReferenceError('the stack has been disposed of');
    this.#entries.push(entry);
  }

  move(): Stack {
    if (this.#disposed) throw new ReferenceError('the stack has been disposed of');
    const moved = new Stack();
    moved.#entries = this.#entries;
    this.#entries = [];
    this.#disposed = true;
    return moved;
  }

  async disposeAsync(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    let failed = false;
    let failure: unknown;
    for (const entry of this.#entries.reverse()) {
      try {
        await entry();
      } catch (error) {
        failure = failed ? suppressed(error, failure) : error;
        failed = true;
      }
    }
    if (failed) throw failure;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

function suppressed(error: unknown, before: unknown): Error {
  return Object.assign(new Error('An error was suppressed during disposal.'), {
    name: 'SuppressedError',
    error,
    suppressed: before,
  });
}

if (!('AsyncDisposableStack' in globalThis)) {
  Object.defineProperty(globalThis, 'AsyncDisposableStack', {
    value: Stack,
    writable: true,
    configurable: true,
  });
}

export { Stack as OlderAsyncDisposableStack };
