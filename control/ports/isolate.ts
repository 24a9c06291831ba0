/**
 * Runs JavaScript of a world's users (checks, 4.7) where it reaches nothing: no network, no files, no host objects, no
 * other run. Bounded in time and memory; what exceeds them ends alone.
 */
export type IsolateLimits = {
  /** Milliseconds of wall time for the whole run. */
  readonly ms: number;
  readonly memoryBytes: number;
};

export type IsolateRun =
  /** What the function returned, as JSON; undefined becomes null. */
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      /** `source`: it is no module or exports no such function. `threw`: the function did. */
      readonly why: 'source' | 'threw' | 'time' | 'memory';
      /** In the words of the engine or of what was thrown, at most a line. */
      readonly message: string;
    };

export type Isolate = {
  /** Calls the export of that name with arguments that are copied in as JSON. Never rejects. */
  call(source: string, name: string, args: readonly unknown[], limits: IsolateLimits): Promise<IsolateRun>;
};
