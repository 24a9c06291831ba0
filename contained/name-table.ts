// Which name stands behind which address inside a contained run: a program looks a name up, gets an address that is
// the name's alone, and whoever accepts a connection to that address knows whom it is to.
import { NAME_ADDRESSES, nameAddress } from './addresses.ts';
import { NAMES_MAX } from './limits.ts';

export class NameTable {
  /** The name asked for longest ago is first. */
  readonly #addresses = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #max: number;
  #next = 0;

  constructor(max: number = Math.min(NAMES_MAX, NAME_ADDRESSES)) {
    this.#max = max;
  }

  /** `name` in lower case, without the dot at its end. */
  addressOf(name: string): string {
    const known = this.#addresses.get(name);
    if (known !== undefined) {
      this.#addresses.delete(name);
      this.#addresses.set(name, known);
      return known;
    }
    const address = this.#free();
    this.#addresses.set(name, address);
    this.#names.set(address, name);
    return address;
  }

  /** Null for an address that no name was given. */
  nameOf(address: string): string | null {
    return this.#names.get(address) ?? null;
  }

  #free(): string {
    if (this.#next < this.#max) return nameAddress(this.#next++);
    const [name, address] = this.#addresses.entries().next().value!;
    this.#addresses.delete(name);
    this.#names.delete(address);
    return address;
  }
}
