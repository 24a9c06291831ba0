// Reading .wrld/world.json: what is accepted, and that every mistake names its line, its place and the cure.
import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import t from 'tap';
import { formatProblems, parseWorldConfig } from '../../../../control/world/config/config.ts';
import { nearest } from '../../../../control/world/config/nearest.ts';
import { validateWorldConfig } from '../../../../control/world/config/schema.generated.js';
import { parseWorldName } from '../../../../control/world/config/world-name.ts';
import { CONFIG_CHARS_MAX, WORLD_NAME_CHARS_MAX } from '../../../../control/world/limits.ts';
import { MEANING, network, SHAPE, SYNTAX } from '../config-mistakes.ts';

t.test('what is accepted', async t => {
  t.test('a name alone: no twins, and nothing may leave', async t => {
    const read = parseWorldConfig('{"name":"acme/shop"}');
    t.strictSame(read, {
      ok: true,
      config: {
        name: 'acme/shop',
        org: 'acme',
        world: 'shop',
        twins: [],
        services: [],
        phase: null,
        network: { egress: [], writes: [], passthrough: [], ownLoopback: true },
        extraHosts: {},
        app: null,
        parent: null,
      },
    });
  });

  t.test('everything at once', async t => {
    const read = parseWorldConfig(
      JSON.stringify({
        $schema: './world.schema.json',
        name: 'acme/shop-1',
        services: {
          stripe: {
            twin: 'stripe',
            colocate: { scenarioPath: 'scenarios/stripe.json' },
            root: { url: 'https://api.stripe.com' },
          },
          own: { twin: './twins/own.ts' },
          db: { address: 'localhost:5432' },
          cache: { address: '[::1]:6379' },
        },
        runtime: {
          phase: 'build',
          network: {
            egress: ['https://a.test', 'https://b.test/v1/', 'http://c.test:8080/x'],
            writes: ['https://b.test/v1/w/'],
            passthrough: ['https://a.test'],
            ownLoopback: false,
          },
          extraHosts: { 'A.test': '127.0.0.1', 'b.test': '::1' },
          app: { hosts: ['Shop.test'], upstream: 'http://127.0.0.1:3000/' },
        },
        parent: '../company',
      }),
    );
    t.strictSame(read, {
      ok: true,
      config: {
        name: 'acme/shop-1',
        org: 'acme',
        world: 'shop-1',
        twins: [
          {
            vendor: 'stripe',
            twin: 'stripe',
            scenarioPath: 'scenarios/stripe.json',
            root: { url: 'https://api.stripe.com' },
          },
          { vendor: 'own', twin: './twins/own.ts', scenarioPath: null },
        ],
        services: [
          { name: 'db', host: 'localhost', port: 5432 },
          { name: 'cache', host: '::1', port: 6379 },
        ],
        phase: 'build',
        network: {
          egress: ['https://a.test', 'https://b.test/v1/', 'http://c.test:8080/x'],
          writes: ['https://b.test/v1/w/'],
          passthrough: ['https://a.test'],
          ownLoopback: false,
        },
        extraHosts: { 'a.test': '127.0.0.1', 'b.test': '::1' },
        app: { hosts: ['shop.test'], upstream: 'http://127.0.0.1:3000' },
        parent: '../company',
      },
    });
  });

  t.test("an editor's byte order mark and CRLF lines are no mistakes", async t => {
    t.ok(parseWorldConfig('\uFEFF{\r\n  "name": "acme/shop"\r\n}\r\n').ok);
    const read = parseWorldConfig('\uFEFF{\r\n  "name": "acme/shop",\r\n  "x": 1\r\n}');
    t.match(read, { ok: false, problems: [{ line: 3, column: 3 }] });
  });
});

for (const [group, cases] of Object.entries({ SYNTAX, SHAPE, MEANING })) {
  t.test(`a mistake of ${group.toLowerCase()} is refused with its line`, async t => {
    for (const [what, text, line, column, path, says] of cases) {
      const read = parseWorldConfig(text);
      if (read.ok) {
        t.fail(`${what}: accepted`);
        continue;
      }
      const problem = read.problems[0]!;
      t.strictSame([problem.line, problem.column, problem.path], [line, column, path], what);
      t.match(problem.message, says, what);
    }
  });
}

t.test('every mistake of a kind is named at once, in the order of the file', async t => {
  const read = parseWorldConfig(network('"egress": ["*"],', '"writes": ["b"],', '"passthrough": ["c"]'));
  if (read.ok) throw new Error('accepted');
  const lines = formatProblems('.wrld/world.json', [...read.problems].reverse()).split('\n');
  t.strictSame(
    lines.map(line => line.split('  ')[0]),
    ['.wrld/world.json:5:12', '.wrld/world.json:6:12', '.wrld/world.json:7:17'],
  );
  t.match(lines[0], /^\.wrld\/world\.json:5:12 {2}runtime\.network\.egress\[0\]: /);
});

t.test('a document over the limit is refused before it is parsed', async t => {
  const read = parseWorldConfig(' '.repeat(CONFIG_CHARS_MAX + 1));
  t.match(read, { ok: false, problems: [{ line: 1, message: /longer than/ }] });
});

t.test('the committed validator is what the published schema says', async t => {
  const schema = JSON.parse(
    await readFile(new URL('../../../../schema/world.schema.json', import.meta.url), 'utf8'),
  );
  const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);
  for (const [what, text] of [...SHAPE, ...MEANING]) {
    const value = JSON.parse(text);
    t.equal(validateWorldConfig(value), validate(value), what);
  }
});

t.test('[5.3-2] a world name leaves room for one DNS label', async t => {
  const longest = `${'a'.repeat(30)}/${'b'.repeat(31)}`;
  t.equal(longest.length - 1, WORLD_NAME_CHARS_MAX);
  t.match(parseWorldName(longest), { ok: true, org: 'a'.repeat(30) });
  for (const bad of ['', '/', 'a', 'a/', '/b', 'a/b/c', '-a/b', 'a-/b', 'a_b/c', 'a/b c', `${longest}b`])
    t.match(parseWorldName(bad), { ok: false }, JSON.stringify(bad));
  for (const reserved of ['acme/console', 'worlds/shop', 'acme/vendors', 'ping/x', 'reference/x'])
    t.match(parseWorldName(reserved), { ok: false, why: /hosts of worlds need/ }, reserved);
  t.ok(parseWorldName('acme/console-2').ok);
});

t.test('the nearest word is offered only when it is near', async t => {
  const words = ['egress', 'writes', 'passthrough', 'ownLoopback'];
  t.equal(nearest('egres', words), 'egress');
  t.equal(nearest('wirtes', words), 'writes');
  t.equal(nearest('OwnLoopBack', words), 'ownLoopback');
  t.equal(nearest('network', words), undefined);
  t.equal(nearest('x', words), undefined);
});
