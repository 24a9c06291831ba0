// What a host notes of its closed worlds, so that one with something to do by itself is opened for it and no other is.
import { existsSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { WakeNotes } from '../../../control/node/wake-notes.ts';
import { within } from '../../kit/deadline.ts';
import { askHost, bareWorld, hostDirectory, startHostQuietly } from '../../kit/many-worlds.ts';

t.test('a note holds as long as the store is as it was left', async t => {
  const folder = await hostDirectory(t);
  const file = join(folder, 'wakes.db');
  const store = join(folder, 'world.db');
  {
    using notes = new WakeNotes(file);
    t.equal(notes.of('acme/shop', store), undefined);
    notes.isClosed('acme/shop', store, { at: null, roots: null });
    t.same(
      notes.of('acme/shop', store),
      { at: null, roots: null },
      'nothing to do, of a world without a store',
    );
    writeFileSync(store, 'x');
    t.equal(notes.of('acme/shop', store), undefined);
    notes.isClosed('acme/shop', store, { at: 4_000, roots: '{}' });
  }
  {
    using notes = new WakeNotes(file);
    t.same(notes.of('acme/shop', store), { at: 4_000, roots: '{}' }, 'by the next process');
    writeFileSync(`${store}-wal`, 'x');
    t.equal(notes.of('acme/shop', store), undefined, 'somebody writes to it');
    rmSync(`${store}-wal`);
    t.match(notes.of('acme/shop', store), { at: 4_000 });
    notes.forget('acme/shop');
    t.equal(notes.of('acme/shop', store), undefined);
  }
  writeFileSync(file, 'no database, surely, whatever one may think of it');
  using notes = new WakeNotes(file);
  t.equal(notes.of('acme/shop', store), undefined, 'a damaged file is begun anew');
  notes.isClosed('acme/shop', store, { at: 1, roots: null });
  t.match(notes.of('acme/shop', store), { at: 1 });
});

/** Worlds whose stores this process has open. */
function openStores(directory: string): readonly string[] {
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

t.test('a world that nobody asks does what is due, without being held open for it', { skip }, async t => {
  const directory = await hostDirectory(t);
  const shop = await bareWorld(directory, 'acme/shop');
  await bareWorld(directory, 'acme/other');
  const store = join(directory, 'acme/shop/.wrld/world/world.db');
  const sessions = '/acme/shop/stripe/v1/checkout/sessions';
  {
    await using host = await startHostQuietly(directory);
    const made = await askHost(host, 'POST', sessions, {
      token: shop.token,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'mode=setup&currency=usd&success_url=https://a.test/',
    });
    t.match(made, { status: 200, json: { status: 'open' } });
  }
  // A day has gone by while no host was up, but for a moment.
  const database = new DatabaseSync(store);
  t.equal(database.prepare('UPDATE due SET at = ?').run(Date.now() + 1_000).changes, 1);
  database.close();
  await using _ = await startHostQuietly(directory, { limits: { idleMs: 100 } });
  const until = async (open: readonly string[]): Promise<void> => {
    while (openStores(directory).join() !== open.join()) await pause(5);
  };
  await within('it to be opened', until(['acme/shop/.wrld/world/world.db']));
  await within('it to be closed', until([]));
  const looked = new DatabaseSync(store, { readOnly: true });
  t.match(looked.prepare("SELECT count(*) AS n FROM entry WHERE kind = 'checkout.session.expired'").get(), {
    n: 1,
  });
  looked.close();
});
