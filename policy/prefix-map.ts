// Values under path prefixes, found in as many steps as a path has folders: the number of prefixes does not
// matter, and a long path costs no more than the deepest prefix held.

export class PrefixMap<T> {
  readonly #values = new Map<string, T>();
  /** True at n where some prefix has n slashes: only there is a slice worth hashing. */
  readonly #depths: boolean[] = [];

  /** `prefix` begins and ends with `/`. The first value set for a prefix stays; false when there was one. */
  add(prefix: string, value: T): boolean {
    if (this.#values.has(prefix)) return false;
    this.#values.set(prefix, value);
    let depth = 0;
    for (let at = prefix.indexOf('/'); at >= 0; at = prefix.indexOf('/', at + 1)) depth++;
    while (this.#depths.length <= depth) this.#depths.push(false);
    this.#depths[depth] = true;
    return true;
  }

  get(prefix: string): T | undefined {
    return this.#values.get(prefix);
  }

  /** The value of the longest prefix of `target.slice(0, end)`. */
  longest(target: string, end: number): T | undefined {
    const deepest = this.#depths.length - 1;
    let found: T | undefined;
    let depth = 0;
    for (let at = target.indexOf('/'); at >= 0 && at < end; at = target.indexOf('/', at + 1)) {
      depth++;
      if (depth > deepest) break;
      if (this.#depths[depth]) found = this.#values.get(target.slice(0, at + 1)) ?? found;
    }
    return found;
  }
}
