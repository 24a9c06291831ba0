import t from 'tap';
import { BodyReader, type Framing } from '../../../proxy/http1/body.ts';
import { fc } from '../../kit/property.ts';

type Read = {
  readonly data: string;
  readonly trailers: string | null;
  readonly rest: string;
  readonly malformed: boolean;
};

/** Feeds `text` cut at `cuts`, as a socket would deliver it. */
function read(framing: Framing, text: string, cuts: readonly number[] = []): Read {
  const reader = new BodyReader();
  reader.start(framing);
  let data = '';
  let trailers: string | null = reader.done ? '' : null;
  const sink = {
    bodyData: (bytes: Buffer) => (data += bytes.toString('latin1')),
    bodyEnd: (lines: string) => (trailers = lines),
  };
  const ends = [...new Set(cuts.map(cut => cut % (text.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const end of [...ends, text.length]) {
    const bytes = Buffer.from(text.slice(from, end), 'latin1');
    const used = reader.read(bytes, 0, sink);
    if (used === -1) return { data, trailers, rest: '', malformed: true };
    if (reader.done) return { data, trailers, rest: text.slice(from + used), malformed: false };
    from = end;
  }
  return { data, trailers, rest: '', malformed: false };
}

t.test('a body ends where its framing says, whatever follows it', t => {
  t.match(read({ kind: 'length', length: 3 }, 'abcGET /'), { data: 'abc', trailers: '', rest: 'GET /' });
  t.match(read({ kind: 'none' }, 'GET /'), { data: '', trailers: '', rest: 'GET /' });
  t.match(read({ kind: 'chunked' }, '3\r\nabc\r\n0\r\n\r\nGET /'), {
    data: 'abc',
    trailers: '',
    rest: 'GET /',
  });
  t.match(read({ kind: 'length', length: 9 }, 'abc'), { data: 'abc', trailers: null });
  t.end();
});

t.test('a body that begins within what was read ends where it should', t => {
  const reader = new BodyReader();
  reader.start({ kind: 'length', length: 6 });
  let data = '';
  let ended = 0;
  const sink = {
    bodyData: (bytes: Buffer) => (data += bytes.toString('latin1')),
    bodyEnd: () => (ended += 1),
  };
  t.equal(reader.read(Buffer.from('HEADabc'), 4, sink), 7);
  t.notOk(reader.done, 'what was before it does not count');
  t.equal(reader.remaining, 3);
  t.equal(reader.read(Buffer.from('defGET /'), 0, sink), 3);
  t.match([data, ended, reader.done], ['abcdef', 1, true]);
  t.equal(reader.remaining, 0);
  reader.start({ kind: 'chunked' });
  t.equal(reader.remaining, Number.POSITIVE_INFINITY, 'nobody knows');
  t.end();
});

t.test('[bad-input Parser] extensions and forbidden trailers are dropped, other trailers stay', t => {
  const body =
    '3;a=b;c="d"\r\nabc\r\n0;e\r\nHost: evil.test\r\nX-Sum: 1\r\nContent-Length: 5\r\ngrpc-status: 0\r\n\r\n';
  t.match(read({ kind: 'chunked' }, body), {
    data: 'abc',
    trailers: 'X-Sum: 1\r\ngrpc-status: 0\r\n',
    rest: '',
  });
  t.end();
});

t.test('[bad-input Parser] malformed chunks end the connection', t => {
  for (const body of [
    '0x1\r\na\r\n',
    'g\r\n',
    '\r\n',
    '3\nabc',
    '3\r\nabcd\r\n',
    '3\r\nabc\n0\r\n\r\n',
    '-1\r\n',
    ' 3\r\nabc',
    '3 \r\nabc',
    '10000000000000\r\n',
    `1;${'x'.repeat(2_000)}\r\na`,
    '0\r\nbad field\r\n\r\n',
    `0\r\nX: ${'x'.repeat(9_000)}\r\n\r\n`,
  ])
    t.equal(read({ kind: 'chunked' }, body).malformed, true, JSON.stringify(body.slice(0, 30)));
  t.end();
});

t.test('a chunked body reads the same however it is cut', t => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 40, unit: 'binary-ascii' })),
      fc.array(fc.nat()),
      (chunks, cuts) => {
        const text = `${chunks.map(chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\nX-T: v\r\n\r\nNEXT`;
        const result = read({ kind: 'chunked' }, text, cuts);
        return result.data === chunks.join('') && result.trailers === 'X-T: v\r\n';
      },
    ),
  );
  t.end();
});

t.test('only a body that ends with the connection ends well by closing', t => {
  const reader = new BodyReader();
  const sink = { bodyData: () => {}, bodyEnd: () => {} };
  for (const [framing, well] of [
    [{ kind: 'close' }, true],
    [{ kind: 'length', length: 5 }, false],
    [{ kind: 'chunked' }, false],
  ] as const) {
    reader.start(framing);
    reader.read(Buffer.from('3\r\n'), 0, sink);
    t.equal(reader.closed(), well, framing.kind);
  }
  t.end();
});
