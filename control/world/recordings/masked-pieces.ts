// Masks a stream in its pieces: a key may begin in one piece and end in the next, and a model says it in a word an event.
// So it is looked for in what the events say together, then in each event's JSON, then in the whole of the text: what masked
// the part of a key that looks like one alone would hide the rest of it.
import { isJsonObject, type Json, readJson } from '../../../twins/kit/json.ts';
import { maskJson, secretsIn } from '../../../twins/kit/secrets.ts';

/** As many pieces as before; one of which nothing is left is empty. */
export function maskPieces(pieces: readonly string[], own: readonly string[]): readonly string[] {
  const masked = cutOut(pieces, eventEdits(pieces.join(''), own));
  return cutOut(masked, secretsIn(masked.join(''), own));
}

type Edit = { readonly start: number; readonly end: number; readonly by: string };

/** What is put in stands in the piece in which its place begins. `edits`: in order, none over another. */
function cutOut(pieces: readonly string[], edits: readonly Edit[]): readonly string[] {
  if (edits.length === 0) return pieces;
  let from = 0;
  return pieces.map(piece => {
    const to = from + piece.length;
    let made = '';
    let at = from;
    for (const { start, end, by } of edits) {
      if (end <= from || start >= to) continue;
      made += piece.slice(at - from, Math.max(start, at) - from);
      if (start >= from) made += by;
      at = Math.min(end, to);
    }
    made += piece.slice(at - from);
    from = to;
    return made;
  });
}

type Event = { readonly start: number; readonly end: number; readonly json: Json };

/** Each line of JSON, in a `data:` field or by itself, that has to be another. */
function eventEdits(text: string, own: readonly string[]): readonly Edit[] {
  const events: Event[] = [];
  for (const match of text.matchAll(/^(data:[ \t]*)?([[{].*)$/gm)) {
    const start = match.index + (match[1]?.length ?? 0);
    const line = match[2]!.trimEnd();
    const json = readJson(line);
    if (json !== undefined) events.push({ start, end: start + line.length, json });
  }
  const said = together(
    events.map(({ json }) => json),
    own,
  );
  const masked = said.map(json => maskJson(json, own));
  return events.flatMap(({ start, end, json }, at) =>
    masked[at] === json ? [] : [{ start, end, by: JSON.stringify(masked[at]) }],
  );
}

type Leaf = { readonly event: number; readonly path: readonly string[]; readonly text: string };

/** What several events say at one place of theirs, one after the other (`choices.0.delta.content`), is looked through as one text. */
function together(events: readonly Json[], own: readonly string[]): readonly Json[] {
  const places = new Map<string, Leaf[]>();
  events.forEach((json, event) => {
    for (const leaf of leavesOf(json, event)) {
      const key = leaf.path.join('\0');
      const there = places.get(key);
      if (there === undefined) places.set(key, [leaf]);
      else there.push(leaf);
    }
  });
  const made = [...events];
  for (const leaves of places.values()) {
    // The same each time: a name or an id, said with each event.
    if (leaves.every(({ text }) => text === leaves[0]!.text)) continue;
    const texts = leaves.map(({ text }) => text);
    const cut = cutOut(texts, secretsIn(texts.join(''), own));
    leaves.forEach(({ event, path, text }, at) => {
      if (cut[at] !== text) made[event] = put(made[event]!, path, cut[at]!);
    });
  }
  return made;
}

function leavesOf(json: Json, event: number, path: readonly string[] = []): readonly Leaf[] {
  if (typeof json === 'string') return [{ event, path, text: json }];
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, each]) => leavesOf(each as Json, event, [...path, name]));
}

function put(json: Json, [name, ...rest]: readonly string[], text: string): Json {
  if (name === undefined) return text;
  if (Array.isArray(json))
    return json.map((each, at) => (String(at) === name ? put(each, rest, text) : each));
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([each, value]) => [each, each === name ? put(value, rest, text) : value]),
  );
}
