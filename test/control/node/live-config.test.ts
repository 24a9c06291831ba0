import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { loadConfig } from '../../../control/node/config-file.ts';
import { Ipc } from '../../../control/node/ipc.ts';
import { type ConfigState, LiveConfig } from '../../../control/node/live-config.ts';
import { policyOf } from '../../../control/node/policy.ts';
import { within } from '../../kit/deadline.ts';
import { noteTwin } from '../../kit/note-twin.ts';

const root = await realpath(await mkdtemp(join(tmpdir(), 'wrld-')));
t.teardown(() => rm(root, { recursive: true }));
let worlds = 0;

async function world(config: object | string, folder = join(root, `${++worlds}`)): Promise<string> {
  await mkdir(join(folder, '.wrld'), { recursive: true });
  const file = join(folder, '.wrld', 'world.json');
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config, null, 2));
  return file;
}

const network = (...egress: string[]) => ({ runtime: { network: { egress } } });

t.test('[bad config] a fault names the file, the line and what is accepted', async t => {
  const missing = await loadConfig(join(root, 'nowhere', '.wrld', 'world.json'));
  t.match(missing, { ok: false, fault: { code: 'config-missing', text: /wrld world init/ } });
  const file = await world('{\n  "name": "acme/shop",\n  "runtime": { "netwrk": {} }\n}\n');
  t.match(await loadConfig(file), {
    ok: false,
    fault: {
      code: 'config-invalid',
      file,
      text: /world\.json:3:\d+ .*netwrk.*network/s,
      problems: [{ line: 3 }],
    },
  });
});

t.test('[7.2 not-granted] a world is held to its parents, nearest first', async t => {
  const company = join(root, 'company');
  await world({ name: 'acme/company', ...network('https://a.test') }, company);
  const team = join(root, 'company-team');
  await world({ name: 'acme/team', parent: '../company', ...network('https://b.test') }, team);
  const file = await world({ name: 'acme/shop', parent: '../company-team' });
  const read = await loadConfig(file);
  t.match(read, {
    ok: true,
    loaded: { parents: [{ egress: ['https://b.test'] }, { egress: ['https://a.test'] }] },
  });

  const lost = await world('{\n  "name": "acme/shop",\n  "parent": "../gone"\n}');
  t.match(await loadConfig(lost), {
    fault: { text: /world\.json:3:\d+ {2}parent: there is no world in that folder/ },
  });
  const self = await world({ name: 'acme/shop', parent: '.' });
  t.match(await loadConfig(self), { fault: { text: /this world itself/ } });
  const bad = join(root, 'bad-parent');
  await world('{', bad);
  const under = await world({ name: 'acme/shop', parent: '../bad-parent' });
  t.match(
    await loadConfig(under),
    { fault: { file: join(bad, '.wrld', 'world.json') } },
    'the fault is in the parent’s file',
  );
});

t.test('the policy that is pushed', async t => {
  const file = await world({
    name: 'acme/shop',
    services: { note: { twin: './note.ts' }, db: { address: '127.0.0.1:5432' } },
    runtime: {
      network: { egress: ['https://e.test'], writes: ['https://e.test/w/'], ownLoopback: false },
      extraHosts: { 'pin.test': '127.0.0.1' },
      app: { hosts: ['shop.test'], upstream: 'http://127.0.0.1:3000' },
    },
  });
  const read = await loadConfig(file);
  if (!read.ok) throw new Error(read.fault.text);
  const { manifest } = noteTwin().twin;
  const parts = {
    loaded: read.loaded,
    world: 'acme/shop',
    twins: [
      {
        id: 'note',
        manifest: {
          ...manifest,
          hosts: [{ host: 'n.test', paths: ['/a/', '/b/'] }],
          endpointEnv: { N_URL: '/a' },
          stream: { id: 'tcp', env: [], hosts: [{ host: 'n.test', port: 25 }] },
        },
      },
      {
        id: 'gone',
        manifest: { ...manifest, stream: { id: 'x', env: [], hosts: [{ host: 'x', port: 1 }] } },
      },
    ],
    docsUrl: 'http://127.0.0.1:4000',
    sandbox: false,
    endpoints: ['127.0.0.1:4000'],
    runs: [],
    anonymousRuns: true,
  };
  t.match(policyOf(parts), {
    network: { egress: ['https://e.test'], writes: ['https://e.test/w/'], ownLoopback: false },
    services: [{ name: 'db', host: '127.0.0.1', port: 5432 }],
    extraHosts: { 'pin.test': '127.0.0.1' },
    app: { hosts: ['shop.test'], upstream: 'http://127.0.0.1:3000' },
  });
  t.strictSame(
    policyOf(parts).routes,
    [
      { host: 'n.test', path: '/a/', vendor: 'note', endpointVariable: 'NOTE_TWIN_URL' },
      { host: 'n.test', path: '/b/', vendor: 'note', endpointVariable: 'NOTE_TWIN_URL' },
    ],
    'a twin that the config no longer names has no host',
  );
  t.strictSame(policyOf(parts).streams, [{ host: 'n.test', port: 25, vendor: 'note', stream: 'tcp' }]);
  const sealed = policyOf({ ...parts, sandbox: true });
  t.strictSame(
    sealed.network,
    { egress: [], writes: [], passthrough: [], ownLoopback: false },
    '[7.2 sealed]',
  );
});

