// What an attacker's client or origin may send, as fast-check makes it: requests and answers of pieces that are
// nearly right, damaged at random places and cut at random places.
import { fc } from '../kit/property.ts';

type Text = fc.Arbitrary<string>;
const pick = (...texts: readonly string[]): Text => fc.constantFrom(...texts);
const mostly = (usual: Text, odd: Text): Text =>
  fc.oneof({ weight: 14, arbitrary: usual }, { weight: 1, arbitrary: odd });

const BINARY: Text = fc.uint8Array({ maxLength: 60 }).map(bytes => Buffer.from(bytes).toString('latin1'));

const method = mostly(
  pick('GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'),
  pick('TRACE', 'CONNECT', 'QUERY', 'get', 'FOO', 'PRI', '', 'GET '),
);
const path = mostly(
  pick('/v1/a', '/v1/b?q=1', '/v1/w/a', '/two/x', '/'),
  pick(
    '/v1/../admin',
    '/v1/%2e%2e/w',
    '/v1/w/../a',
    '/v1/..%2fw',
    '/v1\\a',
    '//v1/a',
    '/v1/a#f',
    '*',
    '',
    '/v1/%00',
    '/v1/a b',
    '/v1/\xe9',
    '/admin/../v1/a',
  ),
);
/** `{own}` stands for the host that is granted or tunnelled to, `{other}` for one that is not. */
const authority = mostly(
  pick('{own}'),
  pick(
    '{other}',
    'evil.test',
    'tw.test',
    'u@{own}',
    '{own}.',
    '',
    '127.0.0.1',
    '[::1]',
    'localhost:1',
    '{own}/x',
  ),
);
const target = mostly(
  path,
  fc
    .tuple(pick('http://', 'https://', 'HTTP://', 'ftp://', ''), authority, path)
    .map(parts => parts.join('')),
);
const version = mostly(
  pick('HTTP/1.1'),
  pick('HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', 'HTTP/1.1 ', ''),
);
const field = fc.oneof(
  pick('Connection: keep-alive', 'Accept: */*', 'Accept: text/html', 'X-A: b', 'X-Early: 1'),
  pick(
    'Connection: close',
    'Connection: x-tag, host',
    'Connection: Upgrade\r\nUpgrade: websocket',
    'Expect: 100-continue',
    'Proxy-Authorization: Basic eDp5',
    'X-HTTP-Method-Override: DELETE',
    'x-wrld-host: p.test',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding : chunked',
    'Content-Length: 5',
    'Content-Length: 5, 5',
    'Content-Length: +5',
    'Content-Length: 99999999999999999999',
    'X-A: \0',
    ' folded',
    'X-A: b\nX-B: c',
    'X-A: b\rX-B: c',
    'Trailer: x',
    'TE: trailers',
  ),
);
const body = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ fields: '', bytes: '' }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 40 }).map(ascii).map(sized) },
  { weight: 2, arbitrary: fc.array(fc.string({ minLength: 1, maxLength: 20 }).map(ascii)).map(chunked) },
  {
    weight: 1,
    arbitrary: pick('GET /v1/w/smuggled HTTP/1.1\r\nHost: {own}\r\n\r\n').map(sized),
  },
  { weight: 1, arbitrary: BINARY.map(bytes => ({ fields: '', bytes })) },
);

type Body = { readonly fields: string; readonly bytes: string };

function ascii(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, '?');
}

function sized(bytes: string): Body {
  return { fields: `Content-Length: ${bytes.length}\r\n`, bytes };
}

function chunked(parts: readonly string[]): Body {
  const chunks = parts.map(part => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
  return { fields: 'Transfer-Encoding: chunked\r\n', bytes: `${chunks}0\r\n\r\n` };
}

/** One request; `{tag}` stands where its tag goes. */
const request = fc
  .tuple(
    method,
    target,
    version,
    mostly(
      authority.map(host => `Host: ${host}\r\n`),
      pick('', 'Host: {own}\r\nHost: {other}\r\n'),
    ),
    fc.array(field, { maxLength: 2 }),
    body,
  )
  .map(
    ([verb, to, over, host, fields, { fields: framing, bytes }]) =>
      `${verb} ${to} ${over}\r\n${host}X-Tag: {tag}\r\n${fields.map(each => `${each}\r\n`).join('')}${framing}\r\n${bytes}`,
  );

/** One damage: at a place from 0 to 1, so many bytes go and these come. */
export type Damage = { readonly at: number; readonly gone: number; readonly come: string };
const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  gone: fc.nat({ max: 6 }),
  come: fc.oneof(
    pick('', '\r\n', '\n', '\r', '\0', ' ', ':', '0', 'ff', '\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n'),
    BINARY,
  ),
});

export function damaged(bytes: string, damages: readonly Damage[]): string {
  let result = bytes;
  for (const { at, gone, come } of damages) {
    const place = Math.floor(at * result.length);
    result = result.slice(0, place) + come + result.slice(place + gone);
  }
  return result;
}

