// Reads the declarations inside the stripe package: which fields each object has, what each operation takes, and
// which events there are. A reader of just the TypeScript that those files are written in, and nothing more.
import { readdirSync, readFileSync } from 'node:fs';

const ESM: URL = new URL('../node_modules/stripe/esm/', import.meta.url);

/** A field's marks: `?` may be absent, `~` may be null (of a parameter: may be emptied). */
export type Shape =
  | string
  | readonly [Shape]
  | { readonly '|': readonly Shape[] }
  | { readonly [field: string]: Shape };

type TypeNode =
  | { readonly is: 'name'; readonly name: string; readonly of: readonly TypeNode[] }
  | { readonly is: 'text'; readonly value: string }
  | { readonly is: 'union'; readonly of: readonly TypeNode[] }
  | { readonly is: 'hash'; readonly fields: readonly Field[]; readonly rest: TypeNode | null };
type Field = { readonly name: string; readonly optional: boolean; readonly type: TypeNode };
type Declared = { readonly type: TypeNode; readonly extends: readonly string[] };
type Method = { readonly params: string | null; readonly answer: TypeNode | null };
type Scope = {
  readonly file: string;
  readonly parent: Scope | null;
  readonly types: Map<string, Declared>;
  readonly spaces: Map<string, Scope>;
  readonly imports: Map<string, { readonly file: string; readonly name: string | null }>;
  readonly classes: Map<string, Map<string, Method>>;
};

