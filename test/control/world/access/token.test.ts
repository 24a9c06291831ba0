// Tokens, how they are presented, and that they are not seen (security 41–45, 52).
import { inspect } from 'node:util';
import t from 'tap';
import { digest } from '../../../../control/node/digest.ts';
import { openEntropy } from '../../../../control/node/entropy.ts';
import { openSqlite } from '../../../../control/node/sqlite.ts';
import { parseCredential } from '../../../../control/world/access/credential.ts';
import { Secret } from '../../../../control/world/access/secret.ts';
import { mintToken, openTokens } from '../../../../control/world/access/token.ts';
import { base62 } from '../../../../control/world/store/identifier.ts';

const entropy = openEntropy();

t.test('[5.1] a world has a token that writes and one that reads; the store keeps neither', async t => {
  const sql = openSqlite(':memory:');
  const tokens = openTokens({ sql, entropy, digest });
  t.notOk(tokens.issued());
  t.equal(tokens.scopeOf(''), null);
  const first = tokens.issue();
  t.ok(tokens.issued());
  t.match(first.write.reveal(), /^tok_w_[A-Za-z0-9_-]{43}$/);
  t.match(first.read.reveal(), /^tok_r_[A-Za-z0-9_-]{43}$/);
  const reopened = openTokens({ sql, entropy, digest });
  const write = first.write.reveal();
  const table: [presented: string, scope: 'write' | 'read' | null][] = [
    [write, 'write'],
    [first.read.reveal(), 'read'],
    [write.slice(0, -1), null],
    [`${write}x`, null],
    [write.replace('tok_w_', 'tok_r_'), null],
    [write.toUpperCase(), null],
    [mintToken(entropy, 'admin').reveal(), null],
    ['sk_test_4eC39HqLyjWDarjtT1zdp7dc', null],
    ['', null],
  ];
  for (const [presented, scope] of table) t.equal(reopened.scopeOf(presented), scope, presented.slice(0, 8));
  const rows = sql.all<{ hash: Uint8Array }>('SELECT * FROM token');
  t.strictSame(
    rows.map(({ hash }) => hash.length),
    [32, 32],
  );
  t.notMatch(JSON.stringify(rows), write.slice(6));

  const second = tokens.issue();
  t.equal(tokens.scopeOf(write), null, 'new tokens end the old ones');
  t.equal(tokens.scopeOf(second.write.reveal()), 'write');
  sql.close();
});

t.test('a guess is compared with every stored hash, whatever its length (security 41)', async t => {
  const sql = openSqlite(':memory:');
  let compared: number[] = [];
  const equal = (a: Uint8Array, b: Uint8Array) => {
    compared.push(a.length, b.length);
    return digest.equal(a, b);
  };
  const tokens = openTokens({ sql, entropy, digest: { ...digest, equal } });
  const { write, read } = tokens.issue();
  for (const presented of [write.reveal(), read.reveal(), '', 'x'.repeat(10_000)]) {
    compared = [];
    tokens.scopeOf(presented);
    t.strictSame(compared, [32, 32, 32, 32]);
  }
  sql.close();
});

