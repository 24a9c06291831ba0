import t from 'tap';
import { type RawReply, rawBody } from '../../../twins/kit/raw-reply.ts';
import { StreamCut } from '../../../twins/kit/reply.ts';

const read = async (raw: RawReply): Promise<string[]> => {
  const texts: string[] = [];
  for await (const bytes of rawBody(raw) as AsyncIterable<Uint8Array>)
    texts.push(new TextDecoder().decode(bytes));
  return texts;
};

t.test('[4.1] whole bytes are as they were', async t => {
  t.equal(rawBody({ text: 'a\n' }), 'a\n');
  t.strictSame(rawBody({ base64: btoa('\u0000ÿ') }), new Uint8Array([0, 255]));
  t.equal(rawBody({}), null);
});

t.test('[4.1] a stream comes in its pieces, none before its time', async t => {
  const from = performance.now();
  t.strictSame(
    await read({
      chunks: [
        { atMs: 0, text: 'a' },
        { atMs: 5, base64: btoa('b') },
        { atMs: 20, text: 'c' },
      ],
    }),
    ['a', 'b', 'c'],
  );
  t.ok(performance.now() - from >= 18);
});

t.test('[4.1] a stream counts from when it was asked for, however late that is', async t => {
  const asked = performance.now() - 60_000;
  const late = {
    chunks: [
      { atMs: 30_000, text: 'a' },
      { atMs: 59_000, text: 'b' },
    ],
  };
  const pieces: string[] = [];
  for await (const bytes of rawBody(late, asked) as AsyncIterable<Uint8Array>)
    pieces.push(new TextDecoder().decode(bytes));
  // It would take a minute, else.
  t.strictSame(pieces, ['a', 'b']);
});

t.test('[4.1] what was cut is cut again, after what had come', async t => {
  const seen: string[] = [];
  const body = rawBody({ chunks: [{ atMs: 0, text: 'a' }], cut: true }) as AsyncIterable<Uint8Array>;
  await t.rejects(
    (async () => {
      for await (const bytes of body) seen.push(new TextDecoder().decode(bytes));
    })(),
    StreamCut,
  );
  t.strictSame(seen, ['a']);
  await t.rejects(read({ text: 'half', cut: true }), StreamCut);
});

t.test('[4.1] a client that leaves ends it, and waits for nothing', async t => {
  const iterator = (rawBody({ chunks: [{ atMs: 500_000, text: 'a' }] }) as AsyncIterable<Uint8Array>)[
    Symbol.asyncIterator
  ]();
  const next = iterator.next();
  await iterator.return!();
  t.strictSame(await next, { done: true, value: undefined });
  t.strictSame(await iterator.next(), { done: true, value: undefined });
});
