// A reader of just the TypeScript that the declarations of vendors' SDKs are written in, and nothing more: what is computed
// of other types is told as unknown. And the types of many files, found by their names.
import { posix } from 'node:path';

export type TypeNode =
  | { readonly is: 'name'; readonly name: string; readonly of: readonly TypeNode[] }
  | { readonly is: 'text'; readonly value: string }
  | { readonly is: 'union'; readonly of: readonly TypeNode[] }
  | { readonly is: 'hash'; readonly fields: readonly Field[]; readonly rest: TypeNode | null };
type Field = { readonly name: string; readonly optional: boolean; readonly type: TypeNode };
export type Declared = { readonly type: TypeNode; readonly extends: readonly string[] };
type Method = { readonly params: string | null; readonly answer: TypeNode | null };
export type Scope = {
  readonly file: string;
  readonly parent: Scope | null;
  readonly types: Map<string, Declared>;
  readonly spaces: Map<string, Scope>;
  readonly imports: Map<string, { readonly file: string; readonly name: string | null }>;
  readonly classes: Map<string, Map<string, Method>>;
};

const TOKEN = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[A-Za-z_$][\w$]*|\d+|=>|\.\.\.|[{}[\]()<>|&;:,.?=*+-]/g;

/** What a file declares. `file` is its place in the package. */
export function readDeclarations(source: string, file: string): Scope {
  return new Reader(source, file).file();
}

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
        let inner = scope;
        do {
          const held = inner.spaces.get(this.#peek()) ?? newScope(scope.file, inner);
          inner.spaces.set(this.#take(), held);
          inner = held;
        } while (this.#skip('.'));
        this.#need('{');
        while (!this.#skip('}')) this.#statement(inner);
        return;
      }
      case 'type': {
        this.#take();
        const name = this.#take();
        this.#skipGenerics();
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
        const first = this.#take();
        const name = first === 'type' && /^\w/.test(this.#peek()) ? this.#take() : first;
        names.push([this.#skip('as') ? this.#take() : name, name]);
        this.#skip(',');
      }
    } else return this.#toSemicolon();
    this.#need('from');
    const from = this.#take().slice(1, -1);
    const file = posix.join(posix.dirname(scope.file), from.replace(/\.js$/, '.d.ts'));
    for (const [local, name] of names) scope.imports.set(local, { file, name });
    this.#skip(';');
  }

  /** Whether a parameter's type follows. */
  #isDeclared(): boolean {
    return [':', '?'].includes(this.#peek());
  }

  #interface(scope: Scope): void {
    this.#take();
    const name = this.#take();
    this.#skipGenerics();
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
        // `[name: string]`, and what is mapped of other names.
        while (!this.#skip(']')) this.#take();
        this.#skip('?');
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
    this.#skip('readonly');
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
    } else if (this.#skip('[')) {
      const of: TypeNode[] = [];
      while (!this.#skip(']')) {
        of.push(this.#type());
        this.#skip(',');
      }
      node = { is: 'name', name: 'Array', of: [{ is: 'union', of }] };
    } else if (this.#skip('keyof') || this.#skip('typeof')) {
      this.#one();
      node = { is: 'name', name: 'unknown', of: [] };
    } else if (this.#skip('import')) {
      while (!this.#skip(')')) this.#take();
      while (this.#skip('.')) this.#take();
      node = { is: 'name', name: 'unknown', of: [] };
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

  #skipGenerics(): void {
    if (this.#peek() !== '<') return;
    let depth = 0;
    do {
      const token = this.#take();
      depth += token === '<' ? 1 : token === '>' ? -1 : 0;
    } while (depth > 0);
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
      this.#skipGenerics();
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
        if (PARAMS.has(token) && depth === 1 && params === null && this.#isDeclared()) {
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

/** How methods call what is sent. */
const PARAMS: ReadonlySet<string> = new Set(['params', 'body', 'query']);

function newScope(file: string, parent: Scope | null): Scope {
  return { file, parent, types: new Map(), spaces: new Map(), imports: new Map(), classes: new Map() };
}

/** The files of a package, by their places in it. */
export class DeclaredTypes {
  readonly #files = new Map<string, Scope>();

  read(file: string, source: string): void {
    this.#files.set(file, readDeclarations(source, file));
  }

  get all(): ReadonlyMap<string, Scope> {
    return this.#files;
  }

  /** Where the type of a name is, as it is seen from a scope. */
  find(scope: Scope, name: string): { scope: Scope; name: string } | null {
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
        return file === undefined ? null : this.find(file, [imported.name, ...rest].join('.'));
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
}
