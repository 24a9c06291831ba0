// Assistants: how a model is to be asked, kept under an id that runs name.
import { field, type JsonObject, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import type { Reader, RecordBody } from '../kit/tx.ts';
import { wordsIn } from '../kit/words.ts';
import { checkLength } from './amounts.ts';
import { resourcesOf, toolsOf } from './assistant-tools.ts';
import { checkNames, checkSampling, metadataOf, ofBeta } from './assistants-beta.ts';
import { missing, notFound } from './errors.ts';
import { listOf, publicFields } from './list.ts';

export const ASSISTANT = 'assistant';
const NAME_CHARS_MAX = 256;
const DESCRIPTION_CHARS_MAX = 512;
export const INSTRUCTIONS_CHARS_MAX = 256_000;
const PARAMETERS: ReadonlySet<string> = new Set(
  wordsIn(`
  description instructions metadata model name reasoning_effort response_format temperature tool_resources tools top_p
`),
);

export function assistantOf(id: string, reader: Reader): RecordBody {
  const found = reader.get(ASSISTANT, id);
  if (found === undefined) throw notFound(`No assistant found with id '${id}'.`);
  return found;
}

/** What the request says of it, checked. */
function given({ tx, body }: ModelAsk): JsonObject {
  checkNames(body, PARAMETERS);
  checkLength(textField(body, 'name') ?? '', 'name', NAME_CHARS_MAX);
  checkLength(textField(body, 'description') ?? '', 'description', DESCRIPTION_CHARS_MAX);
  checkLength(textField(body, 'instructions') ?? '', 'instructions', INSTRUCTIONS_CHARS_MAX);
  checkSampling(body);
  const tools = toolsOf(body);
  const resources = resourcesOf(tx, body);
  const has = (name: string): boolean => field(body, name) !== undefined;
  return {
    ...body,
    ...(has('metadata') && { metadata: metadataOf(body) }),
    ...(tools !== null && { tools }),
    ...(has('tool_resources') && { tool_resources: resources ?? {} }),
  };
}

const create = (context: ModelAsk): { readonly json: object } => {
  const { tx, body, now } = context;
  if (textField(body, 'model') === null) throw missing('model');
  const made = {
    id: tx.id('asst_', 24),
    object: 'assistant',
    created_at: now,
    name: null,
    description: null,
    model: null,
    instructions: null,
    tools: [],
    top_p: 1,
    temperature: 1,
    reasoning_effort: null,
    tool_resources: {},
    metadata: {},
    response_format: 'auto',
    ...given(context),
  };
  tx.kind('assistant.created');
  tx.put(ASSISTANT, made.id, made);
  return { json: made };
};

const PATH = '/v1/assistants/{assistant}';
const pathOf = ({ path, tx }: ModelAsk): RecordBody => assistantOf(path['assistant'] ?? '', tx);

export const ASSISTANTS: readonly ModelOperation[] = ofBeta([
  { method: 'POST', path: '/v1/assistants', name: 'beta.assistants.create', run: create },
  {
    method: 'GET',
    path: '/v1/assistants',
    name: 'beta.assistants.list',
    run: context => ({ json: listOf(context, ASSISTANT) }),
  },
  {
    method: 'GET',
    path: PATH,
    name: 'beta.assistants.retrieve',
    run: context => ({ json: publicFields(pathOf(context)) }),
  },
  {
    method: 'POST',
    path: PATH,
    name: 'beta.assistants.update',
    run: context => {
      const found = pathOf(context);
      const changed = { ...found, ...given(context) };
      context.tx.kind('assistant.updated');
      context.tx.put(ASSISTANT, String(found['id']), changed);
      return { json: publicFields(changed) };
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    name: 'beta.assistants.delete',
    run: context => {
      const { id } = pathOf(context) as { readonly id: string };
      context.tx.delete(ASSISTANT, id);
      return { json: { id, object: 'assistant.deleted', deleted: true } };
    },
  },
]);
