// A list with the newest on top, a page at a time: what is new is on its first page, and whoever has paged on reads on.

import { empty, h } from '../shared/dom.js';
import { replaceInPlace } from './kept-place.js';
import { ROWS_SHOWN_MAX } from './limits.js';

export class NewestList {
  #body = h('div');
  #more = h('button', { hidden: true, onclick: () => void this.#older() }, 'Older');
  element = h('div', {}, this.#body, this.#more);
  #read;
  #show;
  #none;
  /** @type {any[]} */
  #items = [];
  /** @type {string | null} */
  #next = null;

  /**
   * @param {(before: string | null) => Promise<{ items: any[]; next: string | null }>} read items have an `id`
   * @param {(items: any[]) => readonly Node[]} show
   * @param {string} none what is said of an empty list
   */
  constructor(read, show, none) {
    this.#read = read;
    this.#show = show;
    this.#none = none;
  }

  /** @param {boolean} [first] */
  async refresh(first = false) {
    const page = await this.#read(null);
    const paged = !first && this.#items.length > page.items.length;
    const newest = new Set(page.items.map(({ id }) => id));
    if (!paged) this.#next = page.next;
    this.#items = paged ? [...page.items, ...this.#items.filter(({ id }) => !newest.has(id))] : page.items;
    this.#lay();
  }

  async #older() {
    const page = await this.#read(this.#next);
    this.#items = [...this.#items, ...page.items];
    this.#next = page.next;
    this.#lay();
  }

  #lay() {
    this.#items.splice(ROWS_SHOWN_MAX);
    this.#more.hidden = this.#next === null || this.#items.length >= ROWS_SHOWN_MAX;
    replaceInPlace(this.#body, this.#items.length === 0 ? [empty(this.#none)] : this.#show(this.#items));
  }
}
