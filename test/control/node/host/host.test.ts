// A host and its directory (4.10): what is found there, what is left alone, what opens and closes by itself.
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { serveControl } from '../../../../control/node/control.ts';
import { ControlError } from '../../../../control/node/control-error.ts';
import type { Looking } from '../../../../control/node/host/directory.ts';
import type { RunningHost } from '../../../../control/node/host/host.ts';
import { FOLDERS_PER_TURN } from '../../../../control/node/host/limits.ts';
import { openLog } from '../../../../control/node/log.ts';
import { within } from '../../../kit/deadline.ts';
import { askHost, bareWorld, hostDirectory, startHostQuietly } from '../../../kit/many-worlds.ts';

type Place = { readonly token: string };

const form = { 'content-type': 'application/x-www-form-urlencoded' };

const customer = (host: RunningHost, name: string, { token }: Place) =>
  askHost(host, 'POST', `/${name}/stripe/v1/customers`, { token, headers: form, body: 'email=a@acme.test' });

async function customers(host: RunningHost, name: string, { token }: Place): Promise<number> {
  const answer = await askHost(host, 'GET', `/${name}/stripe/v1/customers`, { token });
  return answer.json.data.length;
}

/** The names that a host tells, once they are these. */
async function named(host: RunningHost, names: readonly string[]): Promise<void> {
  const look = async (): Promise<void> => {
    while (JSON.stringify((await askHost(host, 'GET', '/-/ping')).json.worlds) !== JSON.stringify(names))
      await pause(10);
  };
  await within(`the host to tell ${names.join(', ') || 'none'}`, look());
}

/** Lines of a log. */
function kept(): { readonly lines: Record<string, unknown>[]; readonly log: ReturnType<typeof openLog> } {
  const lines: Record<string, unknown>[] = [];
  return { lines, log: openLog('info', { write: line => void lines.push(JSON.parse(line)) }) };
}

async function refusal(started: Promise<RunningHost>): Promise<ControlError> {
  try {
    await using _ = await started;
  } catch (error) {
    if (error instanceof ControlError) return error;
    throw error;
  }
  throw new Error('it started');
}

t.test('[4.10] while a host opens its directory it tells how far it is, here and there', async t => {
  const directory = await hostDirectory(t);
  const config = JSON.stringify({ services: {} });
  const count = 2 * FOLDERS_PER_TURN + 1;
  for (let world = 0; world < count; world++) {
    mkdirSync(join(directory, `acme/w${world}/.wrld`), { recursive: true });
    writeFileSync(join(directory, `acme/w${world}/.wrld/world.json`), config);
  }
  for (const shards of [undefined, { count: 2, logLevel: 'silent' } as const]) {
    const told: Looking[] = [];
    const looking = (each: Looking) => void told.push(each);
    await using host = await startHostQuietly(directory, { looking, ...(shards && { shards }) });
    t.equal(host.names().length, count);
    t.strictSame(told.at(-1), { found: count, known: count });
    t.ok(
      told.some(({ found, known }) => found > 0 && found < count && known === 0),
      'while it finds them',
    );
    t.ok(
      told.some(({ found, known }) => known > 0 && known < found),
      'while it comes to know them',
    );
    for (const [at, { found, known }] of told.entries())
      if (at > 0) t.ok(found >= told[at - 1]!.found && known >= told[at - 1]!.known, 'never back');
    const then = told.length;
    mkdirSync(join(directory, 'acme/late/.wrld'), { recursive: true });
    writeFileSync(join(directory, 'acme/late/.wrld/world.json'), config);
    await named(host, [...host.names(), 'acme/late'].sort());
    t.equal(told.length, then, 'and no more when it is up');
    rmSync(join(directory, 'acme/late'), { recursive: true });
  }
});

t.test(
  '[4.10] worlds are found at the start and when they appear, and are gone with their folder',
  async t => {
    const directory = await hostDirectory(t);
    const shop = await bareWorld(directory, 'acme/shop');
    await using host = await startHostQuietly(directory);
    t.strictSame(host.names(), ['acme/shop']);
    const crm = await bareWorld(directory, 'other/crm', ['smtp']);
    await named(host, ['acme/shop', 'other/crm']);
    t.match(await askHost(host, 'GET', '/-/other/crm/map', crm), { status: 200 });
    const second = await bareWorld(directory, 'other/second', []);
    await named(host, ['acme/shop', 'other/crm', 'other/second']);
    t.match(await askHost(host, 'GET', '/-/other/second/map', second), { status: 200, json: { twins: [] } });
    t.match(await customer(host, 'acme/shop', shop), { status: 200 });
    rmSync(join(directory, 'other', 'crm'), { recursive: true });
    await named(host, ['acme/shop', 'other/second']);
    t.match(await askHost(host, 'GET', '/-/other/crm/map', crm), { status: 404 });
    t.equal(await customers(host, 'acme/shop', shop), 1);
  },
);

