// A pushed document is an edge: what is wrong with it is said with its place, and nothing of it takes effect.
import t from 'tap';
import { declaresHost, parseDeclaration } from '../../policy/declaration.ts';
import { compileSnapshot, type SnapshotDocument, unreadSnapshot } from '../../policy/snapshot.ts';
import { cpuMillisecondsOf } from '../kit/cpu.ts';
import { NOTHING, WORLD } from './world.ts';

t.test('a good document compiles', async t => {
  const runs = [
    { name: 'app', secretHash: 'a'.repeat(64), declaration: { egress: ['P.test', 'q.test:8443'] } },
  ];
  const result = compileSnapshot(
    JSON.parse(JSON.stringify({ ...WORLD, docsUrl: 'http://docs.test/', runs })),
  );
  t.match(result, { ok: true, snapshot: { world: 'acme/shop', docsUrl: 'http://docs.test', unread: null } });
  if (!result.ok) return;
  t.strictSame(result.snapshot.runs.get('app')?.run, {
    name: 'app',
    declaration: { egress: ['p.test', 'q.test:8443'] },
  });
});

t.test('the phase of a world and the last port are taken as they are', async t => {
  const phase = (given: 'build' | null): unknown => {
    const result = compileSnapshot({ ...WORLD, phase: given });
    return result.ok ? result.snapshot.phase : result.why;
  };
  t.equal(phase('build'), 'build');
  t.equal(phase(null), null);
  const services = [{ name: 'db', host: 'db', port: 65_535 }];
  t.match(compileSnapshot({ ...WORLD, services }), { ok: true });
});

t.test('a bad document says where and why', async t => {
  const grants = (network: object): object => ({ network: { ...NOTHING, ...network } });
  const stream = { host: 'm.test', port: 25, vendor: 'm', stream: 'smtp' };
  const run = (change: object): object => ({
    runs: [{ name: 'a', secretHash: 'a'.repeat(64), declaration: {}, ...change }],
  });
  const rows: [changes: object, why: RegExp][] = [
    [{ surprise: 1 }, /unknown key "surprise"/],
    [{ epoch: 7 }, /^epoch: expected a string, found 7/],
    [{ version: -1 }, /^version: expected a whole number/],
    [{ version: 1.5 }, /^version/],
    [{ version: undefined }, /^version: .*found nothing/],
    [{ sandbox: 'yes' }, /^sandbox: expected true or false/],
    [{ phase: 'run' }, /^phase/],
    [{ services: [{ name: 'db', host: 'db', port: 65_536 }] }, /^services\[0\]\.port: .*65535/],
    [{ services: [{ name: 'db', host: 'db', port: 0 }] }, /^services\[0\]\.port: .*from 1/],
    [{ docsUrl: 'javascript:alert(1)' }, /^docsUrl/],
    [{ docsUrl: 'http://docs.test/"><script>' }, /^docsUrl/],
    [{ network: null }, /^network: expected an object, found null/],
    [
      grants({ egress: ['https://a.test', 'https://*.b.test'] }),
      /^network\.egress\[1\]: a host has no wildcards/,
    ],
    [grants({ egress: 'https://a.test' }), /^network\.egress: expected a list/],
    [grants({ egress: [{}] }), /^network\.egress\[0\]: expected a string, found an object/],
    [grants({ writes: ['https://a.test?x'] }), /^network\.writes\[0\]: a query/],
    [grants({ ownLoopback: 0 }), /^network\.ownLoopback/],
    [grants({ allow: [] }), /^network: unknown key "allow"/],
    // Passthrough: whole origins, and only what egress grants as a whole.
    [
      grants({ egress: ['https://a.test/'], passthrough: ['https://a.test/v1/'] }),
      /^network\.passthrough\[0\]: not a whole origin; write https:\/\/a\.test$/,
    ],
    [grants({ passthrough: ['https://a.test'] }), /not granted as a whole origin in egress/],
    [
      grants({ egress: ['https://a.test/v1/'], passthrough: ['https://a.test'] }),
      /not granted as a whole origin/,
    ],
    [{ parents: [NOTHING, { ...NOTHING, egress: ['x'] }] }, /^parents\[1\]\.egress\[0\]/],
    [{ parents: {} }, /^parents: expected a list/],
    [
      { routes: [{ host: 'a.test', path: '/v1', vendor: 'a' }] },
      /^routes\[0\]: the path \/v1 does not begin and end/,
    ],
    [{ routes: [{ host: 'a.test', path: '/a/../', vendor: 'a' }] }, /not in canonical form/],
    [{ routes: [{ host: 'a..test', path: '/', vendor: 'a' }] }, /^routes\[0\]: the host/],
    [
      {
        routes: [
          { host: 'a.test', path: '/', vendor: 'a' },
          { host: 'A.test', path: '/', vendor: 'b' },
        ],
      },
      /^routes\[1\]: two twins claim A\.test\//,
    ],
    [{ streams: [{ ...stream, host: 'm..test' }] }, /^streams\[0\]\.host: cannot be read/],
    [{ streams: [{ ...stream, port: 0 }] }, /^streams\[0\]\.port/],
    [{ streams: [{ ...stream, stream: '../x' }] }, /^streams\[0\]: vendor and stream are/],
    [{ streams: [stream, { ...stream, host: 'M.test.' }] }, /^streams\[1\]: two twins claim m\.test:25/],
    [{ endpoints: ['localhost'] }, /^endpoints\[0\]: expected host:port/],
    [{ services: [{ name: 'db', host: 'db', port: 0 }] }, /^services\[0\]\.port/],
    [{ services: [{ name: 'db', host: 'd b', port: 1 }] }, /^services\[0\]\.host/],
    [{ app: { hosts: ['shop.test'], upstream: 'https://shop.test' } }, /^app\.upstream/],
    [{ app: { hosts: ['shop test'], upstream: 'http://127.0.0.1:1' } }, /^app\.hosts\[0\]/],
    [{ extraHosts: { '10.0.0.1': '127.0.0.1' } }, /^extraHosts\["10\.0\.0\.1"\]: the key is not a host name/],
    [{ extraHosts: { 'a.test': 'b.test' } }, /expected an IP address/],
    [run({ secretHash: 'abc' }), /^runs\[0\]\.secretHash: expected a SHA-256/],
    [
      run({ declaration: { egress: ['*'] } }),
      /^runs\[0\]\.declaration\.egress\[0\]: a host has no wildcards/,
    ],
    [run({ declaration: { egres: [] } }), /^runs\[0\]\.declaration: unknown key "egres"/],
    [
      { runs: [...(run({}) as SnapshotDocument).runs, ...(run({}) as SnapshotDocument).runs] },
      /^runs\[1\]: a second/,
    ],
    [{ anonymousRuns: null }, /^anonymousRuns/],
  ];
  for (const [changes, why] of rows) {
    const result = compileSnapshot({ ...WORLD, ...changes });
    t.notOk(result.ok, JSON.stringify(changes));
    if (!result.ok) t.match(result.why, why);
  }
  for (const document of [null, undefined, 7, 'x', [], {}]) t.notOk(compileSnapshot(document).ok);
});