const TOKEN = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[A-Za-z_$][\w$]*|\d+|=>|\.\.\.|[{}[\]()<>|&;:,.?=*+-]/g;

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;
  readonly scope: Scope;

  constructor(source: string, file: string) {
    this.#tokens = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '').match(TOKEN) ?? [];
    this.scope = newScope(file, null);
  }

  /** A method, not a getter: the compiler would think it stays what it was. */
  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }
  #take(): string {
    return this.#tokens[this.#at++] ?? '';
  }
  #skip(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#at += 1;
    return true;
  }
  #need(token: string): void {
    if (!this.#skip(token)) {
      throw new Error(
        `${this.scope.file}: ${token} is wanted where ${this.#tokens.slice(this.#at, this.#at + 8).join(' ')} is`,
      );
    }
  }

  file(): Scope {
    while (this.#peek() !== '') this.#statement(this.scope);
    return this.scope;
  }

  #statement(scope: Scope): void {
    while (this.#skip('export') || this.#skip('declare') || this.#skip('abstract'));
    switch (this.#peek()) {
      case 'import':
        return this.#import(scope);
      case 'interface':
        return this.#interface(scope);
      case 'namespace': {
        this.#take();
        const inner = scope.spaces.get(this.#peek()) ?? newScope(scope.file, scope);
        scope.spaces.set(this.#take(), inner);
        this.#need('{');
        while (!this.#skip('}')) this.#statement(inner);
        return;
      }
      case 'type': {
        this.#take();
        const name = this.#take();
        if (this.#peek() !== '=') return this.#toSemicolon();
        this.#need('=');
        scope.types.set(name, { type: this.#type(), extends: [] });
        this.#skip(';');
        return;
      }
      case 'class':
        return this.#class(scope);
      default:
        return this.#toSemicolon();
    }
  }

  #toSemicolon(): void {
    let depth = 0;
    while (this.#peek() !== '') {
      const token = this.#take();
      if (token === '{') depth += 1;
      if (token === '}') depth -= 1;
      if (token === '}' && depth === 0 && this.#peek() !== ';' && this.#peek() !== 'from') return;
      if (token === ';' && depth === 0) return;
    }
  }

  #import(scope: Scope): void {
    this.#take();
    const names: [string, string | null][] = [];
    if (this.#skip('*')) {
      this.#need('as');
      names.push([this.#take(), null]);
    } else if (this.#skip('{')) {
      while (!this.#skip('}')) {
        const name = this.#take();
        names.push([this.#skip('as') ? this.#take() : name, name]);
        this.#skip(',');
      }
    } else return this.#toSemicolon();
    this.#need('from');
    const from = this.#take().slice(1, -1);
    const file = new URL(from.replace(/\.js$/, '.d.ts'), new URL(scope.file, ESM)).href.slice(
      ESM.href.length,
    );
    for (const [local, name] of names) scope.imports.set(local, { file, name });
    this.#skip(';');
  }

  #interface(scope: Scope): void {
    this.#take();
    const name = this.#take();
    const bases: string[] = [];
    if (this.#skip('extends')) {
      do bases.push(this.#dotted());
      while (this.#skip(','));
    }
    scope.types.set(name, { type: this.#hash(), extends: bases });
  }

  #dotted(): string {
    let name = this.#take();
    while (this.#skip('.')) name += `.${this.#take()}`;
    if (this.#peek() === '<') this.#arguments();
    return name;
  }

  #hash(): TypeNode {
    this.#need('{');
    const fields: Field[] = [];
    let rest: TypeNode | null = null;
    while (!this.#skip('}')) {
      this.#skip('readonly');
      if (this.#skip('[')) {
        this.#take();
        this.#need(':');
        this.#type();
        this.#need(']');
        this.#need(':');
        rest = this.#type();
      } else {
        const name = this.#take().replaceAll(/^['"]|['"]$/g, '');
        const optional = this.#skip('?');
        if (this.#peek() === '(') {
          this.#toSemicolon();
          continue;
        }
        this.#need(':');
        fields.push({ name, optional, type: this.#type() });
      }
      this.#skip(';');
      this.#skip(',');
    }
    return { is: 'hash', fields, rest };
  }

  #type(): TypeNode {
    const of: TypeNode[] = [];
    this.#skip('|');
    do of.push(this.#one());
    while (this.#skip('|') || this.#skip('&'));
    return of.length === 1 ? (of[0] as TypeNode) : { is: 'union', of };
  }

  #one(): TypeNode {
    let node: TypeNode;
    if (this.#peek() === '{') node = this.#hash();
    else if (this.#peek() === '(') {
      const opened = this.#at;
      let depth = 0;
      do depth += this.#peek() === '(' ? 1 : this.#peek() === ')' ? -1 : 0;
      while (this.#take() !== '' && depth > 0);
      if (this.#skip('=>')) {
        this.#type();
        node = { is: 'name', name: 'unknown', of: [] };
      } else {
        this.#at = opened + 1;
        node = this.#type();
        this.#need(')');
      }
    } else if (/^['"]/.test(this.#peek())) node = { is: 'text', value: this.#take().slice(1, -1) };
    else {
      let name = this.#take();
      while (this.#skip('.')) name += `.${this.#take()}`;
      node = { is: 'name', name, of: this.#peek() === '<' ? this.#arguments() : [] };
    }
    while (this.#peek() === '[') {
      this.#take();
      if (this.#skip(']')) node = { is: 'name', name: 'Array', of: [node] };
      else {
        this.#type();
        this.#need(']');
        node = { is: 'name', name: 'unknown', of: [] };
      }
    }
    return node;
  }

  #arguments(): TypeNode[] {
    this.#need('<');
    const of: TypeNode[] = [];
    while (!this.#skip('>')) {
      of.push(this.#type());
      this.#skip(',');
    }
    return of;
  }

  /** Only what resources have: methods whose parameters' and answers' types are names. */
  #class(scope: Scope): void {
    this.#take();
    const methods = new Map<string, Method>();
    scope.classes.set(this.#take(), methods);
    while (this.#peek() !== '{') this.#take();
    this.#take();
    while (!this.#skip('}')) {
      const name = this.#take();
      if (this.#peek() !== '(') {
        this.#toSemicolon();
        continue;
      }
      let depth = 0;
      let params: string | null = null;
      do {
        const token = this.#take();
        if (token === '(') depth += 1;
        if (token === ')') depth -= 1;
        if (token === 'params' && depth === 1) {
          this.#skip('?');
          this.#need(':');
          params = this.#dotted();
        }
      } while (depth > 0);
      const answer = this.#skip(':') ? this.#type() : null;
      this.#skip(';');
      const held = methods.get(name);
      methods.set(name, { params: held?.params ?? params, answer: held?.answer ?? answer });
    }
  }
}

function newScope(file: string, parent: Scope | null): Scope {
  return { file, parent, types: new Map(), spaces: new Map(), imports: new Map(), classes: new Map() };
}

export class StripeTypes {
  readonly #files = new Map<string, Scope>();
  /** Object name → where its interface is. Two of one name: the first version of the API wins. */
  readonly objects = new Map<string, { readonly scope: Scope; readonly name: string }>();

  constructor() {
    const files = readdirSync(ESM, { recursive: true, encoding: 'utf8' })
      .map(file => file.replaceAll('\\', '/'))
      .filter(file => file.startsWith('resources/') && file.endsWith('.d.ts'))
      .sort((a, b) => Number(a.includes('/V2/')) - Number(b.includes('/V2/')) || (a < b ? -1 : 1));
    for (const file of ['shared.d.ts', ...files]) this.#read(file);
    for (const [file, scope] of this.#files) {
      if (!file.startsWith('resources/')) continue;
      for (const [name, declared] of scope.types) {
        const object = objectOf(declared);
        if (object !== null && !name.startsWith('Deleted') && !this.objects.has(object))
          this.objects.set(object, { scope, name });
      }
    }
  }

  #read(file: string): void {
    this.#files.set(file, new Reader(readFileSync(new URL(file, ESM), 'utf8'), file).file());
  }

  file(file: string): Scope | undefined {
    return this.#files.get(file);
  }

  #find(scope: Scope, name: string): { scope: Scope; name: string } | null {
    const [first = '', ...rest] = name.split('.');
    for (let at: Scope | null = scope; at !== null; at = at.parent) {
      if (rest.length === 0 && at.types.has(first)) return { scope: at, name: first };
      const space = rest.length > 0 ? at.spaces.get(first) : undefined;
      if (space !== undefined) {
        const found = this.#inside(space, rest);
        if (found !== null) return found;
      }
      const imported = at.imports.get(first);
      if (imported === undefined) continue;
      const file = this.#files.get(imported.file);
      if (imported.name !== null) {
        return file === undefined ? null : this.#find(file, [imported.name, ...rest].join('.'));
      }
      // `* as TestHelpers from './TestHelpers/index.js'`: the folder's files hold what the index gives on.
      const folder = imported.file.replace(/(index)?\.d\.ts$/, '');
      for (const [path, held] of this.#files) {
        if (!path.startsWith(folder) || path.slice(folder.length).includes('/')) continue;
        const found = this.#inside(held, rest);
        if (found !== null) return found;
      }
    }
    return null;
  }

  #inside(space: Scope, names: readonly string[]): { scope: Scope; name: string } | null {
    const [first = '', ...rest] = names;
    if (rest.length === 0) return space.types.has(first) ? { scope: space, name: first } : null;
    const inner = space.spaces.get(first);
    return inner === undefined ? null : this.#inside(inner, rest);
  }

  /** The object an answer is of, and whether it is a list or a search of them. */
  answerOf(
    scope: Scope,
    answer: TypeNode | null,
  ): { object: string | null; how: 'one' | 'list' | 'search' | 'gone' } {
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
    const found = this.#find(scope, answer.name);
    const declared = found?.scope.types.get(found.name);
    return {
      object: declared === undefined ? null : objectOf(declared),
      how: found?.name.startsWith('Deleted') === true ? 'gone' : 'one',
    };
  }

  /** The shape of a declared type: an object's fields, or an operation's parameters. */
  shape(scope: Scope, name: string): Shape {
    const found = this.#find(scope, name);
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
    const found = this.#find(scope, type.name);
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
    const object = shapes.find(
      (shape): shape is string => typeof shape === 'string' && shape.startsWith('&'),
    );
    // `string | Customer | DeletedCustomer`: the id, or the object where it is expanded.
    if (object !== undefined && shapes.includes('s')) return `@${object.slice(1)}`;
    if (object !== undefined) return object;
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
