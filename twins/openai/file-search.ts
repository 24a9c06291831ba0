// The `file_search` tool of a response: what the last message asks is looked up in the vector stores that the tool names,
// before anything is said; an answer cites what was found.
import { type Conversation, defaultAnswer, featuresOf } from '../kit/conversation.ts';
import type { Spoken } from '../kit/generative.ts';
import { arrayField, type JsonObject, numberField, objectField, textField } from '../kit/json.ts';
import type { Tx } from '../kit/tx.ts';
import { type Hit, searchStores } from './vector-store-search.ts';

const RESULTS_USUAL = 20;
const QUOTED_CHARS = 500;

export type FileSearch = {
  /** The output item, without its id. */
  readonly call: JsonObject;
  readonly hits: readonly Hit[];
};

/** Null where the tool is not offered, or nobody has just asked anything. */
export function fileSearchOf(body: JsonObject, conversation: Conversation, tx: Tx): FileSearch | null {
  const tool = arrayField(body, 'tools').find(each => textField(each, 'type') === 'file_search');
  if (tool === undefined || conversation.toolChoice === 'none') return null;
  const { lastUser, toolResults } = featuresOf(conversation);
  const stores = arrayField(tool, 'vector_store_ids').filter(id => typeof id === 'string');
  const hits = searchStores(tx, stores, {
    query: lastUser ?? '',
    limit: numberField(tool, 'max_num_results') ?? RESULTS_USUAL,
    threshold: numberField(objectField(tool, 'ranking_options'), 'score_threshold') ?? 0,
    filter: objectField(tool, 'filters'),
  });
  if (lastUser === null || toolResults.length > 0 || mustCallAnother(conversation)) return null;
  const told = arrayField(body, 'include').includes('file_search_call.results');
  const results = hits.map(({ file, filename, score, text, attributes }) => ({
    file_id: file,
    filename,
    score,
    text,
    attributes,
  }));
  return {
    call: {
      type: 'file_search_call',
      status: 'completed',
      queries: [lastUser],
      results: told ? results : null,
    },
    hits,
  };
}

function mustCallAnother({ toolChoice, tools }: Conversation): boolean {
  return typeof toolChoice === 'object' || (toolChoice === 'required' && tools.length > 0);
}

/** The twin's own answer: the best of what was found. */
export function answerOf({ hits }: FileSearch, conversation: Conversation): Spoken {
  const usual = defaultAnswer({ ...conversation, toolChoice: 'auto' });
  const [best] = hits;
  if (best === undefined || conversation.format.type !== 'text') return usual;
  return { ...usual, text: best.text.slice(0, QUOTED_CHARS), finish: null };
}

/** Where the answer rests on files: each that was found, at the answer's end. */
export function citationsOf(found: FileSearch | null, text: string): readonly JsonObject[] {
  const files = new Map((found?.hits ?? []).map(({ file, filename }) => [file, filename]));
  return [...files].map(([file_id, filename]) => ({
    type: 'file_citation',
    index: text.length,
    file_id,
    filename,
  }));
}
