// The requests to a twin as the world's journal has them, reads and refused ones too, for screens that show what an app has
// asked. They are no part of the twin's state: they go after a month, and their instants are the wall's clock's.

export type JournaledRequest = {
  /** Grows with each of them, and is the cursor of pages. */
  readonly key: number;
  /** What the vendor calls it in its answer (`KeptRequest.answered`). */
  readonly id: string;
  /** Milliseconds since 1970, wall time. */
  readonly at: number;
  readonly method: string;
  /** Where it is not held any more, the operation's template. */
  readonly path: string;
  /** 0: the connection was cut instead. */
  readonly status: number;
  readonly ms: number;
  readonly caller: string | null;
};

export type WholeJournaled = {
  readonly request: JournaledRequest;
  /** The position of the entry that it made in the log; null for one that changed nothing. */
  readonly position: number | null;
  /** Null where it is not held any more. */
  readonly exchange: ShownExchange | null;
};

/** Those that the twin gave an id. */
export type RequestReader = {
  /** Newest first. `before` of what it answers is where the next page begins, null where nothing is left. */
  page(asked: {
    readonly before?: number;
    readonly limit: number;
    readonly fits?: (request: JournaledRequest) => boolean;
  }): { readonly items: readonly JournaledRequest[]; readonly before: number | null };
  /** By the vendor's id of it, among the newest. */
  one(id: string): WholeJournaled | null;
};

/** In words that can be read, and without its secrets. */
export type ShownExchange = {
  readonly request: {
    /** False: at the twin's own URL, below which `path` is. */
    readonly atHost: boolean;
    readonly method: string;
    readonly host: string;
    readonly path: string;
    readonly query: string;
    readonly headers: ShownHeaders;
    readonly body: ShownBody;
  };
  readonly answer: { readonly status: number; readonly headers: ShownHeaders; readonly body: ShownBody };
};

export type ShownHeaders = readonly (readonly [name: string, value: string])[];

export type ShownBody = {
  readonly bytes: number;
  /** Null for none, for bytes that are no text, and for what is longer than is kept. */
  readonly text: string | null;
  /** Base64, of an image that browsers show. */
  readonly image: string | null;
};
