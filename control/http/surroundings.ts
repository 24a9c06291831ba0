// What the endpoints know of their host beside the world itself. The Node host and the edge each make one.
import type { RefusalRecord } from '../../policy/refusal.ts';
import type { Declaration } from '../../policy/run.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Log } from '../ports/log.ts';
import type { Asker } from './access.ts';

/** A refusal that a client of the proxy got. */
export type SeenRefusal = {
  /** ISO 8601, wall time. */
  readonly at: string;
  readonly run: string;
  readonly record: RefusalRecord;
};

/** The credentials of a run's proxy URL; the secret is told once. */
export type OpenedRun = { readonly name: string; readonly secret: string };

export type Runs = {
  /** Resolves when the proxy judges by it; null when there are too many. */
  open(declaration: Declaration): Promise<OpenedRun | null>;
  /** False when there is no such run. */
  close(name: string): Promise<boolean>;
};

export type Surroundings = {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly baseUrl: string;
  /** `{docs_url}` (2.1). */
  readonly docsUrl: string;
  /** The authority the attacher trusts, PEM. */
  readonly ca: string;
  /** Null where the host runs no proxy (the edge). */
  readonly proxyUrl: () => string | null;
  /** Runs with a declaration of their own; null where the host runs no proxy. */
  readonly runs: Runs | null;
  /** Newest first. */
  readonly refusals: () => readonly SeenRefusal[];
  /** Whose the credential is, in time that does not tell how close a guess came; null for nobody's. */
  readonly whose: (credential: string) => Asker | null;
  /** An error in the vendor's own shape, for what the world answers in a twin's place. */
  readonly vendorError: (vendor: string, status: number, code: string, message: string) => Reply | null;
  readonly entropy: Entropy;
  readonly log: Log;
};
