// Branches on this machine (2.12, 4.9): made over HTTP, served beside their world, found again by the next start, and
// gone with everything they had.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { type RunningControl, serveControl } from '../../../control/node/control.ts';
import { openLog } from '../../../control/node/log.ts';
import { openWorldFolders, startQuietly } from '../../kit/control-world.ts';
import { within } from '../../kit/deadline.ts';
import { openWire } from '../../kit/wire.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'control', 'node', 'main.ts');
const { world } = await openWorldFolders(t);
const start = startQuietly;

type Place = { readonly baseUrl: string; readonly name: string; readonly token: string };

// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test asserts.
type Answer = { readonly status: number; readonly body: any };

async function ask(place: Place, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${place.baseUrl}/-/${place.name}/${path}`, {
    method,
    headers: { 'x-wrld-token': place.token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

async function stripe(place: Place, path: string, form?: string): Promise<Answer['body']> {
  const response = await fetch(`${place.baseUrl}/${place.name}/stripe/v1/${path}`, {
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${place.token}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    ...(form === undefined ? {} : { body: form }),
  });
  return response.json();
}

const placeOf = (control: RunningControl): Place => ({
  baseUrl: control.baseUrl,
  name: 'acme/shop',
  token: control.token,
});

async function make(control: RunningControl, body: object = {}, of = placeOf(control)): Promise<Place> {
  const made = await ask(of, 'POST', 'branches', body);
  if (made.status !== 201) throw new Error(JSON.stringify(made));
  return { baseUrl: control.baseUrl, name: made.body.name, token: made.body.token };
}

/** Straight into a store that nobody has open. */
function edit(file: string, text: string, ...values: (string | number)[]): void {
  const database = new DatabaseSync(file);
  database.prepare(text).run(...values);
  database.close();
}

t.test('[4.9] a subscription of the parent renews in its branch, and the parent is as it was', async t => {
  const folder = await world();
  await using control = await start(folder);
  const shop = placeOf(control);
  await ask(shop, 'PUT', 'clock', { at: '2026-01-31T00:00:00Z' });
  const customer = await stripe(
    shop,
    'customers',
    'email=a@acme.test&payment_method=pm_card_visa&invoice_settings[default_payment_method]=pm_card_visa',
  );
  const product = await stripe(shop, 'products', 'name=Plan');
  const price = await stripe(
    shop,
    'prices',
    `product=${product.id}&currency=usd&unit_amount=1500&recurring[interval]=month`,
  );
  const subscription = await stripe(
    shop,
    'subscriptions',
    `customer=${customer.id}&items[0][price]=${price.id}`,
  );
  t.equal(subscription.status, 'active');
  const positions = (await ask(shop, 'GET', 'map')).body;
  const before = (await ask(shop, 'GET', 'checkpoint/stripe')).body;

  const branch = await make(control, { label: 'renewal', ttl: 3600 });
  t.match(branch.name, /^acme\/shop-renewal-[0-9a-f]{4}$/);
  t.match((await ask(shop, 'GET', 'branches')).body, {
    branches: [
      {
        name: branch.name,
        from: 'acme/shop',
        at: '2026-01-31T00:00:00.000Z',
        createdAt: String,
        expiresAt: String,
      },
    ],
  });
  t.strictSame((await ask(branch, 'GET', 'clock')).body, { at: '2026-01-31T00:00:00.000Z', frozen: true });
  t.strictSame((await ask(branch, 'GET', 'map')).body, positions, 'counted before anything was copied');
  t.strictSame((await ask(branch, 'GET', 'checkpoint/stripe')).body, before);
  t.equal((await ask(branch, 'POST', 'clock/advance', { by: '32d' })).status, 200);
  const renewed = await stripe(branch, `subscriptions/${subscription.id}`);
  t.ok(renewed.items.data[0].current_period_end > subscription.items.data[0].current_period_end);
  t.equal((await stripe(branch, `invoices?customer=${customer.id}`)).data.length, 2);

  t.strictSame(await stripe(shop, `subscriptions/${subscription.id}`), subscription);
  t.equal((await stripe(shop, `invoices?customer=${customer.id}`)).data.length, 1);
  t.strictSame((await ask(shop, 'GET', 'checkpoint/stripe')).body, before);
  const diff = (await ask(branch, 'GET', 'diff')).body;
  t.match(diff, { base: { id: 'acme/shop', at: '2026-01-31T00:00:00.000Z' }, next: null });
  t.equal(diff.changes[0].entry.position, positions.twins[0].position + 1, 'positions go on from the base');
  t.equal(diff.changes[0].entry.actor.type, 'system');

  t.equal((await ask({ ...branch, token: shop.token }, 'GET', 'map')).status, 401, 'its tokens are its own');
  t.equal((await ask({ ...shop, token: branch.token }, 'GET', 'map')).status, 401);
});

t.test('[4.4] states, instants and what they refuse', async t => {
  await using control = await start(await world());
  const shop = placeOf(control);
  await ask(shop, 'PUT', 'clock', { at: '2026-01-31T00:00:00Z' });
  const customer = await stripe(shop, 'customers', 'email=a@acme.test');
  await ask(shop, 'POST', 'clock/advance', { by: '1h' });
  await stripe(shop, `customers/${customer.id}`, 'email=b@acme.test');
  const { views } = (await ask(shop, 'GET', 'history?at=2026-01-31T00:30:00Z')).body;
  const then = (await ask(shop, 'GET', `checkpoint/stripe?at=${views.stripe.view}`)).body;
  t.equal(then.position, views.stripe.position);
  t.match(then.records.find(({ id }: { id: string }) => id === customer.id).body, { email: 'a@acme.test' });
  t.strictSame((await ask(shop, 'GET', `checkpoint/stripe?at=${views.stripe.position}`)).body, then);
  const now = (await ask(shop, 'GET', 'checkpoint/stripe')).body;
  t.match(now.records.find(({ id }: { id: string }) => id === customer.id).body, { email: 'b@acme.test' });
  for (const [path, status, code] of [
    ['checkpoint/stripe?at=x', 400, 'bad-position'],
    ['checkpoint/stripe?at=other@1', 400, 'bad-position'],
    ['checkpoint/stripe?at=9999', 400, 'not-yet'],
    ['checkpoint/nobody', 404, 'no-such-twin'],
    ['history?at=yesterday', 400, 'not-an-instant'],
    ['history?at=2027-01-01T00:00:00Z', 400, 'not-yet'],
    ['diff?after=x', 400, 'bad-cursor'],
  ] as const)
    t.match(await ask(shop, 'GET', path), { status, body: { error: { code } } }, path);
  const past = await make(control, { at: { instant: '2026-01-31T00:30:00Z' } });
  t.match(await stripe(past, `customers/${customer.id}`), { email: 'a@acme.test' });
  t.equal((await stripe(past, 'events')).data.length, 1);
  const log = (await ask(past, 'GET', 'log/stripe?after=0')).body;
  t.equal(log.entries.length, views.stripe.position, 'the log below the base is the parent’s');
});

t.test('[4.9] what a branch cannot be asked for', async t => {
  await using control = await start(await world());
  const shop = placeOf(control);
  for (const [body, code] of [
    [{ name: 'x' }, 'bad-body'],
    [{ at: '2026-01-31T00:00:00Z' }, 'bad-body'],
    [{ at: { instant: 'x' } }, 'not-an-instant'],
    [{ at: { instant: '2999-01-31T00:00:00Z' } }, 'not-yet'],
    [{ at: { instant: '2026-01-31T00:00:00Z' }, live: true }, 'live-is-now'],
    [{ ttl: 59 }, 'bad-body'],
    [{ ttl: 2592001 }, 'bad-body'],
    [{ ttl: '59s' }, 'bad-body'],
    [{ ttl: '31d' }, 'bad-body'],
    [{ ttl: '1 h' }, 'bad-body'],
    [{ ttl: ['1h'] }, 'bad-body'],
    [{ label: 'No Spaces' }, 'bad-label'],
    [{ label: 'x'.repeat(60) }, 'bad-label'],
    [[], 'bad-body'],
  ] as const)
    t.match(
      await ask(shop, 'POST', 'branches', body),
      { status: 400, body: { error: { code } } },
      JSON.stringify(body),
    );
  t.match(await ask(shop, 'DELETE', 'branches/acme/nobody'), { status: 404 });
  const reader = { ...shop, token: control.readToken };
  t.match(await ask(reader, 'POST', 'branches', {}), { status: 403 });
  t.strictSame((await ask(reader, 'GET', 'branches')).body, { branches: [] });
  const brief = await make(control, { ttl: '1h' });
  const [{ createdAt, expiresAt }] = (await ask(shop, 'GET', 'branches')).body.branches;
  t.equal(Date.parse(expiresAt) - Date.parse(createdAt), 3_600_000, 'as the command line takes it');
  t.equal((await ask(shop, 'DELETE', `branches/${brief.name}`)).status, 204);
  const live = await make(control, { live: true });
  t.equal((await ask(live, 'GET', 'clock')).body.frozen, false, 'live: this world’s time');
});

t.test('a branch outlives control, and goes with everything it had', async t => {
  const folder = await world();
  const branches = join(folder, '.wrld', 'branches');
  const first = await start(folder);
  const shop = placeOf(first);
  const customer = await stripe(shop, 'customers', 'email=a@acme.test');
  const browser = { storageState: { cookies: [], origins: [] }, context: { locale: 'fr' } };
  t.equal((await ask(shop, 'PUT', 'browsers/alice', browser)).status, 200);
  const child = await make(first);
  t.same((await ask(child, 'GET', 'browsers/alice')).body, browser, '[2.5] a branch inherits browsers');
  t.equal((await ask(child, 'DELETE', 'browsers/alice')).status, 204);
  t.same((await ask(shop, 'GET', 'browsers')).body, { browsers: ['alice'] }, 'and changes none but its own');
  t.ok(existsSync(join(folder, '.wrld', 'browsers', 'alice.json')));
  const grandchild = await make(first, { label: 'deep' }, child);
  const doomed = await make(first, { ttl: 60 });
  const soon = await make(first, { ttl: 60 });
  await stripe(child, 'customers', 'email=c@acme.test');
  t.equal((await readdir(branches)).length, 4);
  t.match(await ask(shop, 'DELETE', `branches/${child.name}`), {
    status: 409,
    body: { error: { code: 'has-branches' } },
  });
  t.match(
    await ask(shop, 'DELETE', `branches/${grandchild.name}`),
    { status: 404 },
    'it is not this world’s own',
  );
  await first.close();

  // What a kill in the middle of making or removing one leaves; and one that expired while nothing ran.
  await mkdir(join(branches, 'shop-begun'));
  await mkdir(join(branches, 'shop-half'));
  await writeFile(join(branches, 'shop-half', 'world.db'), '');
  const database = join(folder, '.wrld', 'world', 'world.db');
  edit(database, 'UPDATE child SET expires = ? WHERE world = ?', Date.now() - 1, doomed.name);
  edit(database, 'UPDATE child SET expires = ? WHERE world = ?', Date.now() + 3_600_000, soon.name);
  edit(database, 'INSERT INTO child(world, at, created, expires) VALUES (?, 0, 0, NULL)', 'acme/shop-gone');
  const again = await start(folder);
  let { baseUrl } = again;
  const at = (place: Place): Place => ({ ...place, baseUrl });
  const names = async (): Promise<string[]> =>
    (await ask(at(shop), 'GET', 'branches')).body.branches.map(({ name }: { name: string }) => name);
  t.strictSame((await names()).sort(), [child.name, soon.name].sort());
  t.match(
    await stripe(at(grandchild), `customers/${customer.id}`),
    { email: 'a@acme.test' },
    'through two parents',
  );
  t.equal((await stripe(at(child), 'customers')).data.length, 2);
  t.equal((await ask(at(doomed), 'GET', 'map')).status, 404);
  await again.close();

  // And one that expires while it is served, unless the machine is slower than that.
  edit(database, 'UPDATE child SET expires = ? WHERE world = ?', Date.now() + 1500, soon.name);
  await using last = await start(folder);
  ({ baseUrl } = last);
  const gone = async (): Promise<void> => {
    while ((await readdir(branches)).length > 2) await new Promise(resolve => setTimeout(resolve, 10));
  };
  await within('the branch to expire', gone(), 10_000);
  t.strictSame(await names(), [child.name]);
  t.match(await ask(at(child), 'DELETE', `branches/${grandchild.name}`), { status: 204 });
  t.match(await ask(at(shop), 'DELETE', `branches/${child.name}`), { status: 204 });
  t.match(await ask(at(shop), 'DELETE', `branches/${child.name}`), { status: 404 });
  t.equal((await ask(at(child), 'GET', 'map')).status, 404);
  t.strictSame(await readdir(branches), [], 'rows, files and tokens');
  t.ok(existsSync(database));
});

t.test('[4.9] a branch of which the disk does not have the row is none', async t => {
  const folder = await world();
  await using control = await start(folder);
  const shop = placeOf(control);
  await stripe(shop, 'customers', 'email=a@acme.test');
  await make(control);
  const kept = (await ask(shop, 'GET', 'branches')).body;
  // The row is committed to this log, and its sync fails.
  await rm(join(folder, '.wrld', 'world', 'world.db-wal'));
  await mkdir(join(folder, '.wrld', 'world', 'world.db-wal'));
  t.match(await ask(shop, 'POST', 'branches', {}), { status: 500 });
  t.same((await ask(shop, 'GET', 'branches')).body, kept);
  t.equal((await readdir(join(folder, '.wrld', 'branches'))).length, 1);
});

t.test('a run that was opened at a branch has its calls to twins answered there', async t => {
  await using control = await start(await world());
  const shop = placeOf(control);
  await stripe(shop, 'customers', 'email=parent@acme.test');
  const branch = await make(control);
  const run = (await ask(branch, 'POST', 'runs', { declaration: {} })).body;
  const manifest = await fetch(`${branch.baseUrl}/${branch.name}/.well-known/wrld-world`, {
    headers: { 'x-wrld-token': branch.token },
  });
  t.match(await manifest.json(), {
    name: branch.name,
    vendors: { stripe: `${branch.baseUrl}/${branch.name}/stripe` },
  });
  const body = 'email=branch@acme.test';
  await using peer = await openWire(Number(new URL(control.proxyUrl).port));
  const credentials = Buffer.from(`${run.name}:${run.secret}`).toString('base64');
  await peer.send(
    `POST http://api.stripe.com/v1/customers HTTP/1.1\r\nHost: api.stripe.com\r\nProxy-Authorization: Basic ${credentials}\r\n` +
      `Authorization: Bearer sk_test_x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  t.equal((await peer.readResponse('POST')).status, 200);
  t.equal((await stripe(branch, 'customers')).data.length, 2);
  t.equal((await stripe(shop, 'customers')).data.length, 1);
  t.match(await ask(shop, 'DELETE', `runs/${run.name}`), { status: 404 }, 'it is the branch’s to close');
  t.match(await ask(branch, 'DELETE', `runs/${run.name}`), { status: 204 });
});

t.test('the plain serve command: control alone, without proxy, runs or branches', async t => {
  const folder = await world();
  const log = openLog('silent');
  await using control = await serveControl({ folder, host: '127.0.0.1', port: 0, log });
  t.match(control, { proxyUrl: null, proxyPid: null });
  t.match(control.status(), { proxy: null, config: { fault: null } });
  const shop = { baseUrl: control.baseUrl, name: 'acme/shop', token: control.token };
  t.match(await ask(shop, 'GET', 'branches'), { status: 404, body: { error: { code: 'no-branches' } } });
  t.match(await ask(shop, 'POST', 'branches', {}), { status: 404 });
  t.match(await ask(shop, 'POST', 'runs', { declaration: {} }), { status: 404 });
  t.match(await stripe(shop, 'customers', 'email=a@acme.test'), { object: 'customer' });
  const manifest = await fetch(`${control.worldUrl}/.well-known/wrld-world`, {
    headers: { 'x-wrld-token': control.token },
  });
  t.match(await manifest.json(), { proxy: null });
});

t.test(
  'killed while branches are made and removed: the next start has each whole, or nothing of it',
  async t => {
    const folder = await world();
    const kept = new Set<string>();
    const unsure = new Set<string>();
    for (let kill = 1; kill <= KILLS; kill++) {
      const { child, baseUrl } = await startProcess(folder);
      t.teardown(() => child.kill('SIGKILL'));
      const token = (await readFile(join(folder, '.wrld', 'token'), 'utf8')).split('\n')[0]!;
      const shop: Place = { baseUrl, name: 'acme/shop', token };
      await stripe(shop, 'customers', 'email=a@acme.test');
      const acknowledged = kept.size;
      const ended = once(child, 'exit');
      const work = async (): Promise<void> => {
        for (let turn = 0; ; turn++) {
          const [oldest] = kept;
          if (turn % 3 === 2 && oldest !== undefined) {
            kept.delete(oldest);
            unsure.add(oldest);
            await ask(shop, 'DELETE', `branches/${oldest}`);
            unsure.delete(oldest);
          } else {
            kept.add((await ask(shop, 'POST', 'branches', {})).body.name);
            if (kept.size >= acknowledged + 2 + kill) setTimeout(() => child.kill('SIGKILL'), kill);
          }
        }
      };
      await Promise.all([work(), work()]).catch(() => {});
      child.kill('SIGKILL');
      await ended;
    }
    await using control = await start(folder);
    const { branches } = (await ask(placeOf(control), 'GET', 'branches')).body;
    const names: string[] = branches.map(({ name }: { name: string }) => name);
    t.ok(kept.size > 0);
    t.strictSame(
      [...kept].filter(name => !names.includes(name)),
      [],
      `${kept.size} were acknowledged, and are there`,
    );
    // What was not acknowledged may be there or not, but not in part.
    t.strictSame(
      (await readdir(join(folder, '.wrld', 'branches'))).map(name => `acme/${name}`).sort(),
      [...names].sort(),
    );
    for (const name of names) {
      const tokens = await readFile(join(folder, '.wrld', 'branches', name.split('/')[1]!, 'token'), 'utf8');
      const place: Place = { baseUrl: control.baseUrl, name, token: tokens.split('\n')[0]! };
      t.equal((await stripe(place, 'customers')).object, 'list', name);
    }
  },
);

const KILLS = 3;

/** Control as a process that can be killed; the proxy it leaves is taken over by the next one. */
async function startProcess(folder: string): Promise<{ child: ChildProcess; baseUrl: string }> {
  const child = spawn(process.execPath, [MAIN, '--folder', folder, '--log-level', 'silent'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await within(
    'control to be up',
    once(createInterface({ input: child.stdout! }), 'line'),
    20_000,
  );
  return { child, baseUrl: JSON.parse(line).baseUrl };
}
