// A value that must not be seen. It prints as `[secret]` wherever something prints it (logs, errors, JSON,
// the inspector); the one way to the value is `reveal()`, which is easy to grep for (security 52).

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}
