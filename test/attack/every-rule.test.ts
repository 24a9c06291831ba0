// Every rule of 7.2, fired by a client as people have them (curl, Node, a program in a native run, a guest on a network of its
// own), and its record compared whole. The last test fails where a rule has not fired.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { RefusalRecord } from '../../policy/refusal.ts';
import { type About, RULE_NAMES, RULES, type RuleName } from '../../policy/rules.ts';
import { cleanEnv, command, openWorlds, startWords, wrldWords } from '../kit/command-line.ts';
import { lacks } from '../kit/contained.ts';
import { type GuestMachine, MACHINE, openGuestMachine } from '../kit/guest.ts';
import { cannotRunNatively, imageWords, writeFiles } from '../kit/native.ts';
import { startProxy, type TestProxy } from '../kit/proxy.ts';
import { RULE_TABLE } from '../kit/rule-table.ts';

const DOCS = 'http://127.0.0.1:1/docs';
const fired = new Set<RuleName>();
const skipped = new Set<RuleName>();

/** `about`: what the row's words are made of; `more`: the fields that not every record has. */
function isWhole(
  t: Test,
  record: unknown,
  rule: RuleName,
  about: About,
  more: Partial<RefusalRecord> = {},
  docs = DOCS,
): void {
  const [capability, missing] = RULE_TABLE[rule];
  const expected = {
    kind: 'wrld-world-refusal',
    version: 1,
    capability,
    target: about.target,
    missing,
    rule,
    reason: RULES[rule].reason(about),
    ...more,
    see: `${docs}/reference/refusals#${rule}`,
  };
  if (t.strictSame(record, expected, `${rule}: ${about.why ?? about.target}`)) fired.add(rule);
}

const SECRET = 'S3cret';
const declared = (capability: string) => ({ capability, file: 'image.yaml', line: 7 });
const run = (name: string, declaration: object) => ({
  name,
  secretHash: createHash('sha256').update(SECRET).digest('hex'),
  declaration,
});

/** The record that came with the answer. */
function recordOf(answer: string): unknown {
  const [, line = 'null'] = answer.split('\n');
  return JSON.parse(line);
}

async function curl(proxy: TestProxy, folder: string, ...args: readonly string[]): Promise<unknown> {
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, proxy.ca);
  const words = ['curl', '-sS', '-m', '20', '--path-as-is', '--cacert', ca];
  return recordOf((await command([...words, '-x', `http://127.0.0.1:${proxy.port}`, ...args], folder)).out);
}

