// The rule table (7.2) and the forms a refusal takes (2.1, 7.1).
import { createHash } from 'node:crypto';
import t from 'tap';
import { DETAIL_CHARS_MAX, REASON_CHARS_MAX, REFUSAL_TARGET_CHARS_MAX } from '../../policy/limits.ts';
import {
  REFUSAL_HEADER,
  REFUSAL_PAGE_HEADERS,
  refusalBody,
  refusalConsoleLine,
  refusalPage,
  refusalText,
  refuse,
} from '../../policy/refusal.ts';
import { type About, RULE_NAMES, RULES } from '../../policy/rules.ts';
import { fc } from '../kit/property.ts';
import { RULE_TABLE } from '../kit/rule-table.ts';

const DOCS = 'http://docs.test';

const hostile: fc.Arbitrary<About> = fc.record(
  {
    target: fc.string({ unit: 'binary' }),
    method: fc.string({ unit: 'binary' }),
    host: fc.string({ unit: 'binary' }),
    name: fc.string({ unit: 'binary' }),
    why: fc.string({ unit: 'binary' }),
    reason: fc.string({ unit: 'binary' }),
  },
  { requiredKeys: ['target'] },
);
const rules = fc.constantFrom(...RULE_NAMES);

t.test('[7.2] every rule has its row', async t => {
  t.strictSame([...RULE_NAMES].sort(), Object.keys(RULE_TABLE).sort());
  for (const rule of RULE_NAMES) {
    const { capability, missing, condition, fix } = RULES[rule];
    t.strictSame([capability, missing], RULE_TABLE[rule], rule);
    t.ok(condition.length > 20 && fix.length > 10, `${rule} says when and what to do`);
    const record = refuse(rule, { target: 'https://x.test/a' }, DOCS);
    t.match(record.reason, /^https:\/\/x\.test\/a.*\.$/, `${rule}: the reason begins with the target`);
    t.notMatch(record.reason, /undefined|null|`/, rule);
    t.equal(record.see, `http://docs.test/reference/refusals#${rule}`);
  }
});

t.test('[2.1] fields stand in the order of the record, and only where they belong', async t => {
  const declaredBy = [{ capability: 'network.host', file: 'compose.yaml', line: 3 }];
  const fields = (...given: Parameters<typeof refuse>): string => Object.keys(refuse(...given)).join(' ');
  const start = 'kind version capability target missing rule reason';
  t.equal(
    fields('not-granted', { target: 'x', grantField: 'runtime.network.egress' }, DOCS),
    `${start} grantField see`,
  );
  t.equal(fields('not-granted', { target: 'x', grantField: null }, DOCS), `${start} see`);
  t.equal(
    fields('undeclared', { target: 'x', grantField: 'runtime.network.egress' }, DOCS),
    `${start} see`,
    'no grant is what is missing',
  );
  t.equal(fields('sealed', { target: 'x' }, DOCS), `${start} see`, '[7.2 sealed] names no grant field');
  t.equal(fields('host-undeclared', { target: 'x' }, DOCS, { declaredBy }), `${start} declaredBy see`);
  t.equal(
    fields('undeclared', { target: 'x' }, DOCS, { declaredBy }),
    `${start} see`,
    'not of this capability',
  );
  t.equal(
    fields('guest-private', { target: 'x' }, DOCS, { declaredBy }),
    `${start} see`,
    'not the missing side',
  );
  t.equal(refuse('own-loopback-ungranted', { target: 'x' }, DOCS).grantField, 'runtime.network.ownLoopback');
});

t.test('[7.1] text: the reason, then the missing side and the fix link in parentheses', async t => {
  const record = refuse('sealed', { target: 'https://x.test/', host: 'x.test', method: 'GET' }, DOCS);
  t.equal(
    refusalText(record),
    `${record.reason} (missing: grant; fix: http://docs.test/reference/refusals#sealed)`,
  );
  t.equal(
    refusalConsoleLine(record, 'x.test'),
    `[twin-inject] blocked untwinned external fetch to x.test (${record.reason}; fix: http://docs.test/reference/refusals#sealed)`,
  );
  t.equal(REFUSAL_HEADER, 'X-Wrld-World-Refusal');
  const own = refuse('not-granted', { target: 'x', reason: 'It leads inside.', grantField: null }, DOCS);
  t.equal(own.reason, 'It leads inside.');
});

t.test('[7.1] body: the text on one line, the record on the next, whatever was asked', async () => {
  fc.assert(
    fc.property(rules, hostile, (rule, about) => {
      const record = refuse(rule, about, DOCS);
      const body = refusalBody(record);
      const lines = body.split(/[\n\r\u0085\u2028\u2029]/);
      return (
        record.target.length <= REFUSAL_TARGET_CHARS_MAX &&
        lines.length === 3 &&
        lines[0] === refusalText(record) &&
        lines[2] === '' &&
        JSON.stringify(JSON.parse(lines[1]!)) === JSON.stringify(record) &&
        !/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(body)
      );
    }),
  );
});

t.test('[7.1] a refusal is small, however long what was asked', async t => {
  for (const char of ['x', '<', '"', '\n', '\u{1f600}']) {
    const long = char.repeat(100_000);
    for (const rule of RULE_NAMES) {
      const { capability } = RULES[rule];
      const declaredBy = [{ capability, file: long, line: 1 }];
      const whole = { target: long, method: long, host: long, name: long, why: long };
      for (const about of [whole, { target: long, reason: long }]) {
        const record = refuse(rule, about, DOCS, { declaredBy });
        t.ok(record.reason.length <= REASON_CHARS_MAX, `${rule}: ${record.reason.length}`);
        t.ok((record.declaredBy?.file.length ?? 0) <= DETAIL_CHARS_MAX);
        t.ok(Buffer.byteLength(refusalBody(record)) <= 12 * 1024, `${rule}: ${refusalBody(record).length}`);
        t.ok(Buffer.byteLength(refusalPage(record)) <= 48 * 1024, `${rule}: ${refusalPage(record).length}`);
      }
    }
  }
});

t.test('[7.1] page: the record can be read from it, and nothing in it can act', async t => {
  const target = `https://x.test/</script><svg onload=1>"'&\u2028<!--`;
  const record = refuse('not-granted', { target, method: 'GET', grantField: 'runtime.network.egress' }, DOCS);
  const page = refusalPage(record);
  const inside = /<script type="application\/json" id="wrld-world-refusal">([^<]*)<\/script>/.exec(page);
  t.strictSame(JSON.parse(inside![1]!), record);
  t.notMatch(page, /<svg|<!--|\u2028/);
  t.equal(page.match(/<script/g)?.length, 1);
  t.notMatch(page, /(?:src|href)="(?!http:\/\/docs\.test\/)/, 'no resource from elsewhere');
  t.match(page, /<html lang="en">/);
  t.match(page, /prefers-color-scheme: dark/);
  t.match(page, /<main>[\s\S]*<h1>/);
  t.match(page, /<dt>Fix<\/dt><dd>[A-Z][^<]*<code>/, 'and it says what to do');
  t.match(record, { kind: 'wrld-world-refusal', version: 1 });
});

t.test('[bad-input Output] the page’s policy admits its own style sheet and nothing else', async t => {
  const page = refusalPage(refuse('sealed', { target: 'x' }, DOCS));
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  t.equal(
    REFUSAL_PAGE_HEADERS['Content-Security-Policy'],
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
  );
  t.equal(REFUSAL_PAGE_HEADERS['X-Content-Type-Options'], 'nosniff');
});

t.test('[properties] no page can be broken out of', async () => {
  fc.assert(
    fc.property(rules, hostile, (rule, about) => {
      const record = refuse(rule, { ...about, target: `${about.target}</script>'"<` }, DOCS);
      const page = refusalPage(record);
      const inside = /id="wrld-world-refusal">([^<]*)<\/script>\n<\/body>/.exec(page);
      const outside = page.replace(inside![1]!, '').replace(/<style>[\s\S]*?<\/style>/, '');
      // Outside the record there is no `<` but our own tags.
      const tags = /<(?!\/?(?:!doctype|html|head|meta|title|style|body|main|h1|p|dl|dt|dd|code|a|script)\b)/i;
      return JSON.stringify(JSON.parse(inside![1]!)) === JSON.stringify(record) && !tags.test(outside);
    }),
  );
});
