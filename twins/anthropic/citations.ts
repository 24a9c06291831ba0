// Documents and search results that may be cited. What an answer says in the very words of one is cited, as Anthropic cites it:
// a text block of its own, with the place. Where nobody else says what to answer, it is the sentence that fits the question best.
import {
  arrayField,
  field,
  isJsonObject,
  type Json,
  type JsonObject,
  objectField,
  textField,
} from '../kit/json.ts';

/** What can be cited: words, and where they stand. */
type Passage = { readonly words: string; readonly citation: JsonObject };

/** A shorter one would be found in any text. */
const CITED_CHARS_MIN = 8;
const SENTENCE = /[^.!?\n]+[.!?]*\s*/g;

/** Every passage of a request, in its order; none where it asks for no citations. */
export function passagesOf(body: JsonObject): readonly Passage[] {
  const blocks = arrayField(body, 'messages').flatMap(message =>
    arrayField(message, 'content').filter(isJsonObject),
  );
  const kinds = { document: 0, search_result: 0 };
  return blocks.flatMap((block): readonly Passage[] => {
    const type = textField(block, 'type');
    if (type !== 'document' && type !== 'search_result') return [];
    const index = kinds[type];
    kinds[type] += 1;
    if (field(objectField(block, 'citations'), 'enabled') !== true) return [];
    return type === 'document' ? ofDocument(block, index) : ofResult(block, index);
  });
}

function ofDocument(block: JsonObject, document_index: number): readonly Passage[] {
  const source = objectField(block, 'source');
  const about = { document_index, document_title: textField(block, 'title'), file_id: null };
  if (textField(source, 'type') === 'text')
    return [...(textField(source, 'data') ?? '').matchAll(SENTENCE)].flatMap(({ 0: words, index }) =>
      passage(words, {
        type: 'char_location',
        ...about,
        start_char_index: index,
        end_char_index: index + words.length,
      }),
    );
  if (textField(source, 'type') !== 'content') return [];
  return ofBlocks(field(source, 'content'), { type: 'content_block_location', ...about });
}

function ofResult(block: JsonObject, search_result_index: number): readonly Passage[] {
  const [source, title] = [textField(block, 'source') ?? '', textField(block, 'title')];
  const about = { type: 'search_result_location', search_result_index, source, title };
  return ofBlocks(field(block, 'content'), about);
}

/** Blocks are cited whole. */
function ofBlocks(content: Json | undefined, about: JsonObject): readonly Passage[] {
  const blocks = typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? content : [];
  return blocks.flatMap((block, at) =>
    passage(textField(block, 'text') ?? '', { ...about, start_block_index: at, end_block_index: at + 1 }),
  );
}

const passage = (words: string, place: JsonObject): readonly Passage[] =>
  words.trim().length < CITED_CHARS_MIN
    ? []
    : [{ words: words.trim(), citation: { cited_text: words, ...place } }];

/** The passage that has most of the question's words; null where none has any. */
export function bestPassage(passages: readonly Passage[], question: string): string | null {
  const asked = wordsOf(question);
  let best: { readonly words: string; readonly score: number } | null = null;
  for (const { words } of passages) {
    const score = [...wordsOf(words)].filter(word => asked.has(word)).length;
    if (score > (best?.score ?? 0)) best = { words, score };
  }
  return best?.words ?? null;
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));

/** What the user said last, without what came with it. */
export function questionOf(body: JsonObject): string {
  const last = arrayField(body, 'messages').at(-1);
  const content = field(last, 'content');
  if (typeof content === 'string') return content;
  return arrayField(last, 'content')
    .filter(block => textField(block, 'type') === 'text')
    .map(block => textField(block, 'text') ?? '')
    .join('\n');
}

/** The answer as text blocks: what is in between the passages that it says, and each of these with its place. */
export function citing(text: string, passages: readonly Passage[]): readonly JsonObject[] {
  const blocks: JsonObject[] = [];
  let from = 0;
  const plain = (until: number): void => {
    if (until > from) blocks.push({ type: 'text', text: text.slice(from, until) });
  };
  for (;;) {
    const next = passages
      .map(each => ({ ...each, at: text.indexOf(each.words, from) }))
      .filter(({ at }) => at >= 0)
      .sort((one, other) => one.at - other.at)[0];
    if (next === undefined) break;
    plain(next.at);
    blocks.push({ type: 'text', text: next.words, citations: [next.citation] });
    from = next.at + next.words.length;
  }
  plain(text.length);
  return blocks;
}
