// What the declarations inside the stripe package say: which fields each object has, what each operation takes, and
// which events there are.
import { readdirSync, readFileSync } from 'node:fs';
import { type Declared, DeclaredTypes, type Scope, type TypeNode } from './declarations.ts';

const ESM = new URL('../node_modules/stripe/esm/', import.meta.url);

/** A field's marks: `?` may be absent, `~` may be null (of a parameter: may be emptied). */
export type Shape =
  | string
  | readonly [Shape]
  | { readonly '|': readonly Shape[] }
  | { readonly [field: string]: Shape };

export class StripeTypes {
  readonly #types = new DeclaredTypes();
  /** Object name → where its interface is. Two of one name: the first version of the API wins. */
  readonly objects = new Map<string, { readonly scope: Scope; readonly name: string }>();

  constructor() {
    const files = readdirSync(ESM, { recursive: true, encoding: 'utf8' })
      .map(file => file.replaceAll('\\', '/'))
      .filter(file => file.startsWith('resources/') && file.endsWith('.d.ts'))
      .sort((a, b) => Number(a.includes('/V2/')) - Number(b.includes('/V2/')) || (a < b ? -1 : 1));
    for (const file of ['shared.d.ts', ...files])
      this.#types.read(file, readFileSync(new URL(file, ESM), 'utf8'));
    for (const [file, scope] of this.#types.all) {
      if (!file.startsWith('resources/')) continue;
      for (const [name, declared] of scope.types) {
        const object = objectOf(declared);
        if (object !== null && !name.startsWith('Deleted') && !this.objects.has(object))
          this.objects.set(object, { scope, name });
      }
    }
  }

  file(file: string): Scope | undefined {
    return this.#types.all.get(file);
  }

  /** The object an answer is of, and whether it is a list or a search of them. */
  answerOf(
    scope: Scope,
    answer: TypeNode | null,
  ): { object: string | null; how: 'one' | 'list' | 'search' | 'gone' } {
    // `Customer | DeletedCustomer`: what it is while it is there.
    if (answer?.is === 'union') {
      const all = answer.of.map(one => this.answerOf(scope, one));
      return all.find(({ how }) => how === 'one') ?? { object: null, how: 'one' };
    }
    if (answer?.is !== 'name') return { object: null, how: 'one' };
    if (answer.name === 'Promise' || answer.name === 'Response')
      return this.answerOf(scope, answer.of[0] ?? null);
    if (
      answer.name === 'ApiListPromise' ||
      answer.name === 'V2ListPromise' ||
      answer.name === 'ApiSearchResultPromise'
    ) {
      const { object } = this.answerOf(scope, answer.of[0] ?? null);
      return { object, how: answer.name === 'ApiSearchResultPromise' ? 'search' : 'list' };
    }
    const found = this.#types.find(scope, answer.name);
    const declared = found?.scope.types.get(found.name);
    return {
      object: declared === undefined ? null : objectOf(declared),
      how: found?.name.startsWith('Deleted') === true ? 'gone' : 'one',
    };
  }

  /** The shape of a declared type: an object's fields, or an operation's parameters. */
  shape(scope: Scope, name: string): Shape {
    const found = this.#types.find(scope, name);
    if (found === null) return 'x';
    const declared = found.scope.types.get(found.name) as Declared;
    const whole: { [field: string]: Shape } = {};
    for (const base of declared.extends) {
      const shape = this.shape(found.scope, base);
      if (typeof shape === 'object' && !Array.isArray(shape)) Object.assign(whole, shape);
    }
    const own = this.#shapeOf(found.scope, declared.type);
    if (declared.extends.length === 0 || typeof own !== 'object') return own;
    return Object.assign(whole, own);
  }

  #shapeOf(scope: Scope, type: TypeNode): Shape {
    switch (type.is) {
      case 'text':
        return `=${type.value}`;
      case 'hash': {
        const shape: { [field: string]: Shape } = {};
        for (const field of type.fields) {
          if (field.name === 'deleted' || field.name === 'lastResponse') continue;
          const { inner, empty } = this.#emptiable(scope, field.type);
          shape[`${field.name}${field.optional ? '?' : ''}${empty ? '~' : ''}`] = this.#shapeOf(scope, inner);
        }
        if (type.rest !== null) shape['*'] = this.#shapeOf(scope, type.rest);
        return shape;
      }
      case 'union':
        return this.#union(scope, type.of);
      case 'name':
        return this.#named(scope, type);
    }
  }

  #emptiable(scope: Scope, type: TypeNode): { inner: TypeNode; empty: boolean } {
    if (type.is === 'name' && type.name === 'Emptyable')
      return { inner: type.of[0] as TypeNode, empty: true };
    if (type.is !== 'union') return { inner: type, empty: false };
    const kept = type.of.filter(
      part =>
        !(part.is === 'name' && ['null', 'undefined'].includes(part.name)) &&
        !(part.is === 'text' && part.value === ''),
    );
    const inner: TypeNode = kept.length === 1 ? (kept[0] as TypeNode) : { is: 'union', of: kept };
    const nested = kept.length === 1 ? this.#emptiable(scope, inner) : { inner, empty: false };
    return { inner: nested.inner, empty: kept.length < type.of.length || nested.empty };
  }

  #named(scope: Scope, type: TypeNode & { is: 'name' }): Shape {
    const scalar = SCALARS[type.name];
    if (scalar !== undefined) return scalar;
    if (type.name === 'Array') return [this.#shapeOf(scope, type.of[0] as TypeNode)];
    if (type.name === 'Emptyable') return this.#shapeOf(scope, type.of[0] as TypeNode);
    if (type.name === 'ApiList') {
      const { object } = this.answerOf(scope, type.of[0] ?? null);
      return `+${object ?? ''}`;
    }
    const found = this.#types.find(scope, type.name);
    if (found === null) return 'x';
    const declared = found.scope.types.get(found.name) as Declared;
    const object = objectOf(declared);
    if (object !== null) return `&${object}`;
    return this.shape(found.scope, found.name);
  }

  #union(scope: Scope, of: readonly TypeNode[]): Shape {
    const shapes = of
      .filter(part => !(part.is === 'name' && part.name === 'OtherString'))
      .map(part => this.#shapeOf(scope, part));
    const objects = shapes.filter(
      (shape): shape is string => typeof shape === 'string' && shape.startsWith('&'),
    );
    const named = [...new Set(objects.flatMap(shape => shape.slice(1).split('|')))].join('|');
    // `string | Customer | DeletedCustomer`: the id, or the object where it is expanded; `card|source`: one of these.
    if (named !== '') return `${shapes.includes('s') ? '@' : '&'}${named}`;
    const words = shapes.filter(
      (shape): shape is string => typeof shape === 'string' && shape.startsWith('='),
    );
    const rest = shapes.filter(shape => !words.includes(shape as string));
    const word = words.length === 0 ? [] : [words.join('|').replaceAll('|=', '|')];
    const all: Shape[] = [...word, ...rest];
    return all.length === 1 ? (all[0] as Shape) : { '|': all };
  }
}

const SCALARS: { readonly [name: string]: string } = {
  string: 's',
  number: 'n',
  boolean: 'b',
  Decimal: 'd',
  bigint: 'n',
  Metadata: 'm',
  MetadataParam: 'm',
  OtherString: 's',
  Date: 's',
};

function objectOf(declared: Declared): string | null {
  if (declared.type.is !== 'hash') return null;
  const field = declared.type.fields.find(({ name }) => name === 'object');
  return field?.type.is === 'text' ? field.type.value : null;
}
