// Fields of a twin's objects that no line of it ever gives another value, read from its source.
import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Property, parse, type SpreadElement } from 'acorn';
import type { Source } from './reach.ts';

export type Counted = { readonly of: number; readonly missing: readonly string[] };

type Vendor = {
  /** The field that says what an object is: of each kind the same. */
  readonly tag: string;
  /** The names that the vendor declares of a kind of object; none of what is no object of its. */
  readonly fieldsOf: (object: string) => readonly string[];
};

type Field = { readonly name: string /** Null where it is no literal. */; readonly value: string | null };
type Written = Field & { readonly folder: string; readonly source: string };

/**
 * A field that an object begins with as a literal, and that no line of its product's folder, or of a file that names the
 * object, writes with another value. Names are looked for wherever they stand, so a field of another object may hide one: the count is a lower bound.
 */
export function constantsOf(files: readonly Source[], { tag, fieldsOf }: Vendor): Counted {
  const written: Written[] = [];
  const begun: { object: string; field: string; value: string; folder: string }[] = [];
  for (const { folder, text } of files) {
    const source = stripTypeScriptTypes(text);
    for (const fields of literalsOf(source)) {
      for (const field of fields) written.push({ ...field, folder, source });
      const object = fields.find(({ name }) => name === tag)?.value;
      if (object?.startsWith("'") !== true) continue;
      for (const { name, value } of fields)
        if (value !== null) begun.push({ object: object.slice(1, -1), field: name, value, folder });
    }
  }
  let of = 0;
  const missing = new Set<string>();
  for (const object of new Set(begun.map(each => each.object))) of += fieldsOf(object).length;
  for (const { object, field, value, folder } of begun) {
    if (field === tag || !fieldsOf(object).includes(field)) continue;
    const others = written.filter(
      each => each.name === field && (each.folder === folder || each.source.includes(`'${object}'`)),
    );
    if (others.every(each => each.value === value)) missing.add(`${object}.${field}`);
  }
  return { of, missing: [...missing].sort() };
}

/** The fields of each object literal of a file. */
function literalsOf(source: string): Field[][] {
  const found: Field[][] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    if (typeof node !== 'object' || node === null || !('type' in node)) return;
    const inner = node as AnyNode;
    if (inner.type === 'ObjectExpression')
      found.push(inner.properties.flatMap(property => fieldOf(property, source)));
    for (const value of Object.values(inner)) visit(value);
  };
  visit(parse(source, { ecmaVersion: 'latest', sourceType: 'module' }));
  return found;
}

function fieldOf(property: Property | SpreadElement, source: string): Field[] {
  if (property.type !== 'Property' || property.computed) return [];
  const { key, value } = property;
  const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : null;
  if (name === null) return [];
  const literal =
    value.type === 'Literal' ||
    (value.type === 'ArrayExpression' && value.elements.length === 0) ||
    (value.type === 'ObjectExpression' && value.properties.length === 0);
  return [{ name, value: literal ? source.slice(value.start, value.end) : null }];
}