/** How one attacker's connection goes. */
export type Attack = {
  readonly way: 'proxy' | 'clear-tunnel' | 'secure-tunnel' | 'twin-tunnel' | 'http2' | 'evil-tunnel';
  readonly requests: readonly string[];
  readonly damages: readonly Damage[];
  /** Places to cut the bytes at, from 0 to 1. */
  readonly cuts: readonly number[];
  /** It resets the connection in the middle of what it sends. */
  readonly resets: boolean;
};

export const attack: fc.Arbitrary<Attack> = fc.record({
  way: fc.constantFrom('proxy', 'clear-tunnel', 'secure-tunnel', 'twin-tunnel', 'http2', 'evil-tunnel'),
  requests: fc.array(fc.oneof({ weight: 20, arbitrary: request }, { weight: 1, arbitrary: BINARY }), {
    minLength: 1,
    maxLength: 4,
  }),
  damages: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(damage, { maxLength: 3 }) },
  ),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
  resets: fc
    .boolean()
    .map(yes => yes)
    .chain(yes => (yes ? fc.nat({ max: 5 }).map(n => n === 0) : fc.constant(false))),
});

export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

export function frame(type: number, flags: number, stream: number, payload: string): string {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return head.toString('latin1') + payload;
}

/** HPACK, literal and never indexed: a byte 0x10, then name and value with their lengths. */
export function hpack(fields: readonly (readonly [string, string])[]): string {
  const text = (value: string): string =>
    String.fromCharCode(Math.min(value.length, 126)) + value.slice(0, 126);
  return fields.map(([name, value]) => `\x10${text(name)}${text(value)}`).join('');
}

/** The same requests in frames: their request lines as pseudo-fields, and frames of other kinds between them. */
export function inFrames(requests: readonly string[], host: string, tags: readonly string[]): string {
  let stream = 1;
  let bytes = PREFACE + frame(4, 0, 0, '');
  for (const [i, each] of requests.entries()) {
    const [line = '', ...rest] = each.split('\r\n');
    const [verb = '', to = '', odd = ''] = line.split(' ');
    const fields: [string, string][] = [
      [':method', verb],
      [':scheme', 'https'],
      [':path', to],
      [':authority', host],
      ['x-tag', tags[i]!],
    ];
    if (odd !== 'HTTP/1.1') fields.push([odd.toLowerCase(), odd]);
    const asked = rest.some(text => text.startsWith('Content-Length') || text.startsWith('Transfer'));
    bytes += frame(1, asked ? 4 : 5, stream, hpack(fields));
    if (asked) bytes += frame(0, 1, stream, rest.at(-1) ?? '');
    else if (rest.length > 3) bytes += frame(rest.length % 10, rest.length & 0x2d, stream, rest.at(-2) ?? '');
    if (rest.includes('Connection: close')) bytes += frame(3, 0, stream, '\0\0\0\x08');
    stream += 2;
  }
  return bytes;
}

const status = mostly(
  pick(
    'HTTP/1.1 200 OK',
    'HTTP/1.1 404 Not Found',
    'HTTP/1.1 204 No Content',
    'HTTP/1.1 304 Not Modified',
    'HTTP/1.0 200 OK',
    'HTTP/1.1 200',
  ),
  pick(
    'HTTP/1.1 100 Continue',
    'HTTP/1.1 103 Early',
    'HTTP/1.1 101 Switch',
    'HTTP/2 200',
    'HTTP/1.1 0200 OK',
    'SSH-2.0',
    'HTTP/1.1 999 X',
    '',
  ),
);
const answerField = pick(
  'X-A: b',
  'X-Wrld-World-Refusal: grant',
  'Alt-Svc: h3',
  'Connection: close',
  'Connection: x-tag',
  'Keep-Alive: timeout=1',
  'Content-Length: 7',
  'Content-Length: -1',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip',
  ' folded',
  'X-A: \0',
  'X-A: b\nX-B: c',
);

/** What an origin answers, `{tag}` in head and body. */
export type HostileAnswer = {
  readonly bytes: string;
  readonly cuts: readonly number[];
  readonly ends: 'end' | 'reset';
};

export const hostileAnswer: fc.Arbitrary<HostileAnswer> = fc.record({
  bytes: fc
    .tuple(
      fc.array(fc.tuple(status, fc.array(answerField, { maxLength: 2 }), body), {
        minLength: 1,
        maxLength: 2,
      }),
      fc.oneof(fc.constant([]), fc.array(damage, { maxLength: 3 })),
    )
    .map(([answers, damages]) =>
      damaged(
        answers
          .map(
            ([line, fields, { fields: framing, bytes }]) =>
              `${line}\r\nX-Tag: {tag}\r\n${fields.map(each => `${each}\r\n`).join('')}${framing}\r\n${bytes}`,
          )
          .join(''),
        damages,
      ),
    ),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
  ends: fc.constantFrom('end', 'reset'),
});

/** Bytes cut at places from 0 to 1. */
export function pieces(bytes: string, cuts: readonly number[]): Buffer[] {
  const whole = Buffer.from(bytes, 'latin1');
  const places = [0, ...cuts.map(cut => Math.floor(cut * whole.length)).sort((a, b) => a - b), whole.length];
  return places.slice(1).map((end, i) => whole.subarray(places[i], end));
}
