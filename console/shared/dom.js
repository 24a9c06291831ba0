// Elements from values. Text is only ever set as text, so nothing that a twin, an app or a vendor wrote can
// become markup.

/**
 * @param {string} tag
 * @param {{ [name: string]: unknown }} [attributes] `onclick` and the like are listeners; true sets a bare
 *   attribute; null, undefined and false set none
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on') && typeof value === 'function')
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(
    ...children.filter(child => child !== null && child !== undefined && child !== false).map(node),
  );
  return element;
}

/** @param {any} child @returns {Node | string} */
function node(child) {
  return child instanceof Node ? child : String(child);
}

/** @param {string} at ISO 8601 */
export function instant(at) {
  return h('time', { datetime: at, class: 'mono' }, at.slice(0, 19).replace('T', ' '));
}

/**
 * @param {readonly (string | { readonly title: string; readonly number: true })[]} head
 * @param {readonly (readonly (Node | string | number)[])[]} rows
 */
export function table(head, rows) {
  const numbers = head.map(cell => typeof cell !== 'string');
  const cells = (/** @type {string} */ tag, /** @type {readonly (Node | string | number)[]} */ row) =>
    row.map((cell, index) =>
      h(tag, { class: numbers[index] ? 'number' : null, ...(tag === 'th' ? { scope: 'col' } : {}) }, cell),
    );
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ...cells(
            'th',
            head.map(cell => (typeof cell === 'string' ? cell : cell.title)),
          ),
        ),
      ),
      h('tbody', {}, ...rows.map(row => h('tr', {}, ...cells('td', row)))),
    ),
  );
}

/** @param {string} text */
export function empty(text) {
  return h('p', { class: 'empty' }, text);
}
