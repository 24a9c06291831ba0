import t from 'tap';
import { maskPieces } from '../../../../control/world/recordings/masked-pieces.ts';

const KEY = ['sk', '-proj-', 'aB3dE5gH7jK9mN1pQ2rS4tU6'].join('');
const cut = (text: string, size: number): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];

t.test('a key that is cut across pieces is masked in the one that it begins in', async t => {
  const text = `data: {"a":"before ${KEY} after"}\n\ndata: [DONE]\n\n`;
  for (const size of [1, 2, 3, 7, 16, 40, 1000]) {
    const pieces = cut(text, size);
    const masked = maskPieces(pieces, []);
    t.equal(masked.length, pieces.length);
    t.equal(masked.join(''), 'data: {"a":"before masked-openai-key after"}\n\ndata: [DONE]\n\n');
  }
});

t.test('a key that a model says in a word an event is masked in the words', async t => {
  const event = (content: string): string =>
    `data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}\n\n`;
  for (const size of [2, 5, 9]) {
    const pieces = cut(`it is ${KEY}, keep it`, size).map(event);
    const masked = maskPieces(pieces, []);
    t.equal(masked.length, pieces.length);
    const said = masked
      .map(piece => JSON.parse(piece.slice('data: '.length)).choices[0].delta.content)
      .join('');
    t.equal(said, 'it is masked-openai-key, keep it');
    t.match(masked[0], '"id":"chatcmpl-1"');
  }
});

t.test('an event is masked by the names of its fields, and where escapes hide what it is', async t => {
  const pieces = [
    'event: a\r\ndata: {"client_secret":"abc","b":[1]}\r\n\r\n',
    `{"c":"\\u0073${KEY.slice(1)}"}\n`,
  ];
  t.strictSame(maskPieces(pieces, []), [
    'event: a\r\ndata: {"client_secret":"masked-client-secret","b":[1]}\r\n\r\n',
    '{"c":"masked-openai-key"}\n',
  ]);
});

t.test('what has no secret stays as it is, byte for byte', async t => {
  const pieces = ['data: { "a" : 1.0 }\n', ': ping\n\n', 'data: not json {\n\n'];
  t.equal(maskPieces(pieces, ['own-credential']).join(''), pieces.join(''));
  t.strictSame(maskPieces(['own-cre', 'dential!'], ['own-credential']), ['masked-credential', '!']);
});
