// What the browser suites share: where Chromium is, and whether a person can read what a page shows.
import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';

// The few globals of a page that the probe below uses: the DOM's own types would reach every file of the program.
type PageElement = {
  readonly tagName: string;
  readonly parentElement: PageElement | null;
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string | null }>;
  getBoundingClientRect(): { readonly right: number };
};
declare const innerWidth: number;
declare const document: { querySelectorAll(selector: string): Iterable<PageElement> };
declare const getComputedStyle: (element: PageElement) => {
  readonly backgroundColor: string;
  readonly color: string;
  readonly display: string;
  readonly fontSize: string;
};

export const CHROMIUM: string | undefined = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);
/** WCAG 2.2, 1.4.3: text of ordinary size. */
const CONTRAST_MIN = 4.5;

/** Every element with text of its own, and how well that stands out from what is behind it. */
export async function poorlyReadable(page: Page): Promise<string[]> {
  return page.evaluate(min => {
    const channels = (color: string): number[] => color.match(/[\d.]+/g)!.map(Number);
    const luminance = (color: string): number => {
      const [r, g, b] = channels(color)
        .slice(0, 3)
        .map(value => value / 255)
        .map(value => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
    };
    const behind = (element: PageElement | null): string => {
      for (let at = element; at !== null; at = at.parentElement) {
        const color = getComputedStyle(at).backgroundColor;
        if (channels(color)[3] !== 0) return color;
      }
      return 'rgb(255, 255, 255)';
    };
    const poor: string[] = [];
    for (const element of document.querySelectorAll('body, body *')) {
      const own = [...element.childNodes].some(
        node => node.nodeType === 3 && node.textContent!.trim() !== '',
      );
      const style = getComputedStyle(element);
      if (!own || style.display === 'none') continue;
      const [light, dark] = [luminance(style.color), luminance(behind(element))].sort((a, b) => b - a);
      const contrast = (light! + 0.05) / (dark! + 0.05);
      const { right } = element.getBoundingClientRect();
      if (contrast < min) poor.push(`${element.tagName}: contrast ${contrast.toFixed(1)}`);
      if (Number.parseFloat(style.fontSize) < 13) poor.push(`${element.tagName}: ${style.fontSize}`);
      if (right > innerWidth + 1) poor.push(`${element.tagName} is wider than the window`);
    }
    return poor;
  }, CONTRAST_MIN);
}
