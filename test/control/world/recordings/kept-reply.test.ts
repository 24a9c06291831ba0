import t from 'tap';
import { keptReply } from '../../../../control/world/recordings/kept-reply.ts';

const KEY = ['sk', '-proj-', 'aB3dE5gH7jK9mN1pQ2rS4tU6'].join('');
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const heard = (type: string, texts: readonly (string | Uint8Array)[], more: object = {}) => ({
  status: 200,
  headers: [['Content-Type', type] as const],
  pieces: texts.map((text, at) => ({ atMs: at * 10, bytes: typeof text === 'string' ? bytes(text) : text })),
  cut: false,
  ...more,
});

t.test('an answer is kept as its bytes were, without what is of an hour or a machine', async t => {
  const headers = [
    ['Content-Type', 'application/json'],
    ['Date', 'Sun, 22 Nov 2026 20:00:00 GMT'],
    ['Set-Cookie', 'session=abc'],
    ['X-Request-Id', 'req_1'],
    ['CF-Ray', '1'],
    ['X-Api-Key', 'abc'],
    ['Link', '<a>'],
    ['Link', '<b>'],
    ['X-Note', `see ${KEY}`],
  ] as const;
  t.strictSame(keptReply(heard('', ['{ "a":', ' 1.0 }'], { headers, status: 201 }), []), {
    ok: true,
    reply: {
      status: 201,
      headers: {
        'content-type': 'application/json',
        'x-request-id': 'req_1',
        link: '<a>, <b>',
        'x-note': 'see masked-openai-key',
      },
      raw: { text: '{ "a": 1.0 }' },
    },
  });
  t.match(keptReply(heard('a/b', [new Uint8Array([255, 0])]), []), {
    reply: { raw: { base64: btoa('ÿ\u0000') } },
  });
  t.strictSame(keptReply(heard('a/b', [], { headers: [] }), []), {
    ok: true,
    reply: { status: 200, raw: {} },
  });
});

t.test('secrets in a field where nobody expects one are masked, in JSON of either form', async t => {
  const document = { data: [{ metadata: { note: KEY }, client_secret: 'pi' }], count: 1 };
  for (const text of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
    const kept = keptReply(heard('application/json', [text]), []);
    t.match(kept, { ok: true });
    const raw = kept.ok ? kept.reply.raw?.text : '';
    t.strictSame(JSON.parse(raw ?? ''), {
      data: [{ metadata: { note: 'masked-openai-key' }, client_secret: 'masked-client-secret' }],
      count: 1,
    });
    t.equal(raw?.includes('\n'), text.includes('\n'));
  }
  t.match(keptReply(heard('text/plain', ['you are plain-credential']), ['plain-credential']), {
    reply: { raw: { text: 'you are masked-credential' } },
  });
});

t.test('a stream is kept in its pieces, no character cut in two, each with its time', async t => {
  const euro = bytes('€');
  const kept = keptReply(
    heard('text/event-stream; charset=utf-8', ['data: a\n\n', euro.slice(0, 1), euro.slice(1), 'b'], {
      cut: true,
    }),
    [],
  );
  t.match(kept, {
    reply: {
      raw: {
        chunks: [
          { atMs: 0, text: 'data: a\n\n' },
          { atMs: 20, text: '€' },
          { atMs: 30, text: 'b' },
        ],
        cut: true,
      },
    },
  });
  const binary = keptReply(
    heard('application/vnd.amazon.eventstream', [new Uint8Array([255]), new Uint8Array([254])]),
    [],
  );
  t.match(binary, {
    reply: {
      raw: {
        chunks: [
          { atMs: 0, base64: btoa('ÿ') },
          { atMs: 10, base64: btoa('þ') },
        ],
      },
    },
  });
  const many = keptReply(
    heard(
      'text/event-stream',
      Array.from({ length: 50_000 }, () => 'x'),
    ),
    [],
  );
  t.ok(many.ok && (many.reply.raw?.chunks?.length ?? 0) <= 20_000);
  t.equal(many.ok && many.reply.raw?.chunks?.map(({ text }) => text).join('').length, 50_000);
});

t.test('what cannot be looked through is not kept, and is said', async t => {
  const gzip = heard('application/json', ['x'], { headers: [['content-encoding', 'gzip']] });
  t.match(keptReply(gzip, []), { ok: false, why: /encoded \(gzip\)/ });
  t.match(keptReply(heard('image/png', [new Uint8Array([255, 0]), bytes(KEY)]), []), {
    ok: false,
    why: /looks like a key/,
  });
  t.match(keptReply(heard('application/vnd.amazon.eventstream', [new Uint8Array([255]), bytes(KEY)]), []), {
    ok: false,
  });
  t.match(keptReply(heard('a/b', [], { status: 101 }), []), { ok: false, why: /status is 101/ });
});
