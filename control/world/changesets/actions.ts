// The actions of a changeset: each entry that a client's request made is that request again, with every id that an earlier
// action made replaced by a reference. Ids are random, so that a token which is one names that record and nothing else.
import type { Entry } from '../log/entry.ts';
import { aimOf } from './aim.ts';
import type { Action, ActionRequest, Ref, Templated } from './changeset.ts';
import { ID_TOKEN, mayBeNamed, namesIds } from './id-token.ts';

/** What an earlier action of the changeset made. */
type Made = { readonly ref: Ref; readonly by: string };

export class Actions {
  readonly #made = new Map<string, Made>();
  #count = 0;

  /** In the order of the log. Null of an entry that nobody asked for: a renewal, a webhook that was sent. */
  of(entry: Entry): Action | null {
    const { request, twin, id, changes } = entry;
    if (request === undefined || entry.actor.type !== 'client') return null;
    const actionId = `a${++this.#count}`;
    const named = new Set<string>();
    const { method, path, query, headers, body, blob } = request;
    const asked: ActionRequest = {
      method,
      path: this.#templated(twin, path, named),
      ...(query === undefined ? {} : { query: this.#templated(twin, query, named) }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined
        ? {}
        : { body: namesIds(headers?.['content-type']) ? this.#templated(twin, body, named) : [body] }),
      ...(blob === undefined ? {} : { blob }),
    };
    for (const { op, type, id: record, before } of changes)
      if (op === 'put' && before === undefined && mayBeNamed(record))
        this.#made.set(keyOf(twin, record), { ref: { $ref: { type, id: record } }, by: actionId });
    return {
      actionId,
      service: twin,
      ...aimOf(changes, request),
      request: asked,
      entries: [id],
      dependsOn: [...named],
    };
  }

  #templated(twin: string, text: string, named: Set<string>): Templated {
    const parts: (string | Ref)[] = [];
    let from = 0;
    for (const found of text.matchAll(ID_TOKEN)) {
      const made = this.#made.get(keyOf(twin, found[0]));
      if (made === undefined) continue;
      if (found.index > from) parts.push(text.slice(from, found.index));
      parts.push(made.ref);
      named.add(made.by);
      from = found.index + found[0].length;
    }
    if (from < text.length) parts.push(text.slice(from));
    return parts;
  }
}

/** The request as it is asked, when it is known what its references are called there. */
export const filled = (parts: Templated, idOf: (ref: Ref['$ref']) => string): string =>
  parts.map(part => (typeof part === 'string' ? part : idOf(part.$ref))).join('');

const keyOf = (twin: string, id: string): string => `${twin} ${id}`;
