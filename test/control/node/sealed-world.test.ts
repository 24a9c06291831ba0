// A world as a user runs it, with a real vendor behind a link: what is sealed works after a restart, and nothing of it is to
// be found anywhere that was written.
import { once } from 'node:events';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { openWorlds, startWords, wrldWords } from '../../kit/command-line.ts';
import { openStandInVault } from '../../kit/stand-in-vault.ts';
import { createTestAuthority } from '../../kit/test-ca.ts';

const CREDENTIAL = 'sk_live_that_nobody_may_see';
const SIGNING = 'whsec_that_nobody_may_see';

type Up = { readonly worldUrl: string; readonly baseUrl: string };

const worlds = await openWorlds();
t.teardown(() => worlds.remove());
const authority = await createTestAuthority();
const caFile = join(worlds.root, 'vendor-ca.pem');
await writeFile(caFile, authority.pem);
const seen: (string | undefined)[] = [];
const vendor = createServer(await authority.leaf(['maps.test']), async (request, response) => {
  seen.push(request.headers.authorization);
  response.end(await text(request));
});
vendor.listen(0, '127.0.0.1');
await once(vendor, 'listening');
t.teardown(() => void vendor.close());
const { port } = vendor.address() as AddressInfo;

const start = (folder: string, env: readonly string[] = []) =>
  startWords<Up>(folder, [
    'env',
    `NODE_EXTRA_CA_CERTS=${caFile}`,
    ...env,
    ...wrldWords('world', 'up', '--json'),
  ]);

const asker = async (folder: string, { worldUrl, baseUrl }: Up) => {
  const [token = ''] = (await readFile(join(folder, '.wrld', 'token'), 'utf8')).split('\n');
  const name = new URL(worldUrl).pathname;
  return async (method: string, path: string, body?: unknown) => {
    const url = path.startsWith('/') ? `${worldUrl}${path}` : `${baseUrl}/-${name}/${path}`;
    const answer = await fetch(url, {
      method,
      headers: { 'x-wrld-token': token },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
};

/** Every file of the folder, the store and its log among them, as bytes. */
const written = async (folder: string): Promise<readonly (readonly [file: string, bytes: Buffer])[]> => {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    files
      .filter(file => file.isFile())
      .map(async file => [file.name, await readFile(join(file.parentPath, file.name))] as const),
  );
};

const forms = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('base64').slice(0, -4), bytes.toString('hex'), bytes.toString('utf16le')];
};

const config = { runtime: { extraHosts: { 'maps.test': '127.0.0.1' } } };
const origin = `https://maps.test:${port}`;
const body = { headers: { Authorization: `Bearer ${CREDENTIAL}` }, signingSecret: SIGNING };

t.test('[2.9] [security 52] a credential outlives the process, and is nowhere to be read', async t => {
  const folder = await worlds.make('sealed', config);
  const said: string[] = [];
  {
    await using running = await start(folder);
    const ask = await asker(folder, running.up);
    t.equal((await ask('PUT', 'links/maps', { origin })).status, 200);
    t.equal((await ask('GET', '/maps/early')).status, 409, 'nothing is sealed yet');
    const put = await ask('PUT', 'twins/maps/credential', body);
    t.match(put, { status: 200, text: /"sealedBy":"key"/ });
    t.match(await ask('POST', '/maps/v1/places', 'hello'), { status: 200, text: 'hello' });
    t.strictSame(seen.splice(0), [`Bearer ${CREDENTIAL}`]);
    for (const bad of [
      { credential: `${CREDENTIAL}\n` },
      { ...body, more: SIGNING },
      [CREDENTIAL],
      CREDENTIAL,
    ])
      said.push((await ask('PUT', 'twins/maps/credential', bad)).text);
    for (const path of [
      'twins',
      'twins/maps/credential',
      'links',
      'requests',
      'timeline',
      'twins/stripe/status',
    ])
      said.push((await ask('GET', path)).text);
    said.push((await ask('POST', 'credentials/rewrap')).text);
    t.match(said.at(-1), /host-key/);
    running.process.kill('SIGABRT');
    await once(running.process, 'exit');
    said.push(running.err());
  }
  const key = join(folder, '.wrld', 'seal.key');
  t.equal((await stat(key)).mode & 0o777, 0o600);
  const sealing = (await readFile(key, 'utf8')).trim();
  {
    await using running = await start(folder);
    const ask = await asker(folder, running.up);
    t.equal((await ask('GET', '/maps/again')).status, 200, 'the key is the same after a restart');
    t.strictSame(seen.splice(0), [`Bearer ${CREDENTIAL}`]);
    said.push(running.err());
    await rm(key);
  }
  {
    await using running = await start(folder);
    const ask = await asker(folder, running.up);
    const lost = await ask('GET', '/maps/again');
    t.match(lost, { status: 409, text: /wrld world credential set maps/ }, 'and without it nothing opens');
    t.strictSame(seen, []);
    said.push(running.err(), lost.text);
  }
  const files = [...(await written(folder)), ['what was said', Buffer.from(said.join('\n'))] as const];
  t.ok(files.some(([name]) => name === 'world.db'));
  for (const secret of [CREDENTIAL, SIGNING, sealing])
    for (const form of forms(secret))
      t.strictSame(
        files.filter(([, bytes]) => bytes.includes(form)).map(([name]) => name),
        [],
        'nothing of it was written',
      );
});

