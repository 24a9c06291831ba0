// What the schema's validator says, in the words of someone who can mend it: which key, what is accepted.

import { nearest } from './nearest.ts';
import type { SchemaError } from './schema.generated.js';
import { validateWorldConfig } from './schema.generated.js';
import type { ConfigProblem, ConfigText, JsonPath } from './text.ts';

export function shapeProblems(text: ConfigText): readonly ConfigProblem[] {
  if (validateWorldConfig(text.value)) return [];
  const problems: ConfigProblem[] = [];
  for (const error of validateWorldConfig.errors ?? []) {
    const problem = explain(error, text);
    if (problem !== null) problems.push(problem);
  }
  return problems;
}

function explain(error: SchemaError, text: ConfigText): ConfigProblem | null {
  const path = pointerPath(error.instancePath, text.value);
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(error.params['additionalProperty']);
      const accepted = Object.keys((error.parentSchema['properties'] as object | undefined) ?? {});
      return text.problemAtKey([...path, key], `unknown key; ${didYouMean(key, accepted)}`);
    }
    case 'required': {
      const key = String(error.params['missingProperty']);
      if (key === 'name') return text.problem(path, 'lacks "name": "<org>/<world>"');
      if (key === 'twin') {
        return text.problem(path, 'needs "twin" (a twin\'s name or module) or "address" (host:port)');
      }
      return text.problem(path, `lacks "${key}"`);
    }
    case 'type':
      return text.problem(
        path,
        `${article(typeName(error.data))} where ${article(String(error.schema))} belongs`,
      );
    case 'enum':
      return text.problem(
        path,
        `accepted: ${(error.schema as unknown[]).map(one => JSON.stringify(one)).join(', ')}`,
      );
    case 'propertyNames':
      return text.problemAtKey(
        [...path, String(error.params['propertyName'])],
        'not a name; accepted: lower-case letters, digits and single hyphens, a letter first, at most 63',
      );
    case 'minLength':
      return text.problem(path, 'empty');
    case 'minItems':
      return text.problem(path, 'empty; at least one is needed');
    // Each of these stands beside an error of its own that says what is wrong.
    case 'if':
    case 'pattern':
    case 'maxLength':
      return null;
    default:
      return text.problem(path, error.message ?? error.keyword);
  }
}

/** `did you mean "egress"? Accepted: egress, writes` */
function didYouMean(word: string, accepted: readonly string[]): string {
  const near = nearest(word, accepted);
  const list = accepted.filter(one => one !== '$schema').join(', ');
  return near === undefined ? `accepted: ${list}` : `did you mean "${near}"? Accepted: ${list}`;
}

/** A JSON pointer as a path; a segment is an index where the value it points into is an array. */
function pointerPath(pointer: string, root: unknown): JsonPath {
  const path: (string | number)[] = [];
  let value = root;
  for (const segment of pointer.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(key) : key);
    value = (value as { readonly [key: string]: unknown })[key];
  }
  return path;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function article(type: string): string {
  const names: { readonly [type: string]: string } = {
    array: 'an array […]',
    object: 'an object {…}',
    string: 'a string "…"',
    boolean: 'true or false',
    number: 'a number',
    null: 'null',
  };
  return names[type] ?? type;
}
