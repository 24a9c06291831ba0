// The worlds of the host as the console knows them: read once, and kept true by what is done here.
import { answer } from './api.js';
import { rowsOf } from './rows.js';

/** @typedef {import('./rows.js').Row} Row */
/** @typedef {{ row: Row; text: string }} Known `text`: what a search looks through */

export class Inventory {
  /** Sorted by name. @type {Known[]} */
  #sorted = [];
  /** @type {Map<string, Known>} */
  #byName = new Map();
  /** @type {Set<() => void>} */
  #told = new Set();
  #asked = false;
  /** What was done here while all was read: null for a world that was removed. @type {Map<string, Row | null> | null} */
  #meanwhile = null;

  /** Whether all that the host has is here. */
  whole = false;

  get size() {
    return this.#sorted.length;
  }

  /** Called, once a frame at most, when something is another. @param {() => void} hear */
  hear(hear) {
    this.#told.add(hear);
  }

  /**
   * Reads all of it. The first time rows show as they come; later they take the place of what is shown when all are here.
   * Throws `Problem` and `Unreachable`.
   */
  async read() {
    const into = this.size === 0 ? this : new Inventory();
    /** @type {Map<string, Row | null>} */
    const meanwhile = new Map();
    this.#meanwhile = meanwhile;
    const { body } = await answer('worlds');
    if (body !== null)
      for await (const rows of rowsOf(body)) {
        for (const row of rows) into.#add(row);
        into.#tell();
      }
    this.#sorted = into.#sorted;
    this.#byName = into.#byName;
    // The host told the names when it was asked.
    for (const [name, row] of meanwhile) {
      if (row === null) this.#drop(name);
      else this.#add(row);
    }
    this.whole = true;
    this.#tell();
  }

  /** @param {string} name */
  get(name) {
    return this.#byName.get(name)?.row;
  }

  /** @param {Row} row */
  put(row) {
    this.#meanwhile?.set(row.name, row);
    this.#add(row);
    this.#tell();
  }

  /** @param {string} name */
  remove(name) {
    this.#meanwhile?.set(name, null);
    this.#drop(name);
    this.#tell();
  }

  /** Every word of `query` is in the name, the owner, a vendor or the fault. @param {string} query @param {boolean} faultsOnly */
  find(query, faultsOnly) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#sorted
      .filter(
        ({ row, text }) =>
          (!faultsOnly || row.fault !== undefined) && words.every(word => text.includes(word)),
      )
      .map(({ row }) => row);
  }

  /** @param {Row} row */
  #add(row) {
    const known = { row, text: searched(row) };
    const before = this.#byName.get(row.name);
    this.#byName.set(row.name, known);
    const last = this.#sorted.at(-1);
    if (last === undefined || last.row.name < row.name) this.#sorted.push(known);
    else this.#sorted.splice(this.#placeOf(row.name), before === undefined ? 0 : 1, known);
  }

  /** @param {string} name */
  #drop(name) {
    if (this.#byName.delete(name)) this.#sorted.splice(this.#placeOf(name), 1);
  }

  /** @param {string} name */
  #placeOf(name) {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (/** @type {Known} */ (this.#sorted[middle]).row.name < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #tell() {
    if (this.#asked || this.#told.size === 0) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      for (const hear of this.#told) hear();
    });
  }
}

/** @param {Row} row */
function searched({ name, owner = '', twins, fault = '' }) {
  return [name, owner, fault, ...twins.map(({ vendor }) => vendor)].join('\n').toLowerCase();
}
