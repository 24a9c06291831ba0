// A text that is looked for: every word of it, wherever it stands, whatever its case. Values are looked at and names of fields
// are not: `ada` is in no `metadata`.

export class Needle {
  readonly text: string;
  readonly #words: readonly string[];

  constructor(text: string) {
    this.text = text.trim();
    this.#words = this.text
      .toLowerCase()
      .split(/\s+/)
      .filter(word => word !== '');
  }

  /** `whole`: asked for where the words that people read (`said`) do not hold it already. */
  isIn(said: string, whole: () => unknown): boolean {
    if (this.#words.length === 0) return true;
    const read = said.toLowerCase();
    let values: string | null = null;
    return this.#words.every(word => {
      if (read.includes(word)) return true;
      values ??= valuesIn(whole()).toLowerCase();
      return values.includes(word);
    });
  }
}

/** The texts and numbers in a value, a line each. */
const valuesIn = (value: unknown): string => {
  const found: string[] = [];
  const take = (each: unknown): void => {
    if (typeof each === 'string') found.push(each);
    else if (typeof each === 'number') found.push(String(each));
    else if (typeof each === 'object' && each !== null) for (const inner of Object.values(each)) take(inner);
  };
  take(value);
  return found.join('\n');
};
