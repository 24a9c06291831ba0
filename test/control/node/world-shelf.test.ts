// Branches open when they are asked for, and closed when they are not: however many there are, and however deep.
import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import type { RunningControl } from '../../../control/node/control.ts';
import type { BranchLimits } from '../../../control/node/limits.ts';
import { wakesAt } from '../../../control/world/work/wakes-at.ts';
import { openWorldFolders, startQuietly } from '../../kit/control-world.ts';
import { within } from '../../kit/deadline.ts';
import { EPOCH, openNoteWorld } from '../../kit/note-world.ts';

const { world } = await openWorldFolders(t);
const start = (folder: string, branches: Partial<BranchLimits> = {}): Promise<RunningControl> =>
  startQuietly(folder, { branches });

type Place = { readonly name: string; readonly token: string };

async function ask(
  { baseUrl }: RunningControl,
  { name, token }: Place,
  method: string,
  path: string,
  body?: object,
) {
  const response = await fetch(`${baseUrl}/-/${name}/${path}`, {
    method,
    headers: { 'x-wrld-token': token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

async function customers(
  { baseUrl }: RunningControl,
  { name, token }: Place,
  form?: string,
): Promise<number> {
  const response = await fetch(`${baseUrl}/${name}/stripe/v1/customers`, {
    method: form === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
    ...(form === undefined ? {} : { body: form }),
  });
  const answered = (await response.json()) as { readonly data?: readonly unknown[] };
  return answered.data?.length ?? 1;
}

async function make(control: RunningControl, of: Place, body: object = {}): Promise<Place> {
  const made = await ask(control, of, 'POST', 'branches', body);
  if (made.status !== 201) throw new Error(JSON.stringify(made));
  return made.body;
}

const first = ({ token }: RunningControl): Place => ({ name: 'acme/shop', token });

/** Stores of branches that this process has open. */
function openStores(folder: string): Set<string> {
  const branches = join(folder, '.wrld', 'branches');
  const open = new Set<string>();
  for (const descriptor of readdirSync('/proc/self/fd')) {
    try {
      const file = readlinkSync(`/proc/self/fd/${descriptor}`);
      if (file.startsWith(branches) && file.endsWith('world.db')) open.add(file);
    } catch {
      // Closed while we look.
    }
  }
  return open;
}

const skip = existsSync('/proc/self/fd') ? false : 'this system does not list descriptors';

t.test('a start opens no branch, and those that are asked stay few', { skip }, async t => {
  const folder = await world();
  const branches = join(folder, '.wrld', 'branches');
  let made: Place;
  {
    await using control = await start(folder);
    await customers(control, first(control), 'email=a@acme.test');
    made = await make(control, first(control));
  }
  const source = join(branches, made.name.slice('acme/'.length));
  const database = new DatabaseSync(join(folder, '.wrld', 'world', 'world.db'));
  const note = JSON.parse(readFileSync(join(source, 'branch.json'), 'utf8'));
  const places = [made];
  for (let n = 0; n < 150; n++) {
    const name = `acme/shop-copy-${n}`;
    cpSync(source, join(branches, `shop-copy-${n}`), { recursive: true });
    writeFileSync(
      join(branches, `shop-copy-${n}`, 'branch.json'),
      JSON.stringify({ ...note, row: { ...note.row, world: name } }),
    );
    database
      .prepare('INSERT INTO child(world, at, created, expires) VALUES (?, ?, 0, NULL)')
      .run(name, note.row.at);
    places.push({ ...made, name });
  }
  database.close();
  await using control = await start(folder, { openMax: 4 });
  t.equal(openStores(folder).size, 0);
  t.equal((await ask(control, first(control), 'GET', 'branches')).body.branches.length, 151);
  for (const place of places.slice(0, 12)) {
    t.equal(await customers(control, place), 1, place.name);
    t.ok(openStores(folder).size <= 4);
  }
  const both = await Promise.all(places.slice(20, 26).map(place => customers(control, place)));
  t.same(both, [1, 1, 1, 1, 1, 1], 'asked at once');
  t.equal((await ask(control, { ...made, token: 'tok_w_wrong' }, 'GET', 'map')).status, 401);
  t.match(await ask(control, first(control), 'DELETE', `branches/${places[100]!.name}`), { status: 204 });
  t.notOk(existsSync(join(branches, 'shop-copy-99')));
});

t.test('one that nobody asks is closed, and has all it had when it is asked again', { skip }, async t => {
  const folder = await world();
  await using control = await start(folder, { idleMs: 50 });
  const branch = await make(control, first(control), { live: true });
  const deep = await make(control, branch, { label: 'deep' });
  await customers(control, deep, 'email=a@acme.test');
  const closed = async (): Promise<void> => {
    while (openStores(folder).size > 0) await new Promise(resolve => setTimeout(resolve, 10));
  };
  await within('both to be closed', closed());
  t.equal(await customers(control, deep), 1);
  t.equal(await customers(control, branch), 0);
  // Who follows its news is with it.
  const following = new AbortController();
  const { baseUrl } = control;
  const events = await fetch(`${baseUrl}/-/${branch.name}/events`, {
    headers: { 'x-wrld-token': branch.token },
    signal: following.signal,
  });
  const reader = events.body!.getReader();
  await reader.read();
  const alone = async (): Promise<void> => {
    while (openStores(folder).size > 1) await new Promise(resolve => setTimeout(resolve, 10));
  };
  await within('the other to be closed', alone());
  t.equal(openStores(folder).size, 1);
  following.abort();
  await reader.read().catch(() => {});
  await within('it to be closed', closed());
});

t.test('[4.9] names fit at any depth, and a branch reads through all above it', async t => {
  const folder = await world();
  const label = 'a-label-of-thirty-two-characters';
  let deepest: Place;
  {
    await using control = await start(folder, { openMax: 2 });
    await customers(control, first(control), 'email=a@acme.test');
    deepest = first(control);
    for (let depth = 1; depth <= 12; depth++) {
      deepest = await make(control, deepest, { label });
      t.match(deepest.name, /^acme\/shop-a-label-of-thirty-two-characters-[0-9a-f]{4}$/);
    }
    t.equal(await customers(control, deepest), 1);
  }
  await using control = await start(folder, { openMax: 2 });
  t.equal(await customers(control, deepest), 1, 'after a restart, all above it closed');
});

t.test('a folder without a note, as earlier versions made them, is the branch it was', async t => {
  const folder = await world();
  const branches = join(folder, '.wrld', 'branches');
  let deep: Place;
  {
    await using control = await start(folder);
    await customers(control, first(control), 'email=a@acme.test');
    deep = await make(control, await make(control, first(control)));
  }
  for (const name of readdirSync(branches)) rmSync(join(branches, name, 'branch.json'));
  await using control = await start(folder);
  t.equal(await customers(control, deep), 1);
  t.equal(readdirSync(branches).length, 2);
});

t.test('what a closed world has to do by itself says when it must be open', async t => {
  const at = (ms: number): string => new Date(EPOCH + ms).toISOString();
  await using notes = await openNoteWorld({ send: () => new Promise(() => {}) });
  t.equal(wakesAt(notes.sql), null, 'nothing');
  await notes.ask('POST', '/due/d', { at: EPOCH + 60_000, payload: {} });
  t.equal(wakesAt(notes.sql), EPOCH + 60_000, 'an event by the wall clock');
  await notes.world.setClock(at(1000));
  t.equal(wakesAt(notes.sql), null, 'a clock that stands does not come there by itself');
  notes.sql.run("UPDATE meta SET v = ? WHERE k = 'clock'", String(EPOCH + 60_000));
  t.equal(wakesAt(notes.sql), 0, 'a catch-up that was interrupted');
  await using hooked = await openNoteWorld({ send: () => new Promise(() => {}) });
  await hooked.world.setClock(at(0));
  await hooked.ask('PUT', '/hooks/h', { url: 'https://app.test/hook', secret: 's' });
  await hooked.ask('PUT', '/notes/a', {});
  t.equal(wakesAt(hooked.sql), 0, 'a webhook that is on its way');
});
