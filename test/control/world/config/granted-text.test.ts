// A grant more in a file that somebody else wrote.
import t from 'tap';
import { type GrantedText, grantedText } from '../../../../control/world/config/granted-text.ts';

const GRANT = { list: 'egress', text: 'https://api.test/v1/rates', kind: 'exact' } as const;
const textOf = (made: GrantedText): string | null => (made.ok ? made.text : null);

t.test('[7.2 not-granted] order, indentation and line ends stay', t => {
  const source = `{
    "services": { "stripe": { "twin": "stripe" } },
    "runtime": {
        "network": {
            "writes": ["https://a.test"],
            "egress": [
                "https://b.test"
            ]
        }
    },
    "name": "acme/shop"
}
`;
  const made = grantedText(source, GRANT);
  t.equal(
    textOf(made),
    source.replace('"https://b.test"\n', `"https://b.test",\n                "${GRANT.text}"\n`),
  );
  t.strictSame(made.ok && made.lines.map(({ is, text }) => `${is} ${text.trim()}`), [
    'kept "writes": ["https://a.test"],',
    'kept "egress": [',
    'removed "https://b.test"',
    'added "https://b.test",',
    `added "${GRANT.text}"`,
    'kept ]',
    'kept }',
  ]);
  const dos = source.replaceAll('\n', '\r\n');
  t.equal(textOf(grantedText(dos, GRANT)), textOf(made)!.replaceAll('\n', '\r\n'));
  t.end();
});

t.test('[7.2 not-granted] what is not there yet is made; what is there, or cannot be read, is left', t => {
  const bare = '{\n  "name": "acme/shop"\n}\n';
  const made = textOf(grantedText(bare, { ...GRANT, list: 'writes' }));
  t.strictSame(JSON.parse(made!), {
    name: 'acme/shop',
    runtime: { network: { writes: [GRANT.text] } },
  });
  t.match(made, /^ {2}"runtime": \{\n {4}"network": \{\n {6}"writes": \[/m);
  t.strictSame(grantedText(made!, { ...GRANT, list: 'writes' }), { ok: false, why: 'listed' });
  t.strictSame(grantedText('{ "name": ', GRANT), { ok: false, why: 'unreadable' });
  t.equal(
    textOf(grantedText('{"name":"acme/shop"}', GRANT)),
    `{"name":"acme/shop","runtime": {"network":{"egress":["${GRANT.text}"]}}}`,
    'one line stays one',
  );
  const tabs = '{\n\t"name": "acme/shop"\n}\n';
  t.match(textOf(grantedText(tabs, GRANT)), /^\t\t\t"egress": \[$/m);
  t.end();
});
