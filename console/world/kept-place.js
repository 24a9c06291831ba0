// What a view shows is made anew with the world's news; whoever reads or types in it stays where he was.

/**
 * Puts `children` into `body`: what had the focus has it again, and what was open is, by their ids.
 *
 * @param {HTMLElement} body @param {readonly Node[]} children
 */
export function replaceInPlace(body, children) {
  const focused = document.activeElement;
  const id = focused !== null && body.contains(focused) ? focused.id : '';
  const open = [...body.querySelectorAll('details[id]')].map(each => ({
    id: each.id,
    open: /** @type {HTMLDetailsElement} */ (each).open,
  }));
  body.replaceChildren(...children);
  for (const each of open) document.getElementById(each.id)?.toggleAttribute('open', each.open);
  if (id !== '') document.getElementById(id)?.focus({ preventScroll: true });
}
