// HTTP/1.1 as a test sees it: exact header order, case and duplicates, and bodies by their framing. Written
// apart from the proxy's parser, so that a test's expectation never rests on the code it judges.

/** Headers in wire order with their case kept. */
export type Head = {
  /** The request or status line. */
  readonly start: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The head's exact bytes as latin1, with the blank line. */
  readonly text: string;
};

export type Response = Head & {
  readonly status: number;
  readonly reason: string;
  /** 1xx heads that came before this one, 101 excepted (that one is final). */
  readonly interim: readonly Head[];
  readonly body: Buffer;
  readonly trailers: readonly (readonly [name: string, value: string])[];
};

export type Request = Head & {
  readonly method: string;
  readonly target: string;
  readonly body: Buffer;
  readonly trailers: readonly (readonly [name: string, value: string])[];
};

export function parseHead(text: string): Head {
  const [start = '', ...lines] = text.replace(/\r\n\r\n$/, '').split('\r\n');
  return { start, headers: parseFields(lines), text };
}

export function parseFields(lines: readonly string[]): [string, string][] {
  return lines.map(line => {
    const colon = line.indexOf(':');
    if (colon < 1) throw new Error(`no header field: ${JSON.stringify(line)}`);
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
}

/** Every value of a header, in wire order. */
export function values(head: Pick<Head, 'headers'>, name: string): string[] {
  return head.headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
}

/** The only value of a header, undefined when absent; throws when there are several. */
export function value(head: Pick<Head, 'headers'>, name: string): string | undefined {
  const all = values(head, name);
  if (all.length > 1) throw new Error(`${name} came ${all.length} times: ${all.join(' | ')}`);
  return all[0];
}

export type Framing =
  | { readonly kind: 'none' | 'chunked' | 'to-end' }
  | { readonly kind: 'length'; readonly bytes: number };

/** RFC 9112 §6.3. `asked`: the method of the request that a response answers; null for a request's own body. */
export function framing(head: Head, asked: string | null): Framing {
  if (asked !== null) {
    const status = statusOf(head);
    if (asked === 'HEAD' || status < 200 || status === 204 || status === 304) return { kind: 'none' };
    if (asked === 'CONNECT' && status < 300) return { kind: 'none' };
  }
  if (values(head, 'transfer-encoding').some(coding => /(^|,)\s*chunked\s*$/i.test(coding)))
    return { kind: 'chunked' };
  const length = value(head, 'content-length');
  if (length !== undefined) return { kind: 'length', bytes: Number(length) };
  return { kind: asked === null ? 'none' : 'to-end' };
}

export function statusOf(head: Head): number {
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.start)?.[1];
  if (!status) throw new Error(`no status line: ${JSON.stringify(head.start)}`);
  return Number(status);
}

export function reasonOf(head: Head): string {
  return head.start.split(' ').slice(2).join(' ');
}
