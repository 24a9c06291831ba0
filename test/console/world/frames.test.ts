// How the board's frames stand (4.3, rule 10), without a browser.
import t from 'tap';

// A page's modules have their types in comments, which this program does not read.
type Page = ReturnType<typeof page>;
type Width = 'third' | 'half' | 'full';
type Layout = { readonly order: readonly string[] };
type Frames = {
  readonly NOTHING_KEPT: Layout;
  readLayout(text: string | null): Layout;
  frameOf(layout: Layout, of: Page): { readonly width: Width; readonly height: number };
  isFolded(layout: Layout, section: Page['section']): boolean;
  groupsOf(
    layout: Layout,
    pages: readonly Page[],
  ): readonly {
    readonly browser: string | null;
    readonly sections: readonly { readonly pages: readonly Page[] }[];
  }[];
  sized(layout: Layout, of: Page, change: { readonly width?: Width; readonly height?: number }): Layout;
  nextWidth(width: Width): Width;
  foldedTo(layout: Layout, section: Page['section'], is: boolean): Layout;
  movedTo(layout: Layout, pages: readonly Page[], key: string, to: number): Layout;
};
const place = new URL('../../../console/world/frames.js', import.meta.url).href;
const { NOTHING_KEPT, readLayout, frameOf, isFolded, groupsOf, sized, nextWidth, foldedTo, movedTo } =
  (await import(place)) as Frames;

const page = (browser: string | null, host: string, vendor = 'acme', alias: string | null = null) => {
  const begin = browser === null ? '' : `~browser:${browser}:${vendor}:`;
  return {
    key: browser === null ? `${vendor}:${host}` : `${begin}${host}`,
    alias,
    section: { key: browser === null ? vendor : begin, alias: alias === null ? null : vendor },
    browser,
    vendor,
    host,
    land: '/',
    origin: null,
  };
};
const [A, B, C] = ['a.test', 'b.test', 'c.test'].map(host => page(null, host)) as [
  ReturnType<typeof page>,
  ReturnType<typeof page>,
  ReturnType<typeof page>,
];
const shown = (layout: Layout, pages: readonly Page[]) =>
  groupsOf(layout, pages).map(({ browser, sections }) => [
    browser,
    ...sections.map(section => section.pages.map(({ host }) => host).join(' ')),
  ]);

t.test('[4.3-10] pages are grouped by browser and vendor, and stand where they were put', t => {
  const others = [A, page('bob', 'a.test'), page('ada', 'a.test'), page('ada', 'm.test', 'mail'), B];
  t.strictSame(shown(NOTHING_KEPT, others), [
    ['ada', 'a.test', 'm.test'],
    ['bob', 'a.test'],
    [null, 'a.test b.test'],
  ]);
  const moved = movedTo(NOTHING_KEPT, [A, B, C], C.key, 0);
  t.strictSame(shown(moved, [A, B, C]), [[null, 'c.test a.test b.test']]);
  t.strictSame(shown(movedTo(moved, [C, A, B], C.key, 9), [A, B, C]), [[null, 'a.test b.test c.test']]);
  t.strictSame(shown(movedTo(NOTHING_KEPT, [A, B], B.key, -1), [A, B, C]), [[null, 'b.test a.test c.test']]);
  t.end();
});

t.test('sizes are kept within bounds, and folded sections', t => {
  const wide = sized(NOTHING_KEPT, A, { width: 'full' });
  t.strictSame(frameOf(wide, A), { width: 'full', height: 420 });
  t.equal(frameOf(sized(wide, A, { height: 5 }), A).height, 120);
  t.equal(frameOf(sized(wide, A, { height: 1e9 }), A).height, 2400);
  t.strictSame(frameOf(wide, B), { width: 'half', height: 420 });
  t.strictSame((['third', 'half', 'full'] as const).map(nextWidth), ['half', 'full', 'third']);
  t.equal(isFolded(foldedTo(NOTHING_KEPT, A.section, true), A.section), true);
  t.equal(isFolded(NOTHING_KEPT, A.section), false);
  t.end();
});

t.test(
  '[4.3-10] what was kept without browsers is the first one’s, until something is kept of its own',
  t => {
    let kept = sized(NOTHING_KEPT, A, { width: 'full', height: 600 });
    kept = foldedTo(movedTo(kept, [A, B], B.key, 0), A.section, true);
    const ada = page('ada', 'a.test', 'acme', A.key);
    const bob = page('bob', 'a.test');
    t.strictSame(frameOf(kept, ada), { width: 'full', height: 600 });
    t.strictSame(frameOf(kept, bob), { width: 'half', height: 420 });
    t.equal(isFolded(kept, ada.section), true);
    t.equal(isFolded(kept, bob.section), false);
    t.strictSame(shown(kept, [ada, page('ada', 'b.test', 'acme', B.key)]), [['ada', 'b.test a.test']]);
    const own = sized(kept, ada, { width: 'third' });
    t.strictSame(frameOf(own, ada), { width: 'third', height: 600 });
    t.strictSame(frameOf(own, A), { width: 'full', height: 600 }, 'and that stays');
    t.end();
  },
);

t.test('what was kept is read, and what cannot be read is as at first', t => {
  const kept = foldedTo(sized(movedTo(NOTHING_KEPT, [A, B], B.key, 0), A, { height: 300 }), A.section, true);
  t.strictSame(readLayout(JSON.stringify(kept)), kept);
  for (const text of [
    null,
    '',
    '{',
    '1',
    'null',
    '[]',
    '{"frames":{"a":1,"b":{"width":"x","height":1}},"order":5,"folded":{"a":2}}',
  ])
    t.strictSame(readLayout(text), NOTHING_KEPT, String(text));
  t.end();
});