/** A protocol of its own, in a tunnel: nobody can answer it, so the record is the proxy's. */
async function rawCurl(proxy: TestProxy, url: string): Promise<unknown> {
  const words = ['-sS', '-m', '20', '-p', '-x', `http://127.0.0.1:${proxy.port}`, url];
  const child = spawn('curl', words, { env: cleanEnv(), stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin!.on('error', () => {});
  child.stdin!.write('SSH-2.0-x\r\n');
  await new Promise(resolve => child.once('exit', resolve));
  return proxy.refusals.at(-1);
}

const noCurl = await lacks('curl');
t.test('[7.2] what the proxy refuses its clients', { skip: noCurl }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-rules-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const network = { egress: ['http://p.test/v1/'], writes: [], passthrough: [], ownLoopback: true };
  await using proxy = await startProxy({
    world: {
      docsUrl: DOCS,
      network,
      routes: [{ host: 'tw.test', path: '/v1/', vendor: 'tw' }],
      app: { hosts: ['shop.test'], upstream: 'http://127.0.0.1:9' },
      services: [{ name: 'db', host: 'db', port: 5432 }],
      runs: [
        run('default', {}),
        run('narrow', { egress: ['q.test'], declaredBy: [declared('network.egress')] }),
        run('alone', {
          services: [],
          host: false,
          declaredBy: ['services', 'host'].map(each => declared(`network.${each}`)),
        }),
      ],
    },
  });
  await using closed = await startProxy({
    world: { docsUrl: DOCS, sandbox: true, network: { ...network, egress: [], ownLoopback: false } },
  });
  const ask = (...args: readonly string[]): Promise<unknown> => curl(proxy, folder, ...args);
  const as = (name: string): readonly string[] => ['-U', `${name}:${SECRET}`];
  const at = (target: string, more: Partial<About> = {}): About => ({
    target,
    method: 'GET',
    host: new URL(target).hostname,
    ...more,
  });
  const anyone = as('default');

  const grantField = 'runtime.network.egress';
  const other = at('https://other.test/v1/a', { grantField });
  isWhole(t, await ask(...anyone, `${other.target}?key=1`), 'not-granted', other, { grantField });
  const write = { ...at('http://p.test/v1/a', { grantField: 'runtime.network.writes' }), method: 'POST' };
  isWhole(t, await ask(...anyone, '-d', 'x', write.target), 'not-granted', write, {
    grantField: 'runtime.network.writes',
  });
  isWhole(t, await curl(closed, folder, 'http://other.test/'), 'sealed', at('http://other.test/'));
  const encoded = at('http://p.test/v1/a%2fb', { why: 'an encoded `/`' });
  isWhole(t, await ask(...anyone, encoded.target), 'invalid', encoded);
  const unclaimed = at('https://tw.test/v2/a', { name: 'tw' });
  isWhole(t, await ask(...anyone, unclaimed.target), 'unclaimed-path', unclaimed);
  isWhole(t, await ask(...as('narrow'), 'http://p.test/v1/a'), 'undeclared', at('http://p.test/v1/a'), {
    declaredBy: declared('network.egress'),
  });
  const service = at('http://db:5432/', { name: 'db' });
  isWhole(t, await ask(...as('alone'), service.target), 'service-undeclared', service, {
    declaredBy: declared('network.services'),
  });
  isWhole(t, await ask(...as('alone'), 'http://10.0.0.1/'), 'host-undeclared', at('http://10.0.0.1/'), {
    declaredBy: declared('network.host'),
  });
  isWhole(
    t,
    await curl(closed, folder, 'http://127.0.0.1:9/'),
    'own-loopback-ungranted',
    at('http://127.0.0.1:9/'),
    {
      grantField: 'runtime.network.ownLoopback',
    },
  );
  const upgrade = ['-H', 'Connection: Upgrade', '-H', 'Upgrade: websocket'];
  const upgraded = at('http://p.test/v1/a', { why: 'a protocol upgrade' });
  isWhole(t, await ask(...anyone, ...upgrade, upgraded.target), 'inspected-transport', upgraded);

  proxy.push({
    docsUrl: DOCS,
    network,
    routes: [{ host: 'tw.test', path: '/v1/', vendor: 'tw' }],
    app: { hosts: ['shop.test'], upstream: 'http://127.0.0.1:9' },
  });
  const raw = async (rule: RuleName, authority: string, more: Partial<About> = {}): Promise<void> => {
    const about = { target: authority, host: authority.replace(/:.*/, ''), ...more };
    isWhole(t, await rawCurl(proxy, `telnet://${authority}`), rule, about);
  };
  await raw('raw-socket-twinned', 'tw.test:443', { name: 'tw' });
  await raw('raw-socket-app', 'shop.test:443');
  await raw('inspected-transport', 'p.test:80', { why: 'a raw socket' });

  proxy.forget();
  const before = at('http://p.test/v1/a', { why: 'the proxy has not received the world’s policy yet' });
  isWhole(t, await ask(before.target), 'policy-unreadable', before);
});

const noGuest = noCurl || (await cannotRunNatively()) || (await lacks('perl'));
const inWorld: readonly RuleName[] = [
  'guest-upgrade',
  'guest-http2',
  'guest-inspected',
  'guest-private',
  'native-direct',
  'persist-undeclared',
  'read-undeclared',
  'mount-outside-world',
  'read-invalid',
];
if (noGuest !== false) for (const rule of inWorld) skipped.add(rule);

t.test('[7.2] a guest on a network of its own, and images that run natively', { skip: noGuest }, async t => {
  const worlds = await openWorlds();
  t.teardown(worlds.remove);
  const network = { egress: ['http://p.test', 'https://q.test/v1/'], writes: ['http://p.test'] };
  const folder = await worlds.make('rules', { runtime: { network } });
  await using place = await openGuestMachine();
  const guestPort = 8899;
  const up = ['world', 'up', '--json', '--host', MACHINE, '--guest-port', String(guestPort)];
  await using world = await startWords(folder, [...place.machine, ...wrldWords(...up)]);
  const docs = world.up.baseUrl;
  await guests(t, {
    place,
    folder,
    docs,
    proxy: Object.assign(new URL(world.up.proxyUrl), { port: guestPort }),
    ca: world.up.caFile,
  });
  await images(t, { place, folder, docs });
  t.equal(world.err(), '');
});

type GuestWorld = {
  readonly place: GuestMachine;
  readonly folder: string;
  readonly docs: string;
  readonly proxy: URL;
  readonly ca: string;
};

async function guests(t: Test, { place, folder, docs, proxy, ca }: GuestWorld): Promise<void> {
  const words = [...place.guest, 'curl', '-sS', '-m', '20', '--cacert', ca, '-x', proxy.href];
  const ask = async (...args: readonly string[]): Promise<string> =>
    (await command([...words, ...args], folder)).out;
  t.match(await ask('-u', 'sk_test_x:', 'https://api.stripe.com/v1/customers'), /"object": "list"/, 'a twin');
  const whole = (record: unknown, rule: RuleName, about: About): void =>
    isWhole(t, record, rule, about, {}, docs);
  const plain = { target: 'http://p.test/a', method: 'GET', host: 'p.test' };
  const upgrade = ['-H', 'Connection: Upgrade', '-H', 'Upgrade: websocket'];
  whole(recordOf(await ask(...upgrade, plain.target)), 'guest-upgrade', plain);
  whole(recordOf(await ask('https://q.test/v1/a')), 'guest-inspected', {
    target: 'q.test:443',
    host: 'q.test',
  });
  const own = { target: `http://${MACHINE}:22/`, method: 'GET', host: MACHINE };
  whole(recordOf(await ask(own.target)), 'guest-private', own);
  // HTTP/2 in a tunnel and without TLS: its client reads no answer of ours, and the world has the record.
  await ask('-p', '--http2-prior-knowledge', 'http://p.test/a');
  const list = `${docs}/-/acme/shop/refusals`;
  const token = `Authorization: Bearer ${proxy.password}`;
  for (let record: RefusalRecord | undefined; ; ) {
    const { out } = await command([...place.machine, 'curl', '-sS', '-H', token, list], folder);
    const { refusals } = JSON.parse(out) as {
      readonly refusals: readonly { readonly record: RefusalRecord }[];
    };
    record = refusals[0]?.record;
    // The proxy tells the world beside answering.
    if (record?.rule === 'guest-private') continue;
    whole(record, 'guest-http2', { target: 'p.test:80', host: 'p.test' });
    break;
  }
}

async function images(
  t: Test,
  { place, folder, docs }: Pick<GuestWorld, 'place' | 'folder' | 'docs'>,
): Promise<void> {
  const declaredBy = (capability: string, line: number) => ({ capability, file: 'Dockerfile', line });
  const other = await mkdtemp(join(tmpdir(), 'wrld-other-'));
  t.teardown(() => rm(other, { recursive: true }));
  const unreadable = ['/app/none.json', '/app/garbled.json', '/app/other.json', '/app'];
  await writeFiles(other, { 'mine.txt': 'x' });
  await writeFiles(folder, {
    Dockerfile: 'FROM node:26\nWORKDIR /app\nCOPY app .\nVOLUME /kept\n',
    'app/garbled.json': '{"kind":',
    'app/other.json': JSON.stringify({
      kind: 'wrld-world-declaration',
      version: 1,
      world: 'http://127.0.0.1:1/a/b',
    }),
    'app/main.cjs': `
      const { readFileSync, mkdirSync, writeFileSync } = require('node:fs');
      const { execFileSync } = require('node:child_process');
      try { readFileSync('${other}/mine.txt') } catch {}
      mkdirSync('/srv/mine', { recursive: true }); writeFileSync('/srv/mine/a', 'x');
      const said = [];
      require('node:net').connect(5432, 'db.example.com').on('error', async error => {
        said.push(error.worldRefusal);
        for (const name of ['WRLD_WORLD_DECLARATION', 'WRLD_WORLD_NETWORK_POLICY'])
          for (const file of ${JSON.stringify(unreadable)})
            said.push(JSON.parse(execFileSync(process.execPath, ['/app/ask.cjs'], { env: { ...process.env, [name]: file } })));
        console.log(JSON.stringify(said));
      });`,
    'app/ask.cjs': `fetch('https://example.com/').catch(e => console.log(JSON.stringify(e.worldRefusal ?? e.cause.worldRefusal)))`,
  });
  const ran = await command(
    [...place.machine, ...imageWords('--refusals', 'records.jsonl', '--', 'node', 'main.cjs')],
    folder,
  );
  t.equal(ran.code, 0, ran.err);
  const [direct, ...policies] = JSON.parse(ran.out) as readonly unknown[];
  const database = { target: 'db.example.com:5432' };
  isWhole(t, direct, 'native-direct', database, {}, docs);
  t.equal(
    policies.length,
    2 * unreadable.length,
    'a file that is not there, no JSON, another world’s, a folder',
  );
  const asked = { target: 'https://example.com/', method: 'GET', host: 'example.com' };
  for (const record of policies) isWhole(t, record, 'policy-unreadable', asked, {}, docs);
  const [read, kept] = (await readFile(join(folder, 'records.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as unknown);
  isWhole(
    t,
    read,
    'read-undeclared',
    { target: `${other}/mine.txt` },
    { declaredBy: declaredBy('files.read', 1) },
    docs,
  );
  isWhole(
    t,
    kept,
    'persist-undeclared',
    { target: '/srv' },
    { declaredBy: declaredBy('files.persist', 4) },
    docs,
  );

  await writeFiles(folder, {
    'm/compose.yaml': `services:\n  a:\n    build: { dockerfile_inline: "FROM x" }\n    volumes:\n      - ${other}:/other\n      - ./here:there\n`,
  });
  const told = await command([...place.machine, ...wrldWords('image', 'declare', 'm', '--json')], folder);
  const {
    images: [image],
  } = JSON.parse(told.out) as { readonly images: readonly { readonly refusals: readonly unknown[] }[] };
  const [outside, relative] = image!.refusals;
  const by = (line: number) => ({ declaredBy: { capability: 'files.read', file: 'm/compose.yaml', line } });
  isWhole(t, outside, 'mount-outside-world', { target: other }, by(5), docs);
  isWhole(t, relative, 'read-invalid', { target: 'there' }, by(6), docs);
}

t.test('[7.2] each of them has fired: 21 of 21', async t => {
  t.equal(RULE_NAMES.length, 21);
  t.strictSame(Object.keys(RULE_TABLE).sort(), RULE_NAMES.toSorted());
  t.strictSame(
    RULE_NAMES.filter(rule => !fired.has(rule) && !skipped.has(rule)),
    [],
  );
});
