// What a twin knows of the vendor that it stands in for, for worlds that have the real one behind theirs (2.8): how a
// credential is shown to it, how what was done here is asked of it, and how what it has becomes records here. Pure: the
// world asks, keeps and judges.
import type { Reader, RecordBody } from './tx.ts';

export type VendorHeaders = readonly (readonly [name: string, value: string])[];

/** As it is asked of the vendor; the root's own URL comes before `path`. */
export type VendorRequest = {
  /** Upper case. */
  readonly method: string;
  /** Begins with `/`; with the query, where there is one. */
  readonly path: string;
  /** Without the credential, which is the world's to add. */
  readonly headers: VendorHeaders;
  readonly body: string | Uint8Array | null;
};

export type VendorAnswer = {
  readonly status: number;
  readonly headers: VendorHeaders;
  /** Whole. */
  readonly body: Uint8Array;
};

/** A record as the twin keeps it, made of what the vendor has. */
export type Observed = { readonly type: string; readonly id: string; readonly body: RecordBody };

export type RealVendor = {
  /** The headers that show a credential. Throws `TypeError` for a text that is none of the vendor's. */
  readonly authorize: (credential: string) => VendorHeaders;
  /** An object as the vendor writes it, as records, with nothing secret in them; none for what the twin does not keep. */
  readonly adopt?: (object: RecordBody) => readonly Observed[];
  readonly deploys?: Deploys;
  readonly observes?: Observes;
  readonly ingests?: Ingests;
};

/** How what was done in a world is done at the vendor (3). */
export type Deploys = {
  /** Under such a header the vendor does a request once, and answers it the same for so long. Null: it has none. */
  readonly once: { readonly header: string; readonly keptMs: number } | null;
  /** Why this cannot be asked of the vendor (a clock that is moved, a test helper); null where it can. */
  readonly unable: (request: Pick<VendorRequest, 'method' | 'path'>) => string | null;
  /** Of an answer of 200 to 299. */
  readonly done: (request: VendorRequest, answer: VendorAnswer) => Done;
  /** Of any other answer: the vendor's own words, in a line. */
  readonly refusal: (answer: VendorAnswer) => string;
  /** For a vendor without `once`: how it is found out whether this request was done; null where that cannot be known. */
  readonly lookup?: (request: VendorRequest) => Lookup | null;
};

/** Asks a vendor whether a request was done, when its answer was lost. */
export type Lookup = {
  /** The request with the reference in it, so that what it does can be found by it. Absent: what it does shows without. */
  readonly mark?: (request: VendorRequest, reference: string) => VendorRequest;
  readonly ask: (request: VendorRequest, reference: string) => VendorRequest;
  /**
   * Of any answer to that, be it a refusal. Null: it was not done. `unknown`: that is never to be known. Throws for an answer
   * that says nothing of it: it is asked again, at the next deploy.
   */
  readonly found: (answer: VendorAnswer, of: Sought) => Done | null | 'unknown';
  /** How long what was done may stay unseen. */
  readonly graceMs: number;
};

export type Sought = {
  readonly reference: string;
  /** Wall time, milliseconds: it was not sent before. */
  readonly since: number;
};

/** What a request did at the vendor. */
export type Done = {
  /** The id of what it made or changed; absent where it has none. */
  readonly id?: string;
  /** A page of the vendor's for people. */
  readonly url?: string;
  /** As the vendor wrote it, for `adopt`. */
  readonly object?: RecordBody;
  /** Records that the answer lists, by the twin's types, in the order in which the request asked for them. */
  readonly listed?: readonly Pick<Observed, 'type' | 'id'>[];
};

/** How a root is copied (4.6, refresh). */
export type Observes = {
  /** Unless the root's own configuration says otherwise. `null`: only when asked. */
  readonly every: string | null;
  /** No more often than this, unless forced: `1m`. */
  readonly atMost: string;
  /**
   * Pages from where `cursor` says, null from the beginning; ends when all was seen that was there. Whoever reads stores
   * each page with its cursor, and begins there again after a crash. `ask` waits for the vendor's limits; it answers what
   * the vendor did but for redirects, 429 and 500 to 599, and throws what ends the pass. `VendorFault` ends it too.
   */
  readonly pages: (ask: AskVendor, cursor: string | null) => AsyncGenerator<ObservedPage>;
};

export type AskVendor = (request: VendorRequest) => Promise<VendorAnswer>;

export type ObservedPage = {
  /** The first of a pass that tells of everything there is, not of what changed. */
  readonly anew?: true;
  /** Types of which that pass has now told everything: what it did not tell of is there no more. */
  readonly whole?: readonly string[];
  readonly put: readonly Observed[];
  readonly gone: readonly Pick<Observed, 'type' | 'id'>[];
  /** Where the next page begins, and, after the last, where the next pass does. */
  readonly cursor: string;
};

/** A webhook of the vendor's, as it came. Header names are lower case. */
export type ArrivedWebhook = {
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: Uint8Array;
};

/** How a webhook of the vendor's comes into the log (4.6, ingest). */
export type Ingests = {
  /** Which of the world's verifiers knows the signature. */
  readonly scheme: 'stripe' | 'github' | 'slack' | 'svix' | 'standard';
  /** Of a body whose signature held; null where it is nothing that the twin keeps. `id`: one event comes in once. Some vendors
   * name the event in its headers, and nowhere else. */
  readonly fold: (body: RecordBody, held: Reader, webhook: ArrivedWebhook) => FoldedEvent | null;
};

export type FoldedEvent = {
  readonly id: string;
  /** The vendor's name of the event. */
  readonly kind: string;
  /** When it happened at the vendor, in any unit: of two events of one record the newer stands. Absent: the one that comes later. */
  readonly at?: number;
  readonly put: readonly Observed[];
  readonly gone: readonly Pick<Observed, 'type' | 'id'>[];
};
