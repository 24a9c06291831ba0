// Tokens as they are handed on: shown in fields that can be copied from, never put anywhere else.
import { h } from '../shared/dom.js';

/** @typedef {(text: string, bad?: boolean) => void} Notice */

/**
 * Shown until the view changes.
 *
 * @param {string} title @param {{ token: string | null; readToken: string | null }} pair @param {Notice} notice
 */
export function tokensPanel(title, { token, readToken }, notice) {
  const heading = h('h2', { tabindex: '-1' }, title);
  const element = h(
    'section',
    { class: 'tokens', 'aria-label': title },
    heading,
    h('p', {}, 'This page shows them once. Hand them on now; whoever has one has what it opens.'),
    tokenField('Token: reads and writes', token, notice),
    tokenField('Read token: reads', readToken, notice),
  );
  return { element, focus: () => heading.focus() };
}

/** @param {string} title @param {string | null} value @param {Notice} notice */
function tokenField(title, value, notice) {
  if (value === null)
    return h('p', { class: 'bad' }, `${title}: it cannot be read; the world’s fault says why.`);
  const input = /** @type {HTMLInputElement} */ (
    h('input', { readonly: true, value, class: 'mono', spellcheck: 'false', onfocus: () => input.select() })
  );
  const copy = () => copyText(value, title.split(':')[0] ?? title, notice, () => input.focus());
  return h(
    'div',
    { class: 'row' },
    h('label', {}, title, input),
    h('button', { type: 'button', 'aria-label': `Copy: ${title}`, onclick: copy }, 'Copy'),
  );
}

/**
 * `otherwise`: where the browser lets no page copy, which is so wherever it was loaded without TLS.
 *
 * @param {string} text @param {string} what @param {Notice} notice @param {() => void} otherwise
 */
export async function copyText(text, what, notice, otherwise) {
  try {
    await navigator.clipboard.writeText(text);
    notice(`${what} is copied.`);
  } catch {
    otherwise();
    notice(`The browser does not let this page copy. ${what} is selected: copy it with Ctrl+C or ⌘C.`, true);
  }
}