t.test('[4.10] foreign files are named and left alone; a name that no world may have is refused', async t => {
  const directory = await hostDirectory(t);
  await bareWorld(directory, 'acme/shop');
  writeFileSync(join(directory, 'notes.txt'), 'mine');
  mkdirSync(join(directory, 'acme', 'drafts'));
  writeFileSync(join(directory, 'acme', 'readme'), 'mine');
  symlinkSync(join(directory, 'acme', 'shop'), join(directory, 'acme', 'linked'));
  cpSync(join(directory, 'acme', 'shop'), join(directory, 'acme', 'console'), { recursive: true });
  cpSync(join(directory, 'acme', 'shop'), join(directory, 'acme', 'x'.repeat(60)), { recursive: true });
  mkdirSync(join(directory, '.git'));
  const { lines, log } = kept();
  await using host = await startHostQuietly(directory, { log });
  t.strictSame(host.names(), ['acme/shop']);
  const told = Object.fromEntries(
    lines.filter(({ path }) => path !== undefined).map(({ path, why }) => [path, String(why)]),
  );
  t.strictSame(Object.keys(told).sort(), [
    'acme/console',
    'acme/drafts',
    'acme/linked',
    'acme/readme',
    `acme/${'x'.repeat(60)}`,
    'notes.txt',
  ]);
  t.match(told['acme/console'], /need “console” for themselves/);
  t.match(told['acme/drafts'], /no \.wrld\/world\.json; wrld world init --bare/);
  t.match(told['acme/linked'], /a link/);
  t.match(told[`acme/${'x'.repeat(60)}`], /longer than 61/);
  const token = host.adminToken.secret.reveal();
  const body = { org: 'acme', world: 'drafts', vendors: [] };
  const made = await askHost(host, 'POST', '/-/worlds', { token, body });
  t.equal(made.status, 201, 'an empty folder is in nobody’s way');
  const onFile = await askHost(host, 'POST', '/-/worlds', { token, body: { ...body, world: 'readme' } });
  t.match(onFile, { status: 409, json: { error: { code: 'taken' } } });
  t.equal(readFileSync(join(directory, 'acme', 'readme'), 'utf8'), 'mine');
});

t.test('[4.10] the admin token is minted once, for this user alone, or is the environment’s', async t => {
  const directory = await hostDirectory(t);
  const file = join(directory, '.wrld-host', 'admin-token');
  let first: string;
  {
    await using host = await startHostQuietly(directory);
    first = host.adminToken.secret.reveal();
    t.match(first, /^tok_a_[A-Za-z0-9_-]{43}$/);
    t.ok(host.adminToken.minted);
    t.equal(readFileSync(file, 'utf8'), `${first}\n`);
    t.equal(statSync(file).mode & 0o777, 0o600);
    t.equal(statSync(join(directory, '.wrld-host')).mode & 0o777, 0o700);
  }
  {
    await using host = await startHostQuietly(directory);
    t.match(host.adminToken, { minted: false });
    t.equal(host.adminToken.secret.reveal(), first);
  }
  {
    const given = 'of-the-environment-0123456789';
    await using host = await startHostQuietly(directory, { adminToken: given });
    t.match(await askHost(host, 'GET', '/-/vendors', { token: given }), { status: 200 });
    t.match(await askHost(host, 'GET', '/-/vendors', { token: first }), { status: 401 });
    t.equal(readFileSync(file, 'utf8'), `${first}\n`, 'and is kept nowhere');
  }
  for (const adminToken of ['short', `tok_w_${'x'.repeat(43)}`, 'with a space in the middle of it'])
    t.match(await refusal(startHostQuietly(directory, { adminToken })), { code: 'admin-token-unusable' });
  writeFileSync(file, 'damaged');
  t.match(await refusal(startHostQuietly(directory)), { code: 'admin-token-unusable', message: /remove it/ });
  rmSync(file);
  t.match(await refusal(startHostQuietly(directory, { suffix: 'worlds.example.com' })), {
    code: 'suffix-unusable',
  });
});

