// What the declarations inside the SDKs of language models say: which parameters an operation takes, however deep, and which
// fields its answer always has.
import { globSync, readFileSync } from 'node:fs';
import { type Declared, DeclaredTypes, type Scope, type TypeNode } from './declarations.ts';

const ROOTS = {
  openai: new URL('../node_modules/openai/', import.meta.url),
  anthropic: new URL('../node_modules/@anthropic-ai/sdk/', import.meta.url),
} as const;
/** Computed of other types, and no operation's. */
const COMPUTED = /\/internal-base\.d\.ts$/;
/** Of the first type in them. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'APIPromise',
  'Stream',
  'Promise',
  'Omit',
  'Partial',
  'Pick',
  'NonNullable',
]);
const LISTS: ReadonlySet<string> = new Set(['Array', 'ReadonlyArray', 'Iterable']);
/** A page answers its items as `data`. */
const PAGES = /(?:Page|PagePromise)$/;

type Method = { readonly scope: Scope; readonly params: string | null; readonly answer: TypeNode | null };

export type Parameter = {
  /** `tools[].function.name`. */
  readonly path: string;
  readonly last: string;
};

export class LlmTypes {
  readonly #types = new DeclaredTypes();

  constructor(vendor: keyof typeof ROOTS) {
    const root = ROOTS[vendor];
    for (const file of globSync('resources/**/*.d.ts', { cwd: root }).sort())
      if (!COMPUTED.test(file)) this.#types.read(file, readFileSync(new URL(file, root), 'utf8'));
  }

