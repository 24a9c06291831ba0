// How the frames of the board stand: what a person arranged, by the keys of 4.3, rule 10. Values alone, without a page.

import { FRAME_HEIGHT, FRAME_HEIGHT_MAX, FRAME_HEIGHT_MIN } from './limits.js';

/**
 * @typedef {{ key: string; alias: string | null; section: { key: string; alias: string | null }; browser: string | null; vendor: string; host: string; land: string; origin: string | null }} Page
 * @typedef {{ width: Width; height: number }} Frame
 * @typedef {'third' | 'half' | 'full'} Width
 * @typedef {{ readonly order: readonly string[]; readonly frames: { readonly [key: string]: Frame }; readonly folded: { readonly [key: string]: boolean } }} Layout
 * @typedef {{ browser: string | null; sections: readonly { key: string; alias: string | null; vendor: string; pages: readonly Page[] }[] }} Group
 */

/** @type {readonly Width[]} */
export const WIDTHS = ['third', 'half', 'full'];

/** @type {Layout} */
export const NOTHING_KEPT = { order: [], frames: {}, folded: {} };

/** What was kept; what of it cannot be read is as it was at first. @param {string | null} text @returns {Layout} */
export function readLayout(text) {
  /** @type {any} */
  let kept = null;
  try {
    kept = JSON.parse(text ?? 'null');
  } catch {}
  if (typeof kept !== 'object' || kept === null) return NOTHING_KEPT;
  /** @type {{ [key: string]: Frame }} */
  const frames = {};
  for (const [key, frame] of Object.entries(kept.frames ?? {})) {
    const { width, height } = /** @type {any} */ (frame) ?? {};
    if (WIDTHS.includes(width) && Number.isFinite(height)) frames[key] = { width, height: within(height) };
  }
  /** @type {{ [key: string]: boolean }} */
  const folded = {};
  for (const [key, is] of Object.entries(kept.folded ?? {})) if (typeof is === 'boolean') folded[key] = is;
  const order = Array.isArray(kept.order)
    ? kept.order.filter((/** @type {unknown} */ key) => typeof key === 'string')
    : [];
  return { order, frames, folded };
}

/** @param {number} height pixels */
export function within(height) {
  return Math.min(FRAME_HEIGHT_MAX, Math.max(FRAME_HEIGHT_MIN, Math.round(height)));
}

/** What was kept of a page, or under the key it had before there were browsers. @param {Layout} layout @param {Pick<Page, 'key' | 'alias'>} page @returns {Frame} */
export function frameOf({ frames }, { key, alias }) {
  return (
    frames[key] ?? (alias === null ? undefined : frames[alias]) ?? { width: 'half', height: FRAME_HEIGHT }
  );
}

/** @param {Layout} layout @param {{ key: string; alias: string | null }} section */
export function isFolded({ folded }, { key, alias }) {
  return folded[key] ?? (alias === null ? undefined : folded[alias]) ?? false;
}

/** By browser, and by vendor in each; pages in the order they were given, where nobody chose another. @param {Layout} layout @param {readonly Page[]} pages @returns {readonly Group[]} */
export function groupsOf(layout, pages) {
  const places = new Map(pages.map((page, index) => [page.key, placeOf(layout, page, index)]));
  const sorted = [...pages].sort((a, b) => (places.get(a.key) ?? 0) - (places.get(b.key) ?? 0));
  const browsers = [...new Set(pages.map(({ browser }) => browser))].sort((a, b) =>
    a === null ? 1 : b === null ? -1 : a < b ? -1 : 1,
  );
  return browsers.map(browser => {
    const own = pages.filter(page => page.browser === browser);
    const vendors = [...new Set(own.map(({ vendor }) => vendor))];
    const sections = vendors.map(vendor => {
      const held = sorted.filter(page => page.browser === browser && page.vendor === vendor);
      const { key, alias } = /** @type {Page} */ (held[0]).section;
      return { key, alias, vendor, pages: held };
    });
    return { browser, sections };
  });
}

/** What nobody placed comes after what somebody did. @param {Layout} layout @param {Page} page @param {number} index */
function placeOf({ order }, { key, alias }, index) {
  const own = order.indexOf(key);
  if (own !== -1) return own;
  const before = alias === null ? -1 : order.indexOf(alias);
  return before === -1 ? order.length + index : before;
}

/** @param {Layout} layout @param {Pick<Page, 'key' | 'alias'>} page @param {Partial<Frame>} change @returns {Layout} */
export function sized(layout, page, change) {
  const frame = { ...frameOf(layout, page), ...change };
  return { ...layout, frames: { ...layout.frames, [page.key]: { ...frame, height: within(frame.height) } } };
}

/** The next of the widths, from the widest to the narrowest again. @param {Width} width @returns {Width} */
export function nextWidth(width) {
  return /** @type {Width} */ (WIDTHS[(WIDTHS.indexOf(width) + 1) % WIDTHS.length]);
}

/** @param {Layout} layout @param {{ key: string }} section @param {boolean} is @returns {Layout} */
export function foldedTo(layout, { key }, is) {
  return { ...layout, folded: { ...layout.folded, [key]: is } };
}

/** A page before the one that stands at `to` of its section; past its end, as the last. @param {Layout} layout @param {readonly Page[]} pages of the section, as they stand @param {string} key @param {number} to @returns {Layout} */
export function movedTo(layout, pages, key, to) {
  const keys = pages.map(page => page.key);
  const others = keys.filter(each => each !== key);
  const place = Math.min(others.length, Math.max(0, to));
  const placed = [...others.slice(0, place), key, ...others.slice(place)];
  return { ...layout, order: [...layout.order.filter(each => !keys.includes(each)), ...placed] };
}
