// What a run did, step by step: messages that it wrote and tools that it called.
import { arrayField, isJsonObject, type JsonObject, objectField, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import type { RecordBody } from '../kit/tx.ts';
import { ofBeta } from './assistants-beta.ts';
import { notFound } from './errors.ts';
import { listOf, publicFields } from './list.ts';
import { STEP, type Step } from './run-object.ts';
import { runOf } from './run-request.ts';

const CONTENT = 'step_details.tool_calls[*].file_search.results[*].content';

/** Whether what was found is asked for with its words. */
export function includesContent(query: URLSearchParams): boolean {
  return [...query.getAll('include'), ...query.getAll('include[]')].includes(CONTENT);
}

export function shownStep(step: RecordBody, included: boolean): JsonObject {
  const shown = publicFields(step) as JsonObject;
  const details = objectField(shown, 'step_details');
  if (included || textField(details, 'type') !== 'tool_calls') return shown;
  const tool_calls = arrayField(details, 'tool_calls').map(call => {
    const search = objectField(call, 'file_search');
    if (search === null || !isJsonObject(call)) return call;
    const results = arrayField(search, 'results').map(result => {
      const { content: _, ...rest } = result as JsonObject;
      return rest;
    });
    return { ...call, file_search: { ...search, results } };
  });
  return { ...shown, step_details: { ...details, tool_calls } };
}

const runIn = ({ path, tx }: ModelAsk) => runOf(path['thread'] ?? '', path['run'] ?? '', tx);

const retrieve = (context: ModelAsk): { readonly json: object } => {
  const { tx, path, query } = context;
  const run = runIn(context);
  const found = tx.get<Step>(STEP, path['step'] ?? '');
  if (found?.run_id !== run.id) throw notFound(`No run step found with id '${path['step']}'.`);
  return { json: shownStep(found, includesContent(query)) };
};

const list = (context: ModelAsk): { readonly json: object } => {
  const page = listOf(context, STEP, { where: { run_id: runIn(context).id } }) as {
    readonly data: readonly RecordBody[];
  };
  const included = includesContent(context.query);
  return { json: { ...page, data: page.data.map(step => shownStep(step, included)) } };
};

const PATH = '/v1/threads/{thread}/runs/{run}/steps';

export const RUN_STEPS: readonly ModelOperation[] = ofBeta([
  { method: 'GET', path: PATH, name: 'beta.threads.runs.steps.list', run: list },
  { method: 'GET', path: `${PATH}/{step}`, name: 'beta.threads.runs.steps.retrieve', run: retrieve },
]);