t.test('[4.10] the second host of a directory is told whose it is', async t => {
  const directory = await hostDirectory(t);
  await using _ = await startHostQuietly(directory);
  t.match(await refusal(startHostQuietly(directory)), {
    code: 'already-running',
    message: new RegExp(`has a host already, process ${process.pid};`),
  });
});

t.test('[4.10] a world that cannot be opened says so, and the others go on', async t => {
  const directory = await hostDirectory(t);
  const shop = await bareWorld(directory, 'acme/shop');
  const newer = await bareWorld(directory, 'acme/newer');
  const bad = await bareWorld(directory, 'acme/bad');
  const renamed = await bareWorld(directory, 'acme/renamed');
  const elsewhere = await bareWorld(directory, 'acme/elsewhere');
  const store = new DatabaseSync(join(directory, 'acme/newer/.wrld/world/world.db'));
  store.exec("UPDATE meta SET v = '9999' WHERE k = 'schema'");
  store.close();
  writeFileSync(join(directory, 'acme/bad/.wrld/world.json'), '{ "nmae": 1 }');
  writeFileSync(join(directory, 'acme/renamed/.wrld/world.json'), '{ "name": "acme/shop" }');
  await using _ = await serveControl({
    folder: join(directory, 'acme/elsewhere'),
    host: '127.0.0.1',
    port: 0,
    log: openLog('silent'),
  });
  await using host = await startHostQuietly(directory);
  const token = host.adminToken.secret.reveal();
  for (const [name, place, told] of [
    ['acme/newer', newer, /schema version 9999; .*Use the newer program/],
    ['acme/bad', bad, /log and its inventory say why/],
    ['acme/renamed', renamed, /log and its inventory say why/],
    ['acme/elsewhere', elsewhere, /another process of this machine/],
  ] as const) {
    const answer = await askHost(host, 'GET', `/-/${name}/map`, place);
    t.match(answer, { status: 503, json: { error: { code: 'world-unusable', message: told } } }, name);
    t.ok(answer.headers['retry-after']);
    t.notMatch(answer.text, directory, 'where it is, is nobody’s business');
    t.match(await askHost(host, 'POST', `/-/worlds/${name}/rotate`, { token }), { status: 503 });
  }
  t.match(await customer(host, 'acme/shop', shop), { status: 200 });
  const { worlds } = (await askHost(host, 'GET', '/-/worlds', { token })).json;
  const fault = (name: string): string => worlds.find((row: { name: string }) => row.name === name).fault;
  t.match(fault('acme/newer'), /9999/);
  t.match(fault('acme/bad'), /world\.json:1.*nmae/s);
  t.match(fault('acme/renamed'), /the folder says acme\/renamed/);
  t.match(fault('acme/elsewhere'), new RegExp(`process ${process.pid}`));
  t.equal(fault('acme/shop'), undefined);
  t.match(await askHost(host, 'DELETE', '/-/worlds/acme/elsewhere', { token }), { status: 409 });
  t.ok(existsSync(join(directory, 'acme/elsewhere/.wrld/world/world.db')));
  t.match(await askHost(host, 'DELETE', '/-/worlds/acme/bad', { token }), { status: 204 });
  // Mended, it opens with the next request.
  writeFileSync(join(directory, 'acme/renamed/.wrld/world.json'), '{ "name": "acme/renamed" }');
  t.match(await askHost(host, 'GET', '/-/acme/renamed/map', renamed), { status: 200 });
});

/** Worlds whose stores this process has open. */
function openStores(directory: string): string[] {
  const open = new Set<string>();
  for (const descriptor of readdirSync('/proc/self/fd')) {
    try {
      const file = readlinkSync(`/proc/self/fd/${descriptor}`);
      if (file.startsWith(directory) && file.endsWith('world.db')) open.add(file.slice(directory.length + 1));
    } catch {
      // Closed while we look.
    }
  }
  return [...open];
}

const skip = existsSync('/proc/self/fd') ? false : 'this system does not list descriptors';

