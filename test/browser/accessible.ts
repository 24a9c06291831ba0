// Whether a page can be used without seeing it, as far as axe can tell: names, roles, contrast, order (WCAG 2.2 A and AA).
import axe from 'axe-core';
import type { Page } from 'playwright-core';

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