t.test('a secret never stands in the words about it', async t => {
  const secretHash = 'S3CRET'.padEnd(64, 'x');
  const result = compileSnapshot({ ...WORLD, runs: [{ name: 'a', secretHash, declaration: {} }] });
  t.notOk(result.ok || result.why.includes('S3CRET'));
});

t.test('before the first snapshot there is no policy, and that is said', async t => {
  t.match(unreadSnapshot('http://docs.test'), { unread: /not received/, epoch: '', version: 0 });
});

t.test('compiling 10,000 grants takes a fraction of the time a push has', async t => {
  const egress = Array.from({ length: 10_000 }, (_, n) => `https://h${n % 500}.test/v1/${n}/`);
  const document = { ...WORLD, network: { ...NOTHING, egress } };
  compileSnapshot(document);
  const took = cpuMillisecondsOf(() => t.ok(compileSnapshot(document).ok));
  t.ok(took < 400, 'generous: a quadratic reader does not pass');
});

t.test('[2.1 declaredBy] a declaration file names itself as where each list was declared', async t => {
  const text =
    '{\n  "$schema": "x",\n  "egress": ["API.test", "b.test:8443"],\n  "services":\n    ["db"]\n}\n';
  t.strictSame(parseDeclaration(text, 'app.json'), {
    ok: true,
    declaration: {
      egress: ['api.test', 'b.test:8443'],
      services: ['db'],
      declaredBy: [
        { capability: 'network.egress', file: 'app.json', line: 3 },
        { capability: 'network.services', file: 'app.json', line: 4 },
      ],
    },
  });
  t.strictSame(parseDeclaration('{}', 'app.json'), { ok: true, declaration: {} }, 'an empty one is open');
  const derived = { capability: 'network.egress', file: 'Dockerfile', line: 9 };
  t.match(parseDeclaration(JSON.stringify({ egress: [], declaredBy: [derived] }), 'app.json'), {
    declaration: { declaredBy: [derived] },
  });
});

t.test('a bad declaration file says where and why', async t => {
  const rows: [text: string, why: RegExp][] = [
    ['{', /^app\.json: not JSON/],
    ['[]', /^app\.json: expected an object, found a list/],
    ['{"hosts":[]}', /^app\.json: unknown key "hosts"; accepted: egress, services/],
    ['{"egress":"a"}', /^app\.json: egress: expected a list/],
    ['{"egress":["https://a.test"]}', /egress\[0\]: not a host.*accepted: api\.example\.com/],
    ['{"egress":["*.a.test"]}', /egress\[0\]: a host has no wildcards/],
    ['{"host":1}', /^app\.json: host: expected true or false/],
    ['{"declaredBy":[{"capability":"x","file":"f","line":0}]}', /declaredBy\[0\]\.line/],
  ];
  for (const [text, why] of rows) t.match(parseDeclaration(text, 'app.json'), { ok: false, why }, text);
});

t.test('[7.2 undeclared] a bare host stands for the schemes’ own ports', async t => {
  const declaration = { egress: ['a.test', 'b.test:8443', '[::2]'] };
  const rows: ['http' | 'https', string, number, boolean][] = [
    ['https', 'a.test', 443, true],
    ['http', 'a.test', 80, true],
    ['https', 'a.test', 8443, false],
    ['https', 'b.test', 8443, true],
    ['https', 'b.test', 443, false],
    ['https', '::2', 443, true],
    ['https', 'c.test', 443, false],
  ];
  for (const [scheme, host, port, expected] of rows) {
    t.equal(declaresHost(declaration, scheme, host, port), expected, `${scheme} ${host}:${port}`);
  }
  t.ok(declaresHost({}, 'https', 'anything.test', 1));
});
