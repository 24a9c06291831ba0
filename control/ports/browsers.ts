/**
 * The browser profiles of one world, as texts by name (2.5). A local world keeps them as files that a person may
 * edit; what is in one is judged by whoever reads it.
 */
export type BrowserStore = {
  /** In no order. */
  names(): Promise<readonly string[]>;
  /** Null when there is none of that name. */
  read(name: string): Promise<string | null>;
  /** Whole and lasting when it resolves. */
  write(name: string, text: string): Promise<void>;
  /** False when there was none. */
  remove(name: string): Promise<boolean>;
  /** What the world remembers of all of them, as it was kept last; null when nothing was. */
  notes(): Promise<string | null>;
  /** Whole and lasting when it resolves. */
  keepNotes(text: string): Promise<void>;
};