t.test(
  '[4.11-2] [4.11-3] with a vault: it takes over what the host’s key sealed, and its token is written nowhere',
  async t => {
    await using vault = await openStandInVault();
    vault.key('transit/wrld-fingerprint');
    const folder = await worlds.make('vaulted', config);
    {
      await using running = await start(folder);
      const ask = await asker(folder, running.up);
      await ask('PUT', 'links/maps', { origin });
      await ask('PUT', 'twins/maps/credential', body);
    }
    const said: string[] = [];
    {
      const env = [`VAULT_ADDR=${vault.address}`, `VAULT_TOKEN=${vault.token}`, 'VAULT_TRANSIT_KEY=wrld'];
      await using running = await start(folder, env);
      const ask = await asker(folder, running.up);
      t.match((await ask('GET', 'twins/maps/credential')).text, /"sealedBy":"key"/);
      t.equal((await ask('GET', '/maps/a')).status, 200);
      t.match((await ask('GET', 'twins/maps/credential')).text, /"sealedBy":"vault"/);
      vault.rotate('transit/wrld-org-acme');
      t.match((await ask('POST', 'credentials/rewrap')).text, /"rewrapped":1,"current":0,"left":\[\]/);
      t.match((await ask('POST', 'credentials/rewrap')).text, /"rewrapped":0,"current":1,"left":\[\]/);
      vault.failing = 503;
      const away = await ask('GET', '/maps/a');
      t.match(away, { status: 503, text: /"code":"vault-away"/ });
      said.push(away.text);
      await running.said(/the vault is sealed/);
      vault.failing = null;
      t.equal((await ask('GET', '/maps/a')).status, 200);
      said.push(running.err());
    }
    const files = [...(await written(folder)), ['what was said', Buffer.from(said.join('\n'))] as const];
    for (const secret of [CREDENTIAL, SIGNING, vault.token])
      for (const form of forms(secret))
        t.strictSame(
          files.filter(([, bytes]) => bytes.includes(form)).map(([name]) => name),
          [],
        );
  },
);

t.test('[7.2 sealed] a sandbox forwards nothing', async t => {
  const folder = await worlds.make('sandbox', config);
  await using running = await startWords<Up>(folder, [
    'env',
    `NODE_EXTRA_CA_CERTS=${caFile}`,
    ...wrldWords('world', 'up', '--json', '--sandbox'),
  ]);
  const ask = await asker(folder, running.up);
  await ask('PUT', 'links/maps', { origin });
  await ask('PUT', 'twins/maps/credential', body);
  seen.length = 0;
  t.match(await ask('GET', '/maps/a'), { status: 502, text: /"code":"refused","message":"sealed: / });
  t.strictSame(seen, []);
});