t.test('worlds open when they are asked, few at once, and close when nobody asks', { skip }, async t => {
  const directory = await hostDirectory(t);
  const places = [];
  for (let n = 0; n < 12; n++) places.push([`acme/w${n}`, await bareWorld(directory, `acme/w${n}`)] as const);
  await using host = await startHostQuietly(directory, { limits: { openMax: 3, idleMs: 60_000 } });
  t.strictSame(openStores(directory), [], 'a start opens none');
  for (const [name, place] of places) t.equal((await customer(host, name, place)).status, 200);
  const few = async (most: number): Promise<void> => {
    while (openStores(directory).length > most) await pause(5);
  };
  await within('no more than three to be open', few(3));
  const all = await Promise.all(places.map(([name, place]) => customers(host, name, place)));
  t.strictSame(
    all,
    places.map(() => 1),
    'all at once, each has what it had',
  );
  await within('no more than three to be open', few(3));
  await host.close();
  t.strictSame(openStores(directory), []);
  await using idle = await startHostQuietly(directory, { limits: { idleMs: 50 } });
  t.equal(await customers(idle, ...places[0]!), 1);
  await within('it to be closed', few(0));
  t.match(await askHost(idle, 'GET', '/-/health'), { json: { worlds: 12, open: 0 } });
});

t.test('a request whose body comes after its world was closed is answered', { skip }, async t => {
  const directory = await hostDirectory(t);
  const shop = await bareWorld(directory, 'acme/shop');
  await using host = await startHostQuietly(directory, { limits: { idleMs: 50 } });
  const outgoing = request(`${host.baseUrl}/acme/shop/stripe/v1/customers`, {
    method: 'POST',
    headers: { ...form, authorization: `Bearer ${shop.token}`, 'content-length': '17' },
  });
  outgoing.write('email=a@');
  const closed = async (): Promise<void> => {
    while (openStores(directory).length === 0) await pause(5);
    while (openStores(directory).length > 0) await pause(5);
  };
  await within('it to be opened, and closed', closed());
  outgoing.end('acme.test');
  const [response] = await within('an answer', once(outgoing, 'response'));
  t.equal(response.statusCode, 200);
  response.resume();
  t.equal(await customers(host, 'acme/shop', shop), 1);
});

t.test('[4.9, 4.10] branches are worlds of the host, and hold the world that they left', async t => {
  const directory = await hostDirectory(t);
  const shop = await bareWorld(directory, 'acme/shop');
  let branch: { readonly name: string; readonly token: string; readonly readToken: string };
  {
    await using host = await startHostQuietly(directory);
    await customer(host, 'acme/shop', shop);
    const made = await askHost(host, 'POST', '/-/acme/shop/branches', {
      token: shop.token,
      body: { label: 'try' },
    });
    t.equal(made.status, 201);
    branch = made.json;
  }
  await using host = await startHostQuietly(directory, { limits: { idleMs: 100 } });
  const token = host.adminToken.secret.reveal();
  t.strictSame(host.names(), ['acme/shop', branch.name], 'known without opening either');
  t.equal(await customers(host, branch.name, branch), 1, 'it reads what its parent had');
  const { worlds } = (await askHost(host, 'GET', '/-/worlds', { token })).json;
  t.match(worlds[1], { name: branch.name, token: branch.token, readToken: branch.readToken });
  t.match(await askHost(host, 'PUT', `/-/worlds/${branch.name}/owner`, { token, body: { owner: 'acme' } }), {
    status: 409,
  });
  t.match(await askHost(host, 'DELETE', '/-/worlds/acme/shop', { token }), {
    status: 409,
    json: { error: { code: 'has-branches' } },
  });
  t.equal(await customers(host, 'acme/shop', shop), 1, 'it is as it was');
  const body = { org: 'acme', world: branch.name.slice('acme/'.length), vendors: [] };
  t.match(await askHost(host, 'POST', '/-/worlds', { token, body }), { status: 409 });
  t.match(await askHost(host, 'DELETE', `/-/worlds/${branch.name}`, { token }), { status: 204 });
  t.match(await askHost(host, 'GET', `/-/${branch.name}/map`, branch), { status: 404 });
  t.match(await askHost(host, 'DELETE', '/-/worlds/acme/shop', { token }), { status: 204 });
  t.strictSame(readdirSync(directory), ['.wrld-host']);
});

