// Reading .wrld/world.json: what is accepted, and that every mistake names its line, its place and the cure.
import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import t from 'tap';
import { formatProblems, parseWorldConfig } from '../../../control/world/config.ts';
import { validateWorldConfig } from '../../../control/world/config-schema.generated.js';
import { CONFIG_CHARACTERS_MAX, CONFIG_DEPTH_MAX } from '../../../control/world/config-text.ts';
import { nearest } from '../../../control/world/nearest.ts';
import { parseWorldName, WORLD_NAME_CHARACTERS_MAX } from '../../../control/world/world-name.ts';

/** A config with `lines` in place of what follows the name, so that line 3 is the first of them. */
function config(...lines: readonly string[]): string {
  return ['{', '  "name": "acme/shop",', ...lines, '}'].join('\n');
}

const runtime = (...lines: readonly string[]): string => config('"runtime": {', ...lines, '}');
const network = (...lines: readonly string[]): string => runtime('"network": {', ...lines, '}');

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
          stripe: { twin: 'stripe', colocate: { scenarioPath: 'scenarios/stripe.json' } },
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
          { vendor: 'stripe', twin: 'stripe', scenarioPath: 'scenarios/stripe.json' },
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

/** What is wrong, the text, where the first problem is, and what its message must say. */
type Case = readonly [what: string, text: string, line: number, column: number, path: string, says: RegExp];

