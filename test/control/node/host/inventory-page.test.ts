// Rows of the inventory on their way: put in order without being read, cut into pieces anywhere, and told again only when they
// say something else.
import fc from 'fast-check';
import t from 'tap';
import {
  type InventoryPage,
  KeptPages,
  mergedRows,
  pageOf,
  pageWith,
} from '../../../../control/node/host/inventory-page.ts';
import { INVENTORY_PIECE_BYTES } from '../../../../control/node/host/limits.ts';

const row = (name: string, more: object = {}): { name: string; text: string } => ({
  name,
  text: JSON.stringify({ name, ...more }),
});

async function* told(pages: readonly InventoryPage[]): AsyncGenerator<InventoryPage, undefined> {
  yield* pages;
}

async function merged(sources: readonly (readonly InventoryPage[])[]): Promise<string> {
  const pieces = await Array.fromAsync(mergedRows(sources.map(told)));
  for (const piece of pieces) t.ok(piece.length > 0);
  return Buffer.concat(pieces).toString('utf8');
}

t.test('[4.10] whatever source has which rows, all of them come sorted, as they are', async t => {
  const names = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), fc.nat(2), fc.string()), {
    selector: ([name]) => name,
  });
  await fc.assert(
    fc.asyncProperty(names, fc.integer({ min: 1, max: 4 }), async (all, perPage) => {
      const sources = [0, 1, 2].map(source => {
        const rows = all
          .filter(([, at]) => at === source)
          .map(([name, , owner]) => row(name, { owner }))
          .sort((a, b) => (a.name < b.name ? -1 : 1));
        // One that is empty among them: every world of a page may have gone.
        const pages = [pageOf([])];
        for (let at = 0; at < rows.length; at += perPage) pages.push(pageOf(rows.slice(at, at + perPage)));
        return pages;
      });
      const expected = all
        .map(([name, , owner]) => ({ name, owner }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      t.equal(`[${await merged(sources)}]`, JSON.stringify(expected));
    }),
  );
  t.end();
});

t.test('a row that is larger than a piece is sent, and so are those around it', async t => {
  const large = 'ü'.repeat(INVENTORY_PIECE_BYTES);
  const rows = [row('a/a'), row('a/b', { fault: large }), row('a/c')];
  t.equal(await merged([[pageOf(rows)]]), rows.map(({ text }) => text).join(','));
});

t.test('nothing is nothing', async t => {
  t.equal(await merged([]), '');
  t.equal(await merged([[], [pageOf([])]]), '');
});

t.test('a row of a page can be told otherwise, and the others stay', async t => {
  const page = pageOf([row('a/a', { owner: 'Ä' }), row('a/b', { owner: 'é' }), row('a/c')], 'stamp');
  t.equal(
    pageWith(page, () => null),
    page,
  );
  const other = pageWith(page, (name, text) =>
    name === 'a/b' ? JSON.stringify({ ...JSON.parse(text()), fault: 'barred' }) : null,
  );
  t.equal(
    await merged([[other]]),
    '{"name":"a/a","owner":"Ä"},{"name":"a/b","owner":"é","fault":"barred"},{"name":"a/c"}',
  );
  t.equal(other.stamp, null, 'it is no page that its source would know');
});

t.test('a page is the same for as long as its rows are', async t => {
  const kept = new KeptPages();
  const first = kept.page('', [row('a/a'), row('a/b')]);
  const second = kept.page('a/b', [row('a/c')]);
  t.not(first.stamp, second.stamp);
  t.equal(kept.page('', [row('a/a'), row('a/b')]), first);
  t.equal(kept.page('a/b', [row('a/c')]), second);
  t.equal(kept.page('', [row('a/a'), row('a/b')]), first, 'asked for the third time as well');
  for (const rows of [[row('a/a')], [row('a/a'), row('a/b', { owner: 'o' })], [row('a/a'), row('a/bb')]]) {
    const changed = kept.page('', rows);
    t.notOk([first.stamp, second.stamp].includes(changed.stamp));
    t.equal(await merged([[changed]]), rows.map(({ text }) => text).join(','));
  }
  t.not(new KeptPages().page('', [row('a/a')]).stamp, new KeptPages().page('', [row('a/a')]).stamp);
});
