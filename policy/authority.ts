// One normaliser for every address a client can name. Two spellings of a host are one host here, or the
// request is unreadable; nothing past this file compares raw host text.

declare const hostBrand: unique symbol;
/** A canonical host: lower-case A-labels without a trailing dot, dotted IPv4, or bracketless RFC 5952 IPv6. */
export type Host = string & { readonly [hostBrand]: true };

/** What an address is for the rules about the machine's own network. `name` is a DNS name. */
export type HostClass =
  | 'name'
  | 'loopback'
  | 'unspecified'
  | 'link-local'
  | 'metadata'
  | 'private'
  | 'public';

export type Authority = {
  readonly ok: true;
  readonly host: Host;
  /** 1–65535, always present: the scheme's own when the text named none. */
  readonly port: number;
  readonly class: HostClass;
};

/** `text` is safe to show: userinfo removed, control characters escaped, at most 256 characters. */
export type Unreadable = { readonly ok: false; readonly text: string; readonly why: string };
