// The tools that run at Anthropic: the web's search, the fetching of a page, the running of code. A handler calls one by its name
// as it calls any tool, and says what came of it: the call and its result stand in the message before the text. Without a handler
// the web is searched for whatever is asked, and one that must be called is. Nothing is looked up and nothing runs.
import { type Conversation, defaultAnswer, featuresOf } from '../kit/conversation.ts';
import type { Spoken } from '../kit/generative.ts';
import { arrayField, isJsonObject, type JsonObject, numberField, readJson, textField } from '../kit/json.ts';
import type { Tx } from '../kit/tx.ts';

type Kind = 'web_search' | 'web_fetch' | 'code_execution';
const TYPE = /^(web_search|web_fetch|code_execution)_\d{8}$/;
/** The first of its versions says `code`; those since run commands. */
const CODE_ALONE = 'code_execution_20250522';
const SEALED = btoa('wrld-sealed-page');
const CITED_CHARS = 150;

export type Served = {
  /** Calls and their results, in order. */
  readonly blocks: readonly JsonObject[];
  /** Pages that the text rests on. */
  readonly cited: readonly JsonObject[];
  readonly spoken: Spoken;
  /** As `usage` counts them; null where there were none. */
  readonly requests: JsonObject | null;
};

type Asking = {
  readonly body: JsonObject;
  readonly conversation: Conversation;
  /** A handler's words; null where none says anything. */
  readonly spoken: Spoken | null;
  readonly tx: Tx;
};

type Tool = { readonly kind: Kind; readonly type: string };
type Call = { readonly name: string; readonly given: JsonObject };

export function servedOf({ body, conversation, spoken, tx }: Asking): Served {
  const tools = new Map<string, Tool>();
  for (const tool of arrayField(body, 'tools')) {
    const [type, kind] = TYPE.exec(textField(tool, 'type') ?? '') ?? [];
    if (type !== undefined) tools.set(textField(tool, 'name') ?? '', { kind: kind as Kind, type });
  }
  const answer = spoken ?? ownAnswer(conversation, tools);
  const called = answer.toolCalls.filter(({ name }) => tools.has(name));
  const calls = called.map(({ name, arguments: text }): Call => {
    const given = readJson(text);
    return { name, given: isJsonObject(given) ? given : {} };
  });
  const made = calls.map(({ name, given }) => blocksOf(tools.get(name)!, given, tx));
  const count = (kind: Kind): number => calls.filter(({ name }) => tools.get(name)?.kind === kind).length;
  return {
    blocks: made.flat(),
    cited: calls.flatMap(({ given }) => arrayField(given, 'sources').filter(isJsonObject)),
    spoken: { ...answer, toolCalls: answer.toolCalls.filter(({ name }) => !tools.has(name)) },
    requests:
      calls.length === 0
        ? null
        : { web_search_requests: count('web_search'), web_fetch_requests: count('web_fetch') },
  };
}

/** Of the twin itself: one of these tools is called with what was asked, and the answer is what it would be without. */
function ownAnswer(conversation: Conversation, tools: ReadonlyMap<string, Tool>): Spoken {
  const { toolChoice } = conversation;
  const { lastUser, toolResults } = featuresOf(conversation);
  const usual = defaultAnswer(conversation);
  const must = usual.toolCalls.find(({ name }) => tools.has(name))?.name;
  const search = [...tools].find(([, { kind }]) => kind === 'web_search')?.[0];
  const asked = lastUser !== null && toolResults.length === 0;
  const name = must ?? (toolChoice === 'auto' && asked ? search : undefined);
  if (name === undefined) return usual;
  const given = JSON.stringify({ query: lastUser ?? '', code: `# ${lastUser ?? ''}` });
  const said = must === undefined ? usual : defaultAnswer({ ...conversation, toolChoice: 'auto' });
  return { ...said, toolCalls: [{ name, arguments: given, id: null }] };
}

function blocksOf({ kind, type }: Tool, given: JsonObject, tx: Tx): readonly JsonObject[] {
  const tool_use_id = tx.id('srvtoolu_01', 22);
  const caller = { type: 'direct' };
  const use = (name: string, input: JsonObject): JsonObject => ({
    type: 'server_tool_use',
    id: tool_use_id,
    name,
    input,
    caller,
  });
  if (kind === 'code_execution') return codeBlocks(type === CODE_ALONE, given, { use, tool_use_id });
  if (kind === 'web_search')
    return [
      use(kind, { query: textField(given, 'query') ?? '' }),
      {
        type: 'web_search_tool_result',
        tool_use_id,
        caller,
        content: arrayField(given, 'sources').map(pageOf),
      },
    ];
  const url = textField(given, 'url') ?? '';
  const source = { type: 'text', media_type: 'text/plain', data: textField(given, 'text') ?? '' };
  const document = { type: 'document', source, title: textField(given, 'title'), citations: null };
  const retrieved_at = new Date(tx.now).toISOString();
  return [
    use(kind, { url }),
    {
      type: 'web_fetch_tool_result',
      tool_use_id,
      caller,
      content: { type: 'web_fetch_result', url, retrieved_at, content: document },
    },
  ];
}

function codeBlocks(
  alone: boolean,
  given: JsonObject,
  { use, tool_use_id }: { use: (name: string, input: JsonObject) => JsonObject; tool_use_id: string },
): readonly JsonObject[] {
  const code = textField(given, 'code') ?? textField(given, 'command') ?? '';
  const name = alone ? 'code_execution' : 'bash_code_execution';
  return [
    use(name, alone ? { code } : { command: code }),
    {
      type: `${name}_tool_result`,
      tool_use_id,
      content: {
        type: `${name}_result`,
        stdout: textField(given, 'stdout') ?? '',
        stderr: textField(given, 'stderr') ?? '',
        return_code: numberField(given, 'return_code') ?? 0,
        content: [],
      },
    },
  ];
}

const pageOf = (page: unknown): JsonObject => ({
  type: 'web_search_result',
  url: textField(page, 'url') ?? '',
  title: textField(page, 'title') ?? '',
  encrypted_content: SEALED,
  page_age: textField(page, 'page_age'),
});

/** Of a text that rests on pages: all of them. */
export function pageCitations(cited: readonly JsonObject[], text: string): readonly JsonObject[] {
  return cited.map(page => ({
    type: 'web_search_result_location',
    url: textField(page, 'url') ?? '',
    title: textField(page, 'title'),
    cited_text: text.slice(0, CITED_CHARS),
    encrypted_index: SEALED,
  }));
}
