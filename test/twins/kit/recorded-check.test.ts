import t from 'tap';
import { parseHandlers } from '../../../twins/kit/handlers.ts';

const faults = (match: unknown, reply: unknown, generative = true): string[] => {
  const read = parseHandlers(JSON.stringify({ version: 1, handlers: [{ id: 'a', match, reply }] }), {
    generative,
  });
  return read.ok
    ? []
    : read.faults.map(({ pointer, message }) => `${pointer.replace('/handlers/0', '')}: ${message}`);
};
const EXACT = { exact: { method: 'GET', path: '/a' } };

t.test('[4.1] a recording that was edited: each fault by its place', async t => {
  const rows: readonly [unknown, unknown, RegExp | null][] = [
    [EXACT, { raw: { text: 'a' } }, null],
    [EXACT, { status: 404, headers: { a: 'b' }, delayMs: 1, raw: {} }, null],
    [EXACT, { raw: { chunks: [{ atMs: 0, text: 'a' }, { atMs: 0.5 }], cut: true } }, null],
    [
      { exact: { method: 'GET', path: '/a', query: { a: ['1', '2'] }, headers: { b: 'c' }, body: null } },
      { raw: {} },
      null,
    ],
    [{ exact: 1 }, { raw: {} }, /^\/match\/exact: must be an object/],
    [{ exact: { path: '/a' } }, { raw: {} }, /\/match\/exact\/method: must be a string/],
    [{ exact: { method: 'GET', path: 'a' } }, { raw: {} }, /\/match\/exact\/path: must be a path/],
    [
      { exact: { method: 'GET', path: '/a', url: '' } },
      { raw: {} },
      /\/match\/exact\/url: is not known here/,
    ],
    [
      { exact: { method: 'GET', path: '/a', query: { a: 1 } } },
      { raw: {} },
      /\/match\/exact\/query\/a: must be a text/,
    ],
    [
      { exact: { method: 'GET', path: '/a', headers: [] } },
      { raw: {} },
      /\/match\/exact\/headers: must be an object/,
    ],
    [EXACT, { raw: 'a' }, /\/reply\/raw: must be an object/],
    [EXACT, { raw: { text: 'a', base64: '' } }, /text and base64 cannot be together/],
    [EXACT, { raw: { base64: '%' } }, /\/reply\/raw\/base64: is no Base64/],
    [EXACT, { raw: { text: 1 } }, /\/reply\/raw\/text: must be a string/],
    [EXACT, { raw: { body: 'a' } }, /\/reply\/raw\/body: is not known here/],
    [EXACT, { raw: { cut: false } }, /\/reply\/raw\/cut: must be true/],
    [EXACT, { raw: { chunks: {} } }, /\/reply\/raw\/chunks: must be an array/],
    [EXACT, { raw: { chunks: [1] } }, /\/reply\/raw\/chunks\/0: must be an object/],
    [EXACT, { raw: { chunks: [], text: 'a' } }, /chunks are beside text or base64/],
    [EXACT, { raw: { chunks: [{ atMs: 5 }, { atMs: 4 }] } }, /chunks\/1\/atMs: must be a number from 5 /],
    [EXACT, { raw: { chunks: [{ text: 'a' }] } }, /chunks\/0\/atMs: must be a number/],
    [EXACT, { raw: {}, text: 'a' }, /\/reply: raw and text cannot be together/],
    [EXACT, { raw: {}, toolCalls: [] }, /\/reply: raw and toolCalls cannot be together/],
  ];
  for (const [match, reply, fault] of rows) {
    const found = faults(match, reply).join('; ');
    if (fault === null) t.equal(found, '', JSON.stringify(match));
    else t.match(found, fault);
  }
  t.match(parseHandlers('{"version":1,"handlers":[{"id":"a","mat'), {
    ok: false,
    faults: [{ message: /^not JSON/ }],
  });
});
