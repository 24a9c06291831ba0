// A text of a stranger's, as text: what would move the cursor or turn the line around is made visible, and a long one is
// cut until somebody asks for all of it.

import { h } from '../shared/dom.js';
import { TEXT_CHARS_SHOWN_MAX, TEXT_PIECE_CHARS } from './limits.js';

/** Controls but for tab and line feed, and what overrides the direction of writing. */
const ODD = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** @param {string} text */
export function visible(text) {
  return text.replace(
    ODD,
    letter => `[U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}

/** @param {string} text @param {'pre' | 'div'} [tag] */
export function shownText(text, tag = 'pre') {
  const shown = h(
    tag,
    { class: tag === 'div' ? 'prose' : null },
    visible(text.slice(0, TEXT_CHARS_SHOWN_MAX)),
  );
  if (text.length <= TEXT_CHARS_SHOWN_MAX) return shown;
  const all = h(
    'button',
    {
      onclick: () => {
        shown.replaceChildren(...pieces(text));
        all.remove();
        shown.tabIndex = -1;
        shown.focus({ preventScroll: true });
      },
    },
    `Show all, ${text.length.toLocaleString('en')} characters`,
  );
  return h('div', {}, shown, all);
}

/** A browser lays out only those that are looked at: a megabyte at once would hold it up for seconds. @param {string} text */
function pieces(text) {
  const made = [];
  for (let from = 0; from < text.length; ) {
    const most = from + TEXT_PIECE_CHARS;
    // At the end of a line where there is one, so that none is broken that was not.
    const end = most >= text.length ? text.length : text.lastIndexOf('\n', most - 1) + 1;
    const to = end > from ? end : most;
    // The end of a line is where the next piece begins.
    made.push(h('span', { class: 'piece' }, visible(text.slice(from, to)).replace(/\n$/, '')));
    from = to;
  }
  return made;
}
