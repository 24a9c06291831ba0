// The root of a twin (2.8): where the real vendor is, whether what is done here may be done there, and how often it is
// looked at.

export type Root = {
  /** https, or http to a literal address of this machine where the host allows it; no query; no `/` at its end. */
  readonly url: string;
  /** `auto`: what is pushed is performed at once. `manual`: when a person or a key says so. `never`: receipts say `skipped`. */
  readonly deploy: 'auto' | 'manual' | 'never';
  /** Durations as `clock advance` reads them (`15m`); `every: null` looks only when asked. */
  readonly refresh: { readonly every: string | null; readonly atMost: string };
};
