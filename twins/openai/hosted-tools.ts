// The tools of a response that run at OpenAI: the web's search, the code interpreter, the painter. A handler calls one by its
// type as it calls a function, and says what came of it. Without a handler one is called that must be, the web is searched for
// whatever is asked, and a picture is drawn for whoever asks for one. Nothing is looked up and nothing runs.
import { type Conversation, featuresOf } from '../kit/conversation.ts';
import type { Spoken } from '../kit/generative.ts';
import {
  arrayField,
  isJsonObject,
  type JsonObject,
  numberField,
  objectField,
  readJson,
  textField,
} from '../kit/json.ts';
import type { Tx } from '../kit/tx.ts';
import { base64 } from './base64.ts';
import { newContainer } from './containers.ts';
import { invalid } from './errors.ts';
import { pictureOf, qualityOf } from './images.ts';

type Kind = 'web_search' | 'code_interpreter' | 'image_generation';

export type HostedCall = {
  /** What the item's id begins with. */
  readonly prefix: string;
  /** The output item, without its id. */
  readonly item: JsonObject;
  /** Pages that the answer rests on. */
  readonly cited: readonly JsonObject[];
};

export type Hosted = {
  readonly calls: readonly HostedCall[];
  /** What a handler says besides; null where none says anything. */
  readonly spoken: Spoken | null;
};

type Asking = {
  readonly body: JsonObject;
  readonly conversation: Conversation;
  readonly spoken: Spoken | null;
  readonly tx: Tx;
};

export function hostedOf({ body, conversation, spoken, tx }: Asking): Hosted {
  const tools = new Map<Kind, JsonObject>();
  for (const tool of arrayField(body, 'tools').filter(isJsonObject)) {
    const kind = kindOf(textField(tool, 'type'));
    if (kind !== null) tools.set(kind, tool);
  }
  const must = mustCall(body, conversation, tools);
  const made = (kind: Kind, given: JsonObject): readonly HostedCall[] => {
    const tool = tools.get(kind);
    return tool === undefined ? [] : [callOf[kind]({ tool, given, body, tx })];
  };
  if (spoken !== null) {
    const isHosted = (name: string): boolean => {
      const kind = kindOf(name);
      return kind !== null && tools.has(kind) && !conversation.tools.some(each => each.name === name);
    };
    const [hosted, others] = [
      spoken.toolCalls.filter(({ name }) => isHosted(name)),
      spoken.toolCalls.filter(({ name }) => !isHosted(name)),
    ];
    const calls = hosted.flatMap(({ name, arguments: text }) => {
      const given = readJson(text);
      return made(kindOf(name)!, isJsonObject(given) ? given : {});
    });
    return { calls, spoken: { ...spoken, toolCalls: others } };
  }
  const { lastUser, toolResults } = featuresOf(conversation);
  if (lastUser === null || toolResults.length > 0 || conversation.toolChoice === 'none')
    return { calls: [], spoken };
  if (must !== null) return { calls: made(must, askedOf(lastUser)), spoken };
  if (conversation.toolChoice !== 'auto') return { calls: [], spoken };
  return {
    calls: [
      ...made('web_search', askedOf(lastUser)),
      ...(ASKS_FOR_PICTURE.test(lastUser) ? made('image_generation', askedOf(lastUser)) : []),
    ],
    spoken,
  };
}

const ASKS_FOR_PICTURE = /\b(?:draw|paint|sketch|image|picture|photo|illustration|logo)/i;
const askedOf = (text: string): JsonObject => ({ query: text, prompt: text, code: `# ${text}` });

function kindOf(type: string | null): Kind | null {
  if (type === 'code_interpreter' || type === 'image_generation') return type;
  return type !== null && /^web_search(?:_preview)?(?:_\d{4}_\d\d_\d\d)?$/.test(type) ? 'web_search' : null;
}

/** What `tool_choice` leaves no choice of. */
function mustCall(
  body: JsonObject,
  { toolChoice, tools: functions }: Conversation,
  tools: ReadonlyMap<Kind, JsonObject>,
): Kind | null {
  const type = textField(body['tool_choice'], 'type');
  const named = kindOf(type);
  if (named !== null && !tools.has(named))
    throw invalid(`Tool choice '${type}' not found in 'tools' parameter.`, 'tool_choice');
  if (named !== null) return named;
  const [first] = tools.keys();
  return toolChoice === 'required' && functions.length === 0 ? (first ?? null) : null;
}

type Calling = {
  readonly tool: JsonObject;
  readonly given: JsonObject;
  readonly body: JsonObject;
  readonly tx: Tx;
};

const callOf: { readonly [kind in Kind]: (calling: Calling) => HostedCall } = {
  web_search: ({ given, body }) => {
    const query = textField(given, 'query') ?? '';
    const pages = arrayField(given, 'sources').filter(isJsonObject);
    const told = arrayField(body, 'include').includes('web_search_call.action.sources');
    const sources = pages.map(page => ({ type: 'url', url: textField(page, 'url') ?? '' }));
    return {
      prefix: 'ws',
      item: {
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query, queries: [query], ...(told && { sources }) },
      },
      cited: pages.map(page => {
        const url = textField(page, 'url') ?? '';
        return { type: 'url_citation', url, title: textField(page, 'title') ?? url };
      }),
    };
  },
  code_interpreter: ({ tool, given, body, tx }) => {
    const told = arrayField(body, 'include').includes('code_interpreter_call.outputs');
    const logs = textField(given, 'logs');
    return {
      prefix: 'ci',
      item: {
        type: 'code_interpreter_call',
        status: 'completed',
        code: textField(given, 'code') ?? textField(given, 'input') ?? '',
        container_id:
          textField(tool, 'container') ?? newContainer(tx, objectField(tool, 'container') ?? {}).id,
        outputs: told ? (logs === null ? [] : [{ type: 'logs', logs }]) : null,
      },
      cited: [],
    };
  },
  image_generation: ({ tool, given }) => {
    const prompt = textField(given, 'prompt') ?? '';
    const format = textField(tool, 'output_format');
    const { bytes, size } = pictureOf(prompt, textField(given, 'size') ?? textField(tool, 'size'), format);
    return {
      prefix: 'ig',
      item: {
        type: 'image_generation_call',
        status: 'completed',
        action: 'generate',
        background: 'opaque',
        output_format: format ?? 'png',
        quality: qualityOf(tool),
        result: textField(given, 'result') ?? base64(bytes),
        revised_prompt: prompt,
        size,
      },
      cited: [],
    };
  },
};

/** How many pictures are shown before the last one, where it is streamed. */
export function partialsOf(body: JsonObject): number {
  const tool = arrayField(body, 'tools').find(each => textField(each, 'type') === 'image_generation');
  return numberField(tool, 'partial_images') ?? 0;
}

/** Where the answer rests on pages: each of them, for all of its text. */
export function pageCitations(calls: readonly HostedCall[], text: string): readonly JsonObject[] {
  return calls.flatMap(({ cited }) =>
    cited.map(page => ({ ...page, start_index: 0, end_index: text.length })),
  );
}