  /** `beta.threads.runs.create`; null where it is no method of a resource. */
  #method(operation: string): Method | null {
    const path = operation.split('.').map(kebab);
    const name = camel(path.pop() ?? '');
    const place = path.join('/');
    for (const file of [`resources/${place}.d.ts`, `resources/${place}/${path.at(-1)}.d.ts`]) {
      const scope = this.#types.all.get(file);
      for (const methods of scope?.classes.values() ?? []) {
        const found = methods.get(name);
        if (scope !== undefined && found !== undefined) return { scope, ...found };
      }
    }
    return null;
  }

  knows(operation: string): boolean {
    return this.#method(operation) !== null;
  }

  /** Every parameter, and each inside of it. */
  parametersOf(operation: string): readonly Parameter[] {
    const method = this.#method(operation);
    return method?.params == null
      ? []
      : this.#inside(method.scope, { is: 'name', name: method.params, of: [] });
  }

  /** The names of an answer's fields, however deep: a parameter of such a name is answered as it was given. */
  shownBy(operation: string): ReadonlySet<string> {
    const method = this.#method(operation);
    const fields = method?.answer == null ? [] : this.#inside(method.scope, method.answer);
    return new Set(fields.map(({ last }) => last));
  }

  #inside(scope: Scope, type: TypeNode): readonly Parameter[] {
    const found = new Map<string, Parameter>();
    this.#walk(scope, type, '', new Set(), found);
    return [...found.values()];
  }

  #walk(
    scope: Scope,
    type: TypeNode,
    at: string,
    within: ReadonlySet<Declared>,
    found: Map<string, Parameter>,
  ): void {
    if (type.is === 'text') return;
    if (type.is === 'union') {
      for (const each of type.of) this.#walk(scope, each, at, within, found);
      return;
    }
    if (type.is === 'hash') {
      for (const { name, type: inner } of type.fields) {
        const path = at === '' ? name : `${at}.${name}`;
        // What a word decides (`type`) is no parameter beside what it decides.
        if (name !== 'type' && !found.has(path)) found.set(path, { path, last: name });
        this.#walk(scope, inner, path, within, found);
      }
      return;
    }
    const [first] = type.of;
    if (LISTS.has(type.name)) return first && this.#walk(scope, first, `${at}[]`, within, found);
    if (WRAPPERS.has(type.name)) return first && this.#walk(scope, first, at, within, found);
    if (PAGES.test(type.name)) for (const each of type.of) this.#walk(scope, each, `${at}[]`, within, found);
    for (const [where, declared] of this.#declared(scope, type.name)) {
      // A type inside of itself is counted once.
      if (within.has(declared)) continue;
      this.#walk(where, declared.type, at, new Set([...within, declared]), found);
    }
  }

  /** A type, and those that it extends. */
  #declared(scope: Scope, name: string): readonly (readonly [Scope, Declared])[] {
    const found = this.#types.find(scope, name);
    const declared = found?.scope.types.get(found.name);
    if (found === null || found === undefined || declared === undefined) return [];
    const bases = declared.extends.flatMap(base => this.#declared(found.scope, base));
    return [...bases, [found.scope, declared]];
  }

  /** The names of the fields of an object, by the word that its `tag` always has. */
  fieldsOf(tag: string, word: string): readonly string[] {
    return this.#objects(tag).get(word) ?? [];
  }

  readonly #tagged = new Map<string, ReadonlyMap<string, readonly string[]>>();

  #objects(tag: string): ReadonlyMap<string, readonly string[]> {
    const held = this.#tagged.get(tag);
    if (held !== undefined) return held;
    const found = new Map<string, readonly string[]>();
    const visit = (scope: Scope): void => {
      for (const [name, { type }] of scope.types) {
        if (type.is !== 'hash' || /Params?$/.test(name)) continue;
        const said = type.fields.find(field => field.name === tag)?.type;
        if (said?.is !== 'text' || found.has(said.value)) continue;
        found.set(
          said.value,
          this.#declared(scope, name).flatMap(([, each]) =>
            each.type.is === 'hash' ? each.type.fields.map(field => field.name) : [],
          ),
        );
      }
      for (const inner of scope.spaces.values()) visit(inner);
    };
    for (const [file, scope] of this.#types.all) if (!file.includes('/beta/')) visit(scope);
    this.#tagged.set(tag, found);
    return found;
  }

  /** What an answer lacks of what the SDK declares of it; null where it declares none. */
  faultsOf(operation: string, answer: unknown): readonly string[] | null {
    const method = this.#method(operation);
    if (method?.answer == null) return null;
    return this.#faults(method.scope, method.answer, answer, '');
  }

  #faults(scope: Scope, type: TypeNode, value: unknown, at: string): readonly string[] {
    if (type.is === 'text') return value === type.value ? [] : [`${at} is not ‘${type.value}’`];
    if (type.is === 'union') {
      const all = type.of.map(each => this.#faults(scope, each, value, at));
      return all.reduce((best, each) => (each.length < best.length ? each : best));
    }
    if (type.is === 'hash') return this.#lacking(scope, type, value, at);
    const [first] = type.of;
    if (first !== undefined && WRAPPERS.has(type.name)) return this.#faults(scope, first, value, at);
    if (LISTS.has(type.name) || PAGES.test(type.name)) {
      const items = LISTS.has(type.name) ? value : (value as { data?: unknown } | null)?.data;
      if (!Array.isArray(items)) return [`${at} is no list`];
      const item = type.of.at(-1);
      return item === undefined ? [] : items.flatMap(each => this.#faults(scope, item, each, `${at}[]`));
    }
    const kind = KINDS[type.name];
    if (kind !== undefined) return kind(value) ? [] : [`${at} is no ${type.name}`];
    if (/^\d+$/.test(type.name)) return value === Number(type.name) ? [] : [`${at} is not ${type.name}`];
    const declared = this.#declared(scope, type.name);
    return declared.flatMap(([where, each]) => this.#faults(where, each.type, value, at));
  }

  #lacking(scope: Scope, type: TypeNode & { is: 'hash' }, value: unknown, at: string): readonly string[] {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is no object`];
    const held = value as { readonly [name: string]: unknown };
    return type.fields.flatMap(({ name, optional, type: inner }) => {
      const place = at === '' ? name : `${at}.${name}`;
      // The SDK puts these there itself.
      if (name.startsWith('_') || name === 'output_text') return [];
      if (!Object.hasOwn(held, name)) return optional ? [] : [`${place} is missing`];
      // What may be absent is often answered as null.
      if (optional && held[name] === null) return [];
      return this.#faults(scope, inner, held[name], place);
    });
  }
}

const KINDS: { readonly [name: string]: (value: unknown) => boolean } = {
  string: value => typeof value === 'string',
  number: value => typeof value === 'number',
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
  undefined: value => value === undefined,
  true: value => value === true,
  false: value => value === false,
  unknown: () => true,
  any: () => true,
  object: value => typeof value === 'object',
  Record: value => typeof value === 'object' && value !== null,
};

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
const camel = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
