// The stories by which fidelity is judged, as data: requests in order, asked of the twin and of who stands in the vendor's
// place. `{customer.id}` is a value of the answer to the step of that name.
export type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

export type Step = {
  /** By which later steps name its answer; one of its own in the story. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** A form's fields, or a query's where the method is GET. */
  readonly params?: { readonly [name: string]: Value };
  /** Asked again until a field of the answer has this text: what a vendor does in its own time. */
  readonly until?: { readonly [field: string]: string };
};

export type Story = {
  readonly name: string;
  readonly steps: readonly Step[];
  /** What takes away what the story left at the vendor. Asked in the end however it went, and not compared. */
  readonly after?: readonly Step[];
};

/** A step as one side is asked it. */
export type Asked = {
  readonly method: Step['method'];
  readonly path: string;
  /** Pairs of a form, in order. */
  readonly pairs: readonly (readonly [string, string])[];
};

export type Answered = { readonly status: number; readonly body: unknown };
export type Answers = ReadonlyMap<string, Answered>;

/** The step with the values of earlier answers in it; or the place that none of them has. */
export function askedOf(step: Step, answers: Answers): Asked | { readonly lacks: string } {
  const lacks: string[] = [];
  const filled = (text: string): string =>
    text.replaceAll(/\{([^}]+)\}/g, (_whole, place: string) => {
      const value = valueAt(place, answers);
      if (value === undefined) lacks.push(place);
      return String(value);
    });
  const path = filled(step.path);
  const pairs: (readonly [string, string])[] = [];
  const add = (name: string, value: Value): void => {
    if (typeof value !== 'object') pairs.push([name, filled(String(value))]);
    else for (const [key, inner] of Object.entries(value)) add(`${name}[${key}]`, inner);
  };
  for (const [name, value] of Object.entries(step.params ?? {})) add(name, value);
  return lacks[0] === undefined ? { method: step.method, path, pairs } : { lacks: lacks[0] };
}

/** `items.data.0.id` of an answer; undefined where it has no text, number or boolean there. */
function valueAt(place: string, answers: Answers): string | number | boolean | undefined {
  const [name = '', ...fields] = place.split('.');
  let value = answers.get(name)?.body;
  for (const field of fields) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as { readonly [field: string]: unknown })[field];
  }
  return typeof value === 'object' ? undefined : (value as string | number | boolean | undefined);
}

/** As a line of a terminal: `POST /v1/customers email=ada@example.com`. */
export function requestLine({ method, path, pairs }: Asked): string {
  return [method, path, ...pairs.map(([name, value]) => `${name}=${value}`)].join(' ');
}
