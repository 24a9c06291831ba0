// A record, or a request's body, field by field: each value at the end of its path (`recurring.interval`), so that two
// of them are compared and read without their braces.
import {
  REPORT_FIELD_LEVELS_MAX,
  REPORT_FIELDS_MAX,
  REPORT_NAME_CHARS_MAX,
  REPORT_VALUE_CHARS_MAX,
} from '../limits.ts';

/** `before` is absent of a field that was added, `after` of one that is gone. Texts are cut where they are long. */
export type FieldChange = {
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
};

export type FieldChanges = {
  readonly fields: readonly FieldChange[];
  /** How many more there are. */
  readonly fieldsLeft: number;
};

/** What stands in the place of a secret. */
const HIDDEN = 'hidden';
const SECRET = /(?:^|[._])(?:\w*secret|password|api_?key|access_token|refresh_token|private_key)$/i;

/** Of what was and what is; undefined for what is not there. */
export const fieldChanges = (before: unknown, after: unknown): FieldChanges => {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  const changed: FieldChange[] = [];
  for (const [field, value] of is) {
    const old = was.get(field);
    if (was.has(field) ? old === value : isEmpty(value)) continue;
    changed.push({
      field,
      ...(was.has(field) ? { before: shown(field, old) } : {}),
      after: shown(field, value),
    });
  }
  for (const [field, value] of was)
    if (!is.has(field) && !isEmpty(value)) changed.push({ field, before: shown(field, value) });
  return bounded(changed);
};

/** Of a body that was sent. */
export const fieldsSent = (body: unknown): FieldChanges => fieldChanges(undefined, body);

export const bounded = (changes: readonly FieldChange[]): FieldChanges => ({
  fields: changes.slice(0, REPORT_FIELDS_MAX),
  fieldsLeft: Math.max(0, changes.length - REPORT_FIELDS_MAX),
});

/** A value as it is told: none of a field that holds a secret, and no more of a text than is read. */
export const shown = (field: string, value: unknown): unknown => {
  if (SECRET.test(field) && value !== null) return HIDDEN;
  if (typeof value !== 'string' || value.length <= REPORT_VALUE_CHARS_MAX) return value;
  return `${value.slice(0, REPORT_VALUE_CHARS_MAX)}…`;
};

/** What people know a record by; null where it has nothing of the kind. */
export const nameOf = (body: unknown): string | null => {
  if (typeof body !== 'object' || body === null) return null;
  for (const field of NAMES) {
    const value = (body as { readonly [name: string]: unknown })[field];
    if (typeof value === 'string' && value.trim() !== '') return value.slice(0, REPORT_NAME_CHARS_MAX);
  }
  return null;
};

const NAMES = [
  'name',
  'display_name',
  'nickname',
  'title',
  'email',
  'subject',
  'description',
  'url',
] as const;

/** Of an object; a value by itself has the field ``. What begins with `$` is the twin's own and nobody's to read. */
const fieldsOf = (value: unknown): Map<string, unknown> => {
  const fields = new Map<string, unknown>();
  const add = (path: string, held: unknown, level: number): void => {
    if (typeof held !== 'object' || held === null) {
      fields.set(path, held);
      return;
    }
    const inner = Object.entries(held);
    if (level >= REPORT_FIELD_LEVELS_MAX || inner.length === 0) {
      fields.set(path, JSON.stringify(held));
      return;
    }
    const isList = Array.isArray(held);
    for (const [name, each] of inner) {
      if (name.startsWith('$')) continue;
      add(isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`, each, level + 1);
    }
  };
  if (value !== undefined) add('', value, 0);
  return fields;
};

/** Of a record that was made, what it does not have says nothing. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || value === '[]' || value === '{}';
