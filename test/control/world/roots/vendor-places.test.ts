// Where a world's real vendors are, told to its host: anew after a loss, and again where the store cannot be read.
import t from 'tap';
import { openSqlite } from '../../../../control/node/sqlite.ts';
import type { ReachedVendor } from '../../../../control/ports/reach.ts';
import { Links } from '../../../../control/world/roots/links.ts';
import { openPlaces } from '../../../../control/world/roots/vendor-places.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');

t.test('[4.7] what a store that cannot be read hides is told when it can be', async t => {
  const sql = openSqlite(':memory:');
  t.teardown(() => sql.close());
  sql.run('CREATE TABLE link(name TEXT PRIMARY KEY, origin TEXT NOT NULL)');
  const links = new Links({ sql, vendors: ['stripe'] });
  t.equal(links.put('rates', 'https://rates.example').ok, true);
  const told: (readonly ReachedVendor[])[] = [];
  const logged: string[] = [];
  const ending = new AbortController();
  let alarm: number | null = null;
  let wake = (): void => {};
  let heard = Promise.withResolvers<void>();
  const places = openPlaces({
    vendors: ['stripe'],
    roots: { get: () => ({ url: 'https://api.stripe.com/v1' }) as never },
    links,
    recorded: () => [],
    reach: {
      ownMachine: false,
      set: async vendors => {
        told.push(vendors);
        heard.resolve();
      },
    },
    wall: { now: () => NOW },
    alarms: {
      set: at => {
        alarm = at;
        heard.resolve();
      },
      onWake: woken => {
        wake = woken;
      },
    },
    processLog: { error: (_fields: object, message: string) => logged.push(message) } as never,
    lifetime: ending.signal,
  });
  const next = async (work: () => void) => {
    heard = Promise.withResolvers();
    work();
    await heard.promise;
  };
  sql.run('ALTER TABLE link RENAME TO elsewhere');
  links.forget();
  await next(() => places.tellAnew());
  t.strictSame(told, [], 'nothing is told of what could not be read');
  t.strictSame(logged, ['the world could not see where its real vendors are; it looks again']);
  t.equal(alarm, NOW + 10_000);
  await next(wake);
  t.equal(logged.length, 2, 'and again, for as long as it cannot');
  sql.run('ALTER TABLE elsewhere RENAME TO link');
  await next(wake);
  t.strictSame(told, [
    [
      { by: 'root', name: 'stripe', origin: 'https://api.stripe.com' },
      { by: 'link', name: 'rates', origin: 'https://rates.example' },
    ],
  ]);
  ending.abort();
  places.tellAnew();
  await Promise.resolve();
  t.equal(told.length, 1, 'a world that has closed tells nobody');
});
