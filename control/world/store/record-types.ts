// What a twin declares of its records (`Twin.records`), compiled once when the world opens: which types there
// are, which fields of each a list can select on, and how the selected values are written in the index.
import type { RecordType } from '../../../twins/kit/twin.ts';
import { type RecordBody, type Where, wordIndex, wordValue } from '../../../twins/kit/tx.ts';
import { INDEX_VALUE_CHARS_MAX } from '../limits.ts';

export type RecordIndex = {
  /** The fields in alphabetical order, joined by commas. */
  readonly name: string;
  readonly fields: readonly string[];
  /** By the words of its one field, whatever their case. */
  readonly words: boolean;
};

export type RecordTypes = ReadonlyMap<string, readonly RecordIndex[]>;

export const compileRecordTypes = (declared: { readonly [type: string]: RecordType }): RecordTypes =>
  new Map(
    Object.entries(declared).map(([type, { indexes, words = [] }]) => {
      const compiled = indexes.map((fields): RecordIndex => {
        const sorted = [...fields].sort();
        return { name: sorted.join(','), fields: sorted, words: false };
      });
      for (const field of words) compiled.push({ name: wordIndex(field), fields: [field], words: true });
      return [type, [...new Map(compiled.map(index => [index.name, index])).values()]];
    }),
  );

/** What of a type's records is theirs alone, and for how long they are there. */
export type Showing = {
  /** Where a record shows another one whole (quotes.ts); null where it shows none. */
  readonly quotes: readonly string[] | null;
  /** From its creation until nobody finds it any more; null for ever. */
  readonly keptMs: number | null;
};

const PLAIN: Showing = { quotes: null, keptMs: null };

/** The types that are not plain. */
export const compileShowing = (declared: {
  readonly [type: string]: RecordType;
}): ReadonlyMap<string, Showing> =>
  new Map(
    Object.entries(declared).flatMap(([type, { quotes, keptMs }]) =>
      quotes === undefined && keptMs === undefined
        ? []
        : [[type, { ...PLAIN, ...(quotes && { quotes }), ...(keptMs && { keptMs }) }] as const],
    ),
  );

/** A text that changes when the index rows of a twin have to be made anew. */
export const describeRecordTypes = (types: RecordTypes): string =>
  JSON.stringify([...types].map(([type, indexes]) => [type, indexes.map(({ name }) => name)]).sort());

/** The values under which a record stands in an index: none where a field is null or missing, several of words. */
export const indexValues = (index: RecordIndex, body: RecordBody): readonly string[] => {
  const { fields } = index;
  if (index.words) return wordsOf(body[fields[0]!]);
  if (fields.length === 1) {
    const value = scalar(fields[0]!, body);
    return value === null ? NONE : [value];
  }
  const values: string[] = [];
  for (const field of fields) {
    const value = scalar(field, body);
    if (value === null) return NONE;
    values.push(value);
  }
  return [JSON.stringify(values)];
};

const NONE: readonly string[] = [];

const wordsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [wordValue(value)];
  if (typeof value !== 'object' || value === null) return NONE;
  return Object.entries(value).flatMap(([key, text]) =>
    typeof text === 'string' ? [wordValue(text, key)] : [],
  );
};

/** The values that a list asks an index for: any of them will do. Several are asked of one field alone. */
export const wantedValues = (index: RecordIndex, where: Where): readonly string[] => {
  const asked = where[index.words ? index.name : index.fields[0]!]!;
  if (index.fields.length === 1) return typeof asked === 'string' ? [asked] : asked;
  return indexValues(index, where);
};

/** What is stored of it. Two long values may share their beginning: a reader compares the whole (`list.ts`). */
export const storedIndexValue = (value: string): string =>
  value.length > INDEX_VALUE_CHARS_MAX
    ? value.slice(0, INDEX_VALUE_CHARS_MAX).toWellFormed()
    : value.toWellFormed();

export const indexFor = (indexes: readonly RecordIndex[], where: Where): RecordIndex | undefined => {
  const fields = Object.keys(where);
  const name = fields.length === 1 ? fields[0] : fields.sort().join(',');
  return indexes.find(index => index.name === name);
};

const scalar = (field: string, body: RecordBody): string | null => {
  const value = body[field];
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError(`The field ${field} is indexed: it holds a string, a number, a boolean or null.`);
};