t.test('an edit is in force when it is saved; a bad one changes nothing and is told', async t => {
  const file = await world({ name: 'acme/shop', ...network('https://one.test') });
  const read = await loadConfig(file);
  if (!read.ok) throw new Error(read.fault.text);
  const logged: string[] = [];
  const say = (_fields: object, message: string): void => void logged.push(message);
  const log = { debug: say, info: say, warn: say, error: say };
  await using ipc = await Ipc.listen({ path: join(root, 'ipc.sock'), epoch: 'e', log });
  let changed = Promise.withResolvers<ConfigState>();
  using live = new LiveConfig({ loaded: read.loaded, log });
  const next = (what: string): Promise<ConfigState> => within(what, changed.promise);
  const grants = (origin: string) =>
    live.snapshot.layers[0].find('https', origin as never, 443) !== undefined;
  await live.refresh();
  t.notOk(grants('one.test'), 'nothing is let out before the start');
  t.equal(ipc.version, 0);
  await live.start({
    policyOf: loaded =>
      policyOf({
        loaded,
        world: 'acme/shop',
        twins: [],
        docsUrl: 'http://127.0.0.1:4000',
        sandbox: false,
        endpoints: [],
        runs: [],
        anonymousRuns: true,
      }),
    ipc,
    onChange: state => {
      changed.resolve(state);
      changed = Promise.withResolvers();
    },
  });
  t.ok(grants('one.test'));
  t.equal(ipc.version, 1);

  const good = next('the good edit');
  await writeFile(file, JSON.stringify({ name: 'acme/shop', ...network('https://two.test') }));
  t.match(await good, { fault: null, atRestart: [] });
  t.ok(grants('two.test') && !grants('one.test'));
  t.equal(ipc.version, 2);

  const bad = next('the bad edit');
  await writeFile(
    file,
    '{\n "name": "acme/shop",\n "runtime": { "network": { "egress": ["https://*.test"] } }\n}',
  );
  t.match((await bad).fault, /world\.json:3:/);
  t.ok(grants('two.test'), 'the last good one stays');
  t.equal(ipc.version, 2);
  t.match(logged.at(-1), /last good one stays in force:\n.*world\.json:3:/s);

  const replaced = next('an editor that replaces the file');
  await writeFile(`${file}.new`, JSON.stringify({ name: 'acme/shop', ...network('https://three.test') }));
  await rename(`${file}.new`, file);
  t.match(await replaced, { fault: null });
  t.ok(grants('three.test'));

  const twin = next('a twin for the next start');
  await writeFile(
    file,
    JSON.stringify({
      name: 'acme/other',
      services: { stripe: { twin: 'stripe' } },
      ...network('https://three.test'),
    }),
  );
  const state = await twin;
  t.strictSame(state.atRestart, ['the world is named acme/other', 'the twin stripe starts']);
  t.equal(ipc.version, 3, 'what changes no policy is not pushed');

  const gone = next('a file that is gone');
  await rm(file);
  t.match((await gone).fault, /is not there/);
  t.ok(grants('three.test'));
});