t.test('[5.2] which credential a request presents, and which of several counts', async t => {
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const table: [headers: Record<string, string | string[]>, by: string, secret?: string][] = [
    [{}, 'nothing'],
    [{ 'x-wrld-token': 'T' }, 'x-wrld-token', 'T'],
    [{ 'x-wrld-token': ' T ' }, 'x-wrld-token', 'T'],
    [{ 'x-twins-key': 'K' }, 'x-twins-key', 'K'],
    [{ authorization: 'Bearer B' }, 'authorization', 'B'],
    [{ authorization: 'bearer B' }, 'authorization', 'B'],
    [{ authorization: 'token G' }, 'authorization', 'G'],
    [{ authorization: basic('user:P') }, 'authorization', 'P'],
    [{ authorization: basic('user:a:b:c') }, 'authorization', 'a:b:c'],
    [{ authorization: basic(':P') }, 'authorization', 'P'],
    // The vendor's own, as Stripe writes it: the key is the user, and no password.
    [{ authorization: basic('sk_test_1:') }, 'nothing'],
    [{ authorization: basic('sk_test_1') }, 'nothing'],
    [{ authorization: 'Basic !!!' }, 'nothing'],
    [{ authorization: 'Digest username="x"' }, 'nothing'],
    [{ authorization: 'AWS4-HMAC-SHA256 Credential=a/b, Signature=c' }, 'nothing'],
    [{ authorization: 'Bearer' }, 'nothing'],
    [{ authorization: 'Bearer a b' }, 'nothing'],
    [{ authorization: ['Bearer a', 'Bearer b'] }, 'nothing'],
    [{ 'x-wrld-token': 'T', 'x-twins-key': 'K', authorization: 'Bearer B' }, 'x-wrld-token', 'T'],
    [{ 'x-twins-key': 'K', authorization: 'Bearer B' }, 'x-twins-key', 'K'],
    [{ 'x-wrld-token': ['T', 'U'], 'x-twins-key': 'K' }, 'unreadable'],
    [{ 'x-wrld-token': '' }, 'unreadable'],
    [{ 'x-twins-key': ['K', 'K'] }, 'unreadable'],
  ];
  for (const [headers, by, secret] of table) {
    const credential = parseCredential(headers);
    t.equal(credential.by, by, JSON.stringify(headers));
    if ('secret' in credential) t.equal(credential.secret.reveal(), secret);
    t.notMatch(inspect(credential), /'[TKBGP]'/);
  }
});

t.test('a secret prints as [secret] wherever it is printed (security 52)', async t => {
  const secret = new Secret('hunter2');
  const printed = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { depth: 9, showHidden: true }),
    Object.values(secret).join(),
    new Error(`no ${secret}`).stack!,
  ];
  for (const text of printed) t.notMatch(text, /hunter2/);
  t.match(inspect({ secret }), /\[secret\]/);
  t.equal(secret.reveal(), 'hunter2');
});

t.test('tokens and ids are drawn evenly, and no random byte is handed out twice', async t => {
  const drawn = Array.from({ length: 2000 }, () => entropy.bytes(32));
  t.equal(new Set(drawn.map(bytes => Buffer.from(bytes).toString('hex'))).size, drawn.length);
  t.equal(entropy.bytes(10_000).length, 10_000);
  const counts = new Map<string, number>();
  for (const character of base62(entropy, 62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
  t.equal(counts.size, 62);
  // 1,000 are expected of each, with a deviation of 32: eight of those never happen by chance.
  for (const [character, count] of counts) if (Math.abs(count - 1000) > 256) t.fail(`${character}: ${count}`);
});

t.test('[4.11, security 50] adopted tokens are 24 to 256 URL-safe characters', async t => {
  const sql = openSqlite(':memory:');
  t.teardown(() => sql.close());
  const tokens = openTokens({ sql, entropy, digest });
  const pair = (write: string, read = 'r'.repeat(24)) => ({
    write: new Secret(write),
    read: new Secret(read),
  });
  const before = tokens.issue();
  for (const [what, write, ok] of [
    ['23', 'w'.repeat(23), false],
    ['24', 'w'.repeat(24), true],
    ['256', 'w'.repeat(256), true],
    ['257', 'w'.repeat(257), false],
    ['a character that no URL holds as it is', `${'w'.repeat(24)}/`, false],
    ['a space', `${'w'.repeat(24)} `, false],
    ['the same as the read token', 'r'.repeat(24), false],
  ] as const) {
    const adopted = tokens.adopt(pair(write));
    t.equal(adopted.ok, ok, what);
    if (ok) t.equal(tokens.scopeOf(write), 'write', what);
  }
  t.equal(tokens.scopeOf(before.write.reveal()), null, 'those before have ended');
  t.ok(openTokens({ sql, entropy, digest }).adopted(), 'a reopened store knows');
  tokens.issue();
  t.notOk(openTokens({ sql, entropy, digest }).adopted());
});