t.test('a rotation by the world’s own endpoint is in the inventory, open or closed', { skip }, async t => {
  const directory = await hostDirectory(t);
  const shop = await bareWorld(directory, 'acme/shop');
  await using host = await startHostQuietly(directory, { limits: { idleMs: 50 } });
  const token = host.adminToken.secret.reveal();
  const row = async () => (await askHost(host, 'GET', '/-/worlds', { token })).json.worlds[0];
  t.equal((await row()).token, shop.token);
  const { json } = await askHost(host, 'POST', '/-/acme/shop/rotate', shop);
  t.equal((await row()).token, json.token);
  const closed = async (): Promise<void> => {
    while (openStores(directory).length > 0) await pause(5);
  };
  await within('it to be closed', closed());
  t.equal((await row()).token, json.token);
});

t.test('[2.13] the inventory tells the roots of a world that nobody opened since the start', async t => {
  const directory = await hostDirectory(t);
  const shop = await bareWorld(directory, 'acme/shop', ['stripe', 'smtp']);
  const told = async (host: RunningHost) => {
    const token = host.adminToken.secret.reveal();
    return (await askHost(host, 'GET', '/-/worlds', { token })).json.worlds[0].twins;
  };
  const root = { url: 'https://vendor.test', deploy: 'manual', refresh: { every: null } };
  let before: unknown;
  {
    await using host = await startHostQuietly(directory);
    await askHost(host, 'PUT', '/-/acme/shop/twins/stripe/root', { ...shop, body: root });
    before = await told(host);
    t.match(before, [
      { vendor: 'smtp', root: null },
      { vendor: 'stripe', root },
    ]);
  }
  await using host = await startHostQuietly(directory);
  const kept = async (): Promise<void> => {
    while (JSON.stringify(await told(host)) !== JSON.stringify(before)) await pause(10);
  };
  await within('what was noted of it to be read', kept());
  t.match(await askHost(host, 'GET', '/-/health'), { json: { open: 0 } }, 'without opening it');
});

t.test(
  '[2.13] the inventory tells a branch’s own roots, and not those of its parent, open or closed',
  { skip },
  async t => {
    const directory = await hostDirectory(t);
    const shop = await bareWorld(directory, 'acme/shop');
    const root = { url: 'https://vendor.test', deploy: 'manual', refresh: { every: null } };
    await using host = await startHostQuietly(directory, { limits: { idleMs: 50 } });
    const token = host.adminToken.secret.reveal();
    const told = async () =>
      (await askHost(host, 'GET', '/-/worlds', { token })).json.worlds.map(
        (row: { twins: { root: unknown }[] }) => row.twins[0]!.root,
      );
    const branch = (await askHost(host, 'POST', '/-/acme/shop/branches', { ...shop, body: {} })).json;
    const closed = async (): Promise<void> => {
      while (openStores(directory).length > 0) await pause(5);
    };
    t.strictSame(await told(), [null, null]);
    const put = `/-/${branch.name}/twins/stripe/root`;
    t.match(await askHost(host, 'PUT', put, { token: branch.token, body: root }), { status: 200 });
    await within('both to be closed', closed());
    t.match(await told(), [null, root], 'changed since they were told when they were open');
    t.match(await askHost(host, 'PUT', put, { token: branch.token, body: 'null' }), { status: 200 });
    await askHost(host, 'PUT', '/-/acme/shop/twins/stripe/root', { ...shop, body: root });
    await within('both to be closed', closed());
    t.match(await told(), [root, null]);
  },
);

t.test('metrics count the answers of each world, and a world that is gone is counted no more', async t => {
  const directory = await hostDirectory(t);
  const shop = await bareWorld(directory, 'acme/shop');
  await using host = await startHostQuietly(directory);
  const token = host.adminToken.secret.reveal();
  await customers(host, 'acme/shop', shop);
  await askHost(host, 'GET', '/-/acme/shop/map');
  const metrics = async (): Promise<string> => (await askHost(host, 'GET', '/-/metrics', { token })).text;
  const text = await metrics();
  t.match(text, 'wrld_host_connections_turned_away_total 0\n');
  t.match(text, 'wrld_host_worlds 1\n');
  t.match(text, 'wrld_host_world_requests_total{world="acme/shop",class="2xx"} 1\n');
  t.match(text, 'wrld_host_world_requests_total{world="acme/shop",class="4xx"} 1\n');
  await askHost(host, 'DELETE', '/-/worlds/acme/shop', { token });
  t.notMatch(await metrics(), 'acme/shop');
});