const SYNTAX: readonly Case[] = [
  ['an empty file', '', 1, 1, '', /the least there can be is \{ "name"/],
  ['blank lines alone', '\n\n', 1, 1, '', /empty/],
  ['a line comment', '{\n  // mine\n  "name": "a/b"\n}', 2, 3, '', /no comments/],
  ['a block comment', '{ "name": "a/b" /* x */ }', 1, 17, '', /no comments/],
  ['a trailing comma in an object', '{\n  "name": "a/b",\n}', 3, 1, '', /no trailing comma/],
  ['a trailing comma in an array', network('"egress": ["https://a.test",]'), 5, 29, '', /no trailing comma/],
  ['a missing comma', '{\n  "name": "a/b"\n  "services": {}\n}', 3, 3, '', /a comma is expected/],
  ['a missing colon', '{"name" "a/b"}', 1, 9, '', /a colon is expected/],
  ['a key without quotes', '{ name: "a/b" }', 1, 3, '', /not JSON|a key in double quotes/],
  ['single quotes', "{ 'name': 'a/b' }", 1, 3, '', /not JSON|a key in double quotes/],
  ['an unfinished string', '{ "name": "a/b', 1, 11, '', /never ends/],
  ['an unfinished document', '{ "name": "a/b"', 1, 16, '', /closing brace/],
  ['a second document', '{ "name": "a/b" }\n{}', 2, 1, '', /nothing may follow/],
  ['an escape that JSON has not', '{ "name": "a\\/\\x" }', 1, 11, '', /no such escape/],
  ['a bare tab in a string', '{ "name": "a\tb" }', 1, 11, '', /control character/],
  ['the same key twice', config('"services": {},', '"services": {}'), 4, 1, 'services', /there twice/],
  [
    'the same key twice, deeper',
    network('"egress": [],', '"egress": ["https://a.test"]'),
    6,
    1,
    'runtime.network.egress',
    /there twice/,
  ],
  ['nesting without end', `{"name":${'['.repeat(CONFIG_DEPTH_MAX + 8)}`, 1, 72, '', /nested deeper/],
];

const SHAPE: readonly Case[] = [
  ['an array for the document', '[]', 1, 1, '', /an array .* where an object/],
  ['null for the document', 'null', 1, 1, '', /null where an object/],
  ['no name', '{\n  "services": {}\n}', 1, 1, '', /lacks "name": "<org>\/<world>"/],
  ['an unknown key', config('"twins": {}'), 3, 1, 'twins', /unknown key; accepted: name, services, runtime/],
  ['a misspelt key', config('"servces": {}'), 3, 1, 'servces', /did you mean "services"\?/],
  [
    'a key of one part in another',
    config('"network": {}'),
    3,
    1,
    'network',
    /unknown key; accepted: name, services, runtime, parent/,
  ],
  [
    'an unknown key of the network',
    network('"egres": []'),
    5,
    1,
    'runtime.network.egres',
    /did you mean "egress"\? Accepted: egress, writes, passthrough, ownLoopback/,
  ],
  ['a number for the name', '{\n "name": 7\n}', 2, 10, 'name', /a number where a string/],
  ['an array for services', config('"services": []'), 3, 13, 'services', /an array .* where an object/],
  [
    'a string for egress',
    network('"egress": "https://a.test"'),
    5,
    11,
    'runtime.network.egress',
    /where an array/,
  ],
  [
    'a number among the grants',
    network('"egress": [', '7]'),
    6,
    1,
    'runtime.network.egress[0]',
    /a number where/,
  ],
  [
    'a string for a boolean',
    network('"ownLoopback": "no"'),
    5,
    16,
    'runtime.network.ownLoopback',
    /true or false/,
  ],
  ['another phase', runtime('"phase": "test"'), 4, 10, 'runtime.phase', /accepted: "build"/],
  [
    'a service that is neither',
    config('"services": {', '"stripe": {} }'),
    4,
    11,
    'services.stripe',
    /needs "twin" .* or "address"/,
  ],
  [
    'a service that is both',
    config('"services": {', '"db": { "address": "a:1", "twin": "x" } }'),
    4,
    27,
    'services.db.twin',
    /unknown key; accepted: address/,
  ],
  [
    'a name with capitals',
    config('"services": {', '"Stripe": { "twin": "stripe" } }'),
    4,
    1,
    'services.Stripe',
    /not a name/,
  ],
  [
    'a name with a space',
    config('"services": {', '"a b": { "twin": "x" } }'),
    4,
    1,
    'services["a b"]',
    /not a name/,
  ],
  [
    '__proto__ as a name',
    config('"services": {', '"__proto__": { "twin": "x" } }'),
    4,
    1,
    'services.__proto__',
    /not a name/,
  ],
  ['an empty twin', config('"services": {', '"a": { "twin": "" } }'), 4, 16, 'services.a.twin', /empty/],
  [
    'an app without an upstream',
    runtime('"app": { "hosts": ["a.test"] }'),
    4,
    8,
    'runtime.app',
    /lacks "upstream"/,
  ],
  [
    'an app without hosts',
    runtime('"app": { "hosts": [], "upstream": "http://a:1" }'),
    4,
    19,
    'runtime.app.hosts',
    /at least one/,
  ],
];

const ORIGIN = /an origin .* an exact path .* a subtree/;
const grantCase = (what: string, grant: string, says: RegExp): Case => [
  what,
  network('"egress": [', `  ${JSON.stringify(grant)}`, ']'),
  6,
  3,
  'runtime.network.egress[0]',
  says,
];

const MEANING: readonly Case[] = [
  ['a name without a slash', '{\n  "name": "shop"\n}', 2, 11, 'name', /<org>\/<world>/],
  ['a name in capitals', '{\n  "name": "Acme/shop"\n}', 2, 11, 'name', /lower-case/],
  ['a name with a double hyphen', '{"name": "a--b/c"}', 1, 10, 'name', /single hyphens/],
  [
    'a name too long for a label',
    `{"name": "${'a'.repeat(31)}/${'b'.repeat(31)}"}`,
    1,
    10,
    'name',
    /longer than 61/,
  ],
  grantCase('a wildcard host', 'https://*.example.com', /no wildcards/),
  grantCase('a wildcard for everything', '*', /no wildcards/),
  grantCase('a wildcard path', 'https://a.test/v1/*', /no wildcards/),
  grantCase('a host without its scheme', 'a.test', ORIGIN),
  grantCase('another scheme', 'ftp://a.test', ORIGIN),
  grantCase('a password in a grant', 'https://u:p@a.test', ORIGIN),
  grantCase('a query in a grant', 'https://a.test/x?y=1', ORIGIN),
  grantCase('an empty grant', '', ORIGIN),
  [
    'a bad write',
    network('"egress": [],', '"writes": ["https://a.test/%zz"]'),
    6,
    12,
    'runtime.network.writes[0]',
    ORIGIN,
  ],
  [
    '[7.2 inspected-transport] passthrough of a path',
    runtime(
      '"phase": "build",',
      '"network": {"egress": ["https://a.test/v1/"],',
      '"passthrough": ["https://a.test/v1/"]}',
    ),
    6,
    17,
    'runtime.network.passthrough[0]',
    /not a whole origin.*Accepted: https:\/\/a\.test$/,
  ],
  [
    '[7.2 inspected-transport] passthrough outside a build world',
    network('"egress": ["https://a.test"],', '"passthrough": ["https://a.test"]'),
    6,
    17,
    'runtime.network.passthrough[0]',
    /"phase": "build"/,
  ],
  [
    '[7.2 inspected-transport] passthrough whose grant is a subtree',
    runtime(
      '"phase": "build",',
      '"network": {"egress": ["https://a.test/v1/"],',
      '"passthrough": ["https://a.test"]}',
    ),
    6,
    17,
    'runtime.network.passthrough[0]',
    /list https:\/\/a\.test in runtime\.network\.egress/,
  ],
  [
    'a wildcard passthrough',
    network('"passthrough": ["https://*"]'),
    5,
    17,
    'runtime.network.passthrough[0]',
    /no wildcards/,
  ],
  [
    'an extra host that is a pattern',
    runtime('"extraHosts": {', '"*.a.test": "127.0.0.1" }'),
    5,
    1,
    'runtime.extraHosts["*.a.test"]',
    /without wildcard/,
  ],
  [
    'an extra host with a port',
    runtime('"extraHosts": {', '"a.test:443": "127.0.0.1" }'),
    5,
    1,
    'runtime.extraHosts["a.test:443"]',
    /not a host name/,
  ],
  [
    'an extra host that is an address',
    runtime('"extraHosts": {', '"10.0.0.1": "127.0.0.1" }'),
    5,
    1,
    'runtime.extraHosts["10.0.0.1"]',
    /not a host name/,
  ],
  [
    'an extra host pinned to a name',
    runtime('"extraHosts": {', '"a.test": "b.test" }'),
    5,
    11,
    'runtime.extraHosts["a.test"]',
    /not an IP address/,
  ],
  [
    'an extra host pinned to a disguised address',
    runtime('"extraHosts": {', '"a.test": "0x7f.1" }'),
    5,
    11,
    'runtime.extraHosts["a.test"]',
    /not an IP address/,
  ],
  [
    'an extra host twice in two spellings',
    runtime('"extraHosts": {', '"a.test": "::1",', '"A.test": "::1" }'),
    6,
    1,
    'runtime.extraHosts["A.test"]',
    /the same host/,
  ],
  [
    'an app host with a scheme',
    runtime('"app": { "hosts": ["http://a.test"],', '"upstream": "http://a:1" }'),
    4,
    20,
    'runtime.app.hosts[0]',
    /not a host name/,
  ],
  [
    'an upstream with a path',
    runtime('"app": { "hosts": ["a.test"],', '"upstream": "http://a:1/x" }'),
    5,
    13,
    'runtime.app.upstream',
    /not an origin/,
  ],
  [
    'a service without its port',
    config('"services": {', '"db": { "address": "localhost" } }'),
    4,
    20,
    'services.db.address',
    /host:port/,
  ],
  [
    'a scenario outside the folder',
    config('"services": { "a": { "twin": "a", "colocate": {', '"scenarioPath": "../x.json" } } }'),
    4,
    17,
    'services.a.colocate.scenarioPath',
    /inside the world's folder/,
  ],
  ['an absolute parent', config('"parent": "/srv/company"'), 3, 11, 'parent', /relative/],
];

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
  const read = parseWorldConfig(' '.repeat(CONFIG_CHARACTERS_MAX + 1));
  t.match(read, { ok: false, problems: [{ line: 1, message: /longer than/ }] });
});

