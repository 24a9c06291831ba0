import t from 'tap';
import { parseJson } from '../../policy/json-text.ts';
import { JSON_DEPTH_MAX } from '../../policy/limits.ts';

const nested = (levels: number, inside = ''): string => '['.repeat(levels) + inside + ']'.repeat(levels);

t.test('[8] JSON from outside has a bound on its depth', async t => {
  t.ok(parseJson(nested(JSON_DEPTH_MAX)).ok);
  t.match(parseJson(nested(JSON_DEPTH_MAX + 1)), { ok: false, why: /deeper than 128/ });
  t.match(parseJson(`{"a":${nested(JSON_DEPTH_MAX)}}`), { ok: false, why: /deeper/ });
  t.match(parseJson('['.repeat(200_000)), { ok: false, why: /deeper/ }, 'before it is found to be none');
  const side = `[${Array.from({ length: 1000 }, () => '{"a":[]}').join(',')}]`;
  t.ok(parseJson(side).ok, 'many side by side are not deep');
});

t.test('[8] brackets in strings are no depth, whatever is escaped in them', async t => {
  const brackets = '[{'.repeat(200);
  for (const text of [brackets, `"${brackets}`, `\\${brackets}`, `\\"${brackets}\\\\`, `${brackets}\\`])
    t.same(parseJson(JSON.stringify([text])), { ok: true, value: [text] });
  t.match(
    parseJson(`["\\\\",${nested(JSON_DEPTH_MAX)}]`),
    { ok: false, why: /deeper/ },
    'a string that ends in \\',
  );
  for (const before of ['', 'a', '\\"', 'a\\"', '\\\\\\"'])
    t.match(parseJson(`["${before}",${nested(JSON_DEPTH_MAX)}]`), { ok: false, why: /deeper/ }, before);
  t.match(parseJson(`["${brackets}`), { ok: false, why: 'no JSON' }, 'a string that never ends');
});

t.test('what cannot be read is told without quoting it', async t => {
  const secret = 'sk_live_secret';
  const read = parseJson(secret);
  t.match(read, { ok: false, why: 'no JSON' });
  t.notMatch(read.ok ? '' : read.why, secret);
  t.match(parseJson(Uint8Array.of(34, 0xff, 34)), { ok: false, why: 'no JSON' }, 'bytes that are no UTF-8');
  t.same(parseJson(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31)), { ok: true, value: 1 }, 'a byte order mark');
});
