// Why an exchange got no answer from its upstream. Not a refusal: no rule said no (7.1, last row but two).

export type FailureStage =
  /** The name did not resolve. */
  | 'resolve'
  /** No address of it took a connection. */
  | 'connect'
  /** The proxy that the machine reaches the internet by gave no connection to it. */
  | 'proxy'
  /** The TLS handshake or the certificate failed. */
  | 'tls'
  /** It closed or broke before its answer was whole. */
  | 'closed'
  /** Its answer is no HTTP/1.1 that can be passed on. */
  | 'unreadable'
  /** Nothing moved within a limit. */
  | 'stalled'
  /** The address is this proxy's own. */
  | 'loop'
  /** This process, or this machine, has no file descriptors left for a connection to it. */
  | 'descriptors';

export type UpstreamFailure = { readonly stage: FailureStage; readonly why: string };

/** Node's own words for these advise an option of Node's, which is nothing that a world takes. */
const UNKNOWN_ISSUER: ReadonlySet<string> = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);
const UNKNOWN_ISSUER_WORDS =
  'its certificate is of no authority that the proxy trusts. If the authority is yours, start the world with NODE_EXTRA_CA_CERTS=<its PEM file>, which adds it to the system’s';

/** What failed, and why: whatever was to be done, where no descriptors were left for it that is the stage. */
export function failureOf(stage: FailureStage, error: unknown): UpstreamFailure {
  const { code } = error as NodeJS.ErrnoException;
  return { stage: code === 'EMFILE' || code === 'ENFILE' ? 'descriptors' : stage, why: reasonOf(error) };
}

/** The system's code, or its message: enough to act on, nothing of ours. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== undefined && UNKNOWN_ISSUER.has(code)) return `${UNKNOWN_ISSUER_WORDS} (${code})`;
  return code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
