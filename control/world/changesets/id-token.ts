// Ids in texts (real-vendor.md, Actions): a whole token that is one names that record, since ids are random; part of a
// token never does.

/**
 * As vendors write ids. What a form or JSON escapes (`%20`, `\n`) is a token of its own, so that its letters do not hide
 * the id behind it.
 */
export const ID_TOKEN = /%[0-9A-Fa-f]{2}|\\(?:u[0-9A-Fa-f]{4}|[bfnrt])|[A-Za-z0-9_-]+/g;

/** Bodies in which a token may be an id. A file's bytes are nobody's to change: a form with files in it goes as it came. */
export const namesIds = (contentType: string | undefined): boolean =>
  contentType === undefined || !/^multipart\//i.test(contentType);

/** From what a record was called to what it is called now. */
export type IdMap = ReadonlyMap<string, string>;

/** The same text with every such id replaced; the text itself where there is none. */
export const exchanged = (text: string, ids: IdMap): string => {
  let told = '';
  let from = 0;
  for (const found of text.matchAll(ID_TOKEN)) {
    const now = ids.get(found[0]);
    if (now === undefined) continue;
    told += text.slice(from, found.index) + now;
    from = found.index + found[0].length;
  }
  return from === 0 ? text : told + text.slice(from);
};

/** Those of its tokens that are in the set, or names of the map; each once. */
export const tokensIn = (text: string, ids: { has(id: string): boolean }): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const [token] of text.matchAll(ID_TOKEN)) if (ids.has(token)) found.add(token);
  return found;
};

/** A number is no name: it stands for many things. */
export const mayBeNamed = (id: string): boolean => /^[A-Za-z0-9_-]*[A-Za-z][A-Za-z0-9_-]*$/.test(id);
