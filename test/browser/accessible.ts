// Whether a page can be used without seeing it, as far as axe can tell: names, roles, contrast, order (WCAG 2.2 A and AA).
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { poorlyReadable } from './readable.ts';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What it finds wrong, a line each. */
export async function inaccessible(page: Page): Promise<string[]> {
  // Not as a script of the page, which its policy would refuse.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    tags => (globalThis as unknown as { axe: typeof axe }).axe.run({ runOnly: tags }),
    TAGS,
  )) as { violations: readonly { id: string; help: string; nodes: readonly { html: string }[] }[] };
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`),
  );
}

/** `npm run pictures`: the folder of those that the documentation shows. */
const PICTURES = process.env['PICTURES'];
/** Of 100; text can be read, and each is of thirty to sixty kilobytes. */
const PICTURE_QUALITY = 35;

/** Looked at as people have it: in light and dark, wide and narrow; and nothing that axe finds in either. */
export async function looksRight(t: Test, page: Page, name: string, pictures: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1100, 380]) {
      await page.setViewportSize({ width, height: 800 });
      t.strictSame(await poorlyReadable(page), [], `${name}, ${colorScheme}, ${width}`);
      await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      if (PICTURES !== undefined && colorScheme === 'light' && width === 1100)
        await page.screenshot({
          path: join(PICTURES, `${name}.jpg`),
          type: 'jpeg',
          quality: PICTURE_QUALITY,
        });
    }
    t.strictSame(await inaccessible(page), [], `${name}, ${colorScheme}`);
  }
  await page.setViewportSize({ width: 1100, height: 800 });
}
