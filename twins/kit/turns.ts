// A conversation with a model as people read it: who said what, which tools were called with what and what they answered,
// which pictures were shown. A twin reads it off its vendor's format when somebody looks; nothing is kept for it.
import { isJsonObject, type Json, type JsonObject, objectField, textField } from './json.ts';

export type TurnPart =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  /** `arguments`: as the model wrote them, JSON where it is well. */
  | { readonly kind: 'call'; readonly id: string | null; readonly name: string; readonly arguments: string }
  | {
      readonly kind: 'result';
      readonly id: string | null;
      readonly name: string | null;
      readonly text: string;
    }
  /** `data`: Base64, where it was sent along; else where the model was told to look. */
  | {
      readonly kind: 'image';
      readonly type: string | null;
      readonly data: string | null;
      readonly at: string | null;
    }
  /** What is said of anything else: a file, a search. */
  | { readonly kind: 'other'; readonly text: string };

export type Turn = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly TurnPart[];
};

export type Turns = {
  readonly turns: readonly Turn[];
  /** The vendor's id of the answer that the request goes on from; null where it says everything itself. */
  readonly after: string | null;
};

export const textPart = (text: string): TurnPart => ({ kind: 'text', text });

/** `data:image/png;base64,…`, or an address. */
export const imagePart = (url: string): TurnPart => {
  const inline = /^data:([a-z]+\/[a-z0-9.+-]+);base64,/i.exec(url.slice(0, 100));
  return inline === null
    ? { kind: 'image', type: null, data: null, at: url }
    : { kind: 'image', type: inline[1]!.toLowerCase(), data: url.slice(inline[0].length), at: null };
};

/** A part of a kind that nobody lays out: by its kind and, where it has one, its name or id. */
export const otherPart = (part: Json): TurnPart => {
  const type = textField(part, 'type') ?? 'something';
  const inner = objectField(part, type) ?? objectField(part, 'source');
  const named = [part, inner].flatMap(each =>
    isJsonObject(each)
      ? ['filename', 'name', 'title', 'file_id', 'id', 'url'].map(name => textField(each, name))
      : [],
  );
  const name = named.find(each => each !== null && each !== '');
  return { kind: 'other', text: name === undefined || name === null ? type : `${type} ${name}` };
};

/** Messages that are objects; a twin reads what it gets, and leaves out what is none. */
export const objectsOf = (list: readonly Json[]): readonly JsonObject[] => list.filter(isJsonObject);

/** A text, or the parts of a list, each as `partOf` reads it. */
export const partsOf = (
  content: Json | undefined,
  partOf: (part: JsonObject) => TurnPart | readonly TurnPart[],
): readonly TurnPart[] => {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)];
  return Array.isArray(content) ? objectsOf(content).flatMap(part => partOf(part)) : [];
};

/** The texts of parts, for what a tool answered in several. */
export const joined = (parts: readonly TurnPart[]): string =>
  parts.map(part => ('text' in part ? part.text : part.kind === 'image' ? '(a picture)' : '')).join('\n');
