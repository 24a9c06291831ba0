// A record's own request: by which GET of the vendor's API one is answered, for whoever looks at it.
import type { CallHeaders } from './call.ts';
import { textField } from './json.ts';
import type { RecordBody } from './tx.ts';

export type Retrieve = {
  /**
   * Path of the request. `{id}` is the record's id, other braces a field of the record that holds a text:
   * `/v1/threads/{thread_id}/messages/{id}`.
   */
  readonly path: string;
  /** What such a request needs besides, names in lower case; a key of the vendor's is not needed. */
  readonly headers?: (body: RecordBody) => CallHeaders;
};

const BRACES = /\{([^}]*)\}/g;

/** Path of the request for this record; null where the record does not say all of it. */
export function retrievedAt({ path }: Retrieve, id: string, body: RecordBody): string | null {
  let whole = true;
  const made = path.replace(BRACES, (_braces, field: string) => {
    const value = field === 'id' ? id : (textField(body, field) ?? '');
    whole &&= value !== '';
    return encodeURIComponent(value);
  });
  return whole ? made : null;
}
