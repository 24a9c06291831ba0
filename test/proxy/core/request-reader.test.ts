// A connection's bytes as transcripts: what comes, what the connection says of its requests, what is found.

import t from 'tap';
import { type Found, type ReaderState, RequestReader } from '../../../proxy/core/request-reader.ts';
import type { RequestHead } from '../../../proxy/http1/request.ts';
import { DRAIN_BYTES_MAX, HEAD_BYTES_MAX, SKIP_BYTES_MAX } from '../../../proxy/limits.ts';
import { fc } from '../../kit/property.ts';

const GET = 'GET /a HTTP/1.1\r\nHost: p.test\r\n\r\n';
const post = (body: string, extra = ''): string =>
  `POST /b HTTP/1.1\r\nHost: p.test\r\n${extra}Content-Length: ${body.length}\r\n\r\n${body}`;
const CHUNKED = 'POST /c HTTP/1.1\r\nHost: p.test\r\nTransfer-Encoding: chunked\r\n\r\n';

/** A reader whose requests take their bodies when they are told to, and all that it says, in order. */
function reading() {
  const said: string[] = [];
  let head: RequestHead | null = null;
  const reader = new RequestReader({
    bodyData: bytes => said.push(`body ${bytes}`),
    bodyEnd: trailers => said.push(`end ${trailers}`.trim()),
  });
  const hear = (found: Found): boolean => {
    if (typeof found === 'string') {
      if (found !== 'nothing') said.push(found);
      return false;
    }
    said.push(found.ok ? `${found.method} ${found.target}` : `malformed ${found.status}`);
    if (!found.ok) return false;
    head = found;
    reader.expectBody(found.framing);
    return !reader.empty;
  };
  const readOn = (): void => {
    while (hear(reader.next()));
  };
  return {
    reader,
    readOn,
    comes: (bytes: string | Buffer): void => {
      reader.take(Buffer.from(bytes as string));
      readOn();
    },
    /** What was said since the last time. */
    heard: () => said.splice(0),
    head: () => head!,
  };
}

/** In order: bytes that come, or what the connection says; then what is heard, and the state after it. */
type Line = readonly [
  happens: string | Buffer | 'the body is wanted' | 'another may follow' | 'closed',
  heard: readonly string[],
  at: ReaderState['at'],
];

const SAYS: { readonly [said: string]: (reader: RequestReader) => void } = {
  'the body is wanted': reader => reader.readBody(),
  'another may follow': reader => reader.awaitNext(),
  closed: reader => reader.close(),
};

const TRANSCRIPTS: { readonly [name: string]: readonly Line[] } = {
  'one request after another': [
    [GET, ['GET /a'], 'holding'],
    ['another may follow', [], 'awaiting-head'],
    [GET, ['GET /a'], 'holding'],
  ],
  'a head in pieces, after an empty line': [
    ['\r\n', ['part-of-head'], 'awaiting-head'],
    [GET.slice(0, 20), ['part-of-head'], 'awaiting-head'],
    [GET.slice(20), ['GET /a'], 'holding'],
  ],
  'a pipelined request waits for the one before it': [
    [GET + GET, ['GET /a', 'too-early'], 'holding'],
    ['another may follow', ['GET /a'], 'holding'],
  ],
  'a body waits until it is wanted, and goes on as it comes': [
    [post('hello'), ['POST /b', 'too-early'], 'holding'],
    ['the body is wanted', ['body hello', 'end'], 'holding'],
    ['another may follow', [], 'awaiting-head'],
  ],
  'a body in pieces, with a request behind it': [
    [post('hello').slice(0, -3), ['POST /b', 'too-early'], 'holding'],
    ['the body is wanted', ['body he'], 'in-body'],
    [`llo${GET}`, ['body llo', 'end', 'too-early'], 'holding'],
    ['another may follow', ['GET /a'], 'holding'],
  ],
  'a chunked body with a trailer': [
    [CHUNKED, ['POST /c'], 'holding'],
    ['the body is wanted', [], 'in-body'],
    ['2\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n', ['body hi', 'end X-Sum: 1'], 'holding'],
  ],
  'a chunked body whose framing is malformed': [
    [CHUNKED, ['POST /c'], 'holding'],
    ['the body is wanted', [], 'in-body'],
    ['zz\r\n', ['broken-body'], 'in-body'],
  ],
  'an answer before the body’s end: the rest is read past, then the next request': [
    [post('hello').slice(0, -3), ['POST /b', 'too-early'], 'holding'],
    ['another may follow', ['body he'], 'skipping-body'],
    [`llo${GET}`, ['body llo', 'end', 'GET /a'], 'holding'],
  ],
  'and a rest whose framing is malformed': [
    [CHUNKED, ['POST /c'], 'holding'],
    ['another may follow', [], 'skipping-body'],
    ['zz\r\n', ['broken-rest'], 'skipping-body'],
  ],
  'what is no request': [['NO\r\n\r\n', ['malformed 400'], 'awaiting-head']],
  'a head without an end': [['A'.repeat(HEAD_BYTES_MAX + 1), ['malformed 431'], 'awaiting-head']],
  'after the last answer, what comes is thrown away within a limit': [
    [GET + GET, ['GET /a', 'too-early'], 'holding'],
    ['closed', [], 'closing'],
    [GET, [], 'closing'],
    [Buffer.alloc(DRAIN_BYTES_MAX - GET.length), [], 'closing'],
    ['x', ['too-late'], 'closing'],
  ],
};

