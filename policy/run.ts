// Who asks: one run of an app in the world, known to the proxy by the credentials in its proxy URL.

/** Where a derived declaration was read from; `line` is 1-based (2.1 `declaredBy`). */
export type DeclaredBy = { readonly capability: string; readonly file: string; readonly line: number };

/**
 * What an app says it needs. A field that is absent is open: nothing is refused for want of declaring it.
 * `egress` holds host names, or `host:port` for a port that is not the scheme's own.
 */
export type Declaration = {
  readonly egress?: readonly string[];
  readonly services?: readonly string[];
  readonly ownLoopback?: boolean;
  readonly host?: boolean;
  /** Where each capability was declared, for a declaration that is derived from a file. */
  readonly declaredBy?: readonly DeclaredBy[];
};

export type Run = {
  readonly name: string;
  readonly declaration: Declaration;
  /** The world whose twins answer it; the proxy's own when absent. */
  readonly world?: string;
  /** The run's own copy of the policy was unreadable or of another world: rule `policy-unreadable`. */
  readonly policyUnreadable?: boolean;
};

/** The run of a client that sent no proxy credentials: an open declaration, on loopback only (design.md). */
export const DEFAULT_RUN: Run = { name: 'default', declaration: {} };
