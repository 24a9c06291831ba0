/**
 * Runs a module of a world's users (a check, 4.7) where it reaches nothing: no network, no files, no host objects, no
 * other module. It is kept and called again and again, and asks through a driver of ours. Bounded in time and memory;
 * what exceeds them ends alone.
 */
export type SandboxLimits = {
  /** Of one call, and of the module's own beginning: time that it runs, and not that it waits. Milliseconds. */
  readonly callMs: number;
  /** With everything that runs it. */
  readonly memoryBytes: number;
  /** Kept of what it prints; the rest is dropped. */
  readonly printedChars: number;
  /** Of what one call says; one that says more has failed. */
  readonly saidChars: number;
};

export type SandboxAsk = {
  readonly source: string;
  /**
   * An expression of ours, which is evaluated before the module: a function of what the module exports, `ask` and
   * `print`. It returns what is called: a text in, a text out (or a promise of one). What it throws as it begins says
   * that the module is not what it should be.
   */
  readonly driver: string;
  readonly limits: SandboxLimits;
  /** Answers what the driver asks, a text each. What it throws is thrown inside. */
  readonly ask: (question: string) => Promise<string>;
};

export type SandboxFailure = {
  readonly ok: false;
  /** `source`: it is no module, or not what the driver takes. `threw`: nothing of it was caught. */
  readonly why: 'source' | 'threw' | 'time' | 'memory';
  /** In the words of the engine or of what was thrown, at most a line. */
  readonly message: string;
};

export type SandboxRun = { readonly ok: true; readonly text: string } | SandboxFailure;

export type SandboxModule = AsyncDisposable & {
  /** One after the other. Fewer than there are texts when the last one ended the module. Never rejects. */
  run(texts: readonly string[]): Promise<readonly SandboxRun[]>;
  /** Since it began. */
  readonly printed: string;
};

export type Sandbox = {
  /** Never rejects. */
  open(ask: SandboxAsk): Promise<{ readonly ok: true; readonly module: SandboxModule } | SandboxFailure>;
};