for (const [name, lines] of Object.entries(TRANSCRIPTS))
  t.test(name, t => {
    const { reader, comes, heard, readOn } = reading();
    for (const [happens, expected, at] of lines) {
      const say = typeof happens === 'string' ? SAYS[happens] : undefined;
      if (say === undefined) comes(happens);
      else {
        say(reader);
        readOn();
      }
      t.strictSame(heard(), expected, String(happens).slice(0, 40));
      t.equal(reader.at, at);
    }
    t.end();
  });

t.test('what is not used is handed over whole', t => {
  const { reader, comes } = reading();
  comes(`${GET}\x16\x03early`);
  t.equal(reader.rest().toString(), '\x16\x03early');
  t.ok(reader.empty);
  t.equal(reader.rest().length, 0, 'once');
  t.end();
});

t.test('a rest is worth reading past when it is small and sure to come', t => {
  const rows: readonly (readonly [name: string, request: string, skips: boolean])[] = [
    ['no body', GET, true],
    ['a small one', post('hello').slice(0, -1), true],
    [
      'one over the limit',
      `POST /b HTTP/1.1\r\nHost: p.test\r\nContent-Length: ${SKIP_BYTES_MAX + 1}\r\n\r\n`,
      false,
    ],
    ['one whose end nobody knows', CHUNKED, false],
    ['one that waits to be asked for', post('hello', 'Expect: 100-continue\r\n').slice(0, -5), false],
  ];
  for (const [name, request, skips] of rows) {
    const { reader, comes, head } = reading();
    comes(request);
    t.equal(reader.canSkip(head()), skips, name);
  }
  t.end();
});

t.test('[properties] however the bytes are cut, the same requests and bodies come of them', t => {
  const stream = Buffer.from([GET, post('hello'), CHUNKED, '3\r\nabc\r\n0\r\n\r\n', GET].join(''));
  const read = (cuts: readonly number[]): string => {
    const { reader, comes, heard, readOn } = reading();
    let from = 0;
    for (const to of [...cuts, stream.length].sort((a, b) => a - b)) {
      if (to > from) comes(stream.subarray(from, to));
      from = Math.max(from, to);
      while (reader.at === 'holding') {
        if (reader.bodyDone) reader.awaitNext();
        else reader.readBody();
        readOn();
      }
    }
    const said = heard().filter(word => word !== 'part-of-head' && word !== 'too-early');
    // A body may come in pieces.
    return said.map(word => (word.startsWith('body ') ? word.slice(5) : `[${word}]`)).join('');
  };
  t.equal(read([]), '[GET /a][POST /b]hello[end][POST /c]abc[end][GET /a]');
  const cut = fc.integer({ min: 1, max: stream.length - 1 });
  fc.assert(fc.property(fc.array(cut, { maxLength: 20 }), cuts => read(cuts) === read([])));
  t.end();
});