t.test('the committed validator is what the published schema says', async t => {
  const schema = JSON.parse(
    await readFile(new URL('../../../schema/world.schema.json', import.meta.url), 'utf8'),
  );
  const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);
  for (const [what, text] of [...SHAPE, ...MEANING]) {
    const value = JSON.parse(text);
    t.equal(validateWorldConfig(value), validate(value), what);
  }
});

t.test('[5.3-2] a world name leaves room for one DNS label', async t => {
  const longest = `${'a'.repeat(30)}/${'b'.repeat(31)}`;
  t.equal(longest.length - 1, WORLD_NAME_CHARACTERS_MAX);
  t.match(parseWorldName(longest), { ok: true, org: 'a'.repeat(30) });
  for (const bad of ['', '/', 'a', 'a/', '/b', 'a/b/c', '-a/b', 'a-/b', 'a_b/c', 'a/b c', `${longest}b`])
    t.match(parseWorldName(bad), { ok: false }, JSON.stringify(bad));
});

t.test('the nearest word is offered only when it is near', async t => {
  const words = ['egress', 'writes', 'passthrough', 'ownLoopback'];
  t.equal(nearest('egres', words), 'egress');
  t.equal(nearest('wirtes', words), 'writes');
  t.equal(nearest('OwnLoopBack', words), 'ownLoopback');
  t.equal(nearest('network', words), undefined);
  t.equal(nearest('x', words), undefined);
});
