// Responses: answered whole, as a stream of events or in the background, and kept unless the client says
// `store: false`.
import { defaultAnswer, logSummary, textsOf, utteranceOf } from '../kit/conversation.ts';
import { schedule } from '../kit/due.ts';
import { EVEN_PACE } from '../kit/generative.ts';
import { field, isJsonObject, type JsonObject, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation, ModelOutcome } from '../kit/model-api.ts';
import { packed, unpacked } from '../kit/packed.ts';
import { messageTokens } from '../kit/tokens.ts';
import type { RecordBody, Tx } from '../kit/tx.ts';
import { appendItems } from './conversations.ts';
import type { Due } from './due.ts';
import { invalid, notFound } from './errors.ts';
import { answerOf, fileSearchOf } from './file-search.ts';
import { hostedOf } from './hosted-tools.ts';
import { pageOf, partOf, publicFields } from './list.ts';
import { closed, newRoot, opened, outputOf, responseId } from './response-object.ts';
import { inputOf, readResponseRequest } from './response-request.ts';
import { responseStream } from './response-stream.ts';

/** World milliseconds that a response in the background takes. */
const BACKGROUND_MS = 2_000;
const dueKey = (id: string): string => `response:${id}`;

const create = (context: ModelAsk): ModelOutcome => {
  const { body, tx, now } = context;
  const { conversation, input, thread } = readResponseRequest(body, tx);
  const { toolChoice, tools } = conversation;
  if (typeof toolChoice === 'object' && !tools.some(({ name }) => name === toolChoice.name)) {
    throw invalid(`Tool choice '${toolChoice.name}' not found in 'tools' parameter.`, 'tool_choice');
  }
  const found = fileSearchOf(body, conversation, tx);
  const hosted = hostedOf({ body, conversation, spoken: context.spoken, tx });
  const spoken =
    hosted.spoken ?? (found === null ? defaultAnswer(conversation) : answerOf(found, conversation));
  const utterance = utteranceOf(conversation, spoken, () => tx.id('call_', 24));
  const root = newRoot(tx);
  const head = opened({ id: responseId(root), body, model: conversation.model, now, thread });
  const whole = closed(head, utterance, outputOf({ utterance, body, root, found, hosted: hosted.calls }));
  const id = String(head['id']);
  const background = field(body, 'background') === true && !conversation.stream;
  if (thread !== null) {
    appendItems(tx, thread, [
      ...input.map(item => ({ ...item, id: textField(item, 'id') ?? `msg_${tx.hex(24)}` })),
      ...(whole['output'] as readonly JsonObject[]),
    ]);
  }
  if (field(body, 'store') !== false) {
    const told = logSummary(conversation, utterance);
    keep(tx, background ? { ...head, status: 'queued' } : whole, whole, { input, told });
  } else if (background) {
    throw invalid('background=true requires store=true.', 'background');
  } else if (!context.batched) {
    tx.put('completion', id, {
      id,
      object: 'completion',
      created: now,
      ...logSummary(conversation, utterance),
    });
  }
  if (background) {
    schedule<Due>(tx, dueKey(id), tx.now + BACKGROUND_MS, { kind: 'response', response: id });
    return { json: { ...head, status: 'queued' } };
  }
  if (!conversation.stream) return { json: whole };
  return {
    stream: responseStream({ opened: head, closed: whole, pace: spoken.pace, ending: spoken.ending }),
  };
};

/** `shows` is what the record shows now; its output may be bulky, and is kept beside it. */
function keep(
  tx: Tx,
  shows: JsonObject,
  whole: JsonObject,
  { input, told }: { readonly input: readonly JsonObject[]; readonly told: JsonObject },
): void {
  const { output: _, ...rest } = shows;
  tx.put('response', String(whole['id']), {
    ...rest,
    $told: told,
    $input: packed(
      tx,
      input.map((item, index) => ({ id: `msg_${String(whole['id']).slice(5)}${index}`, ...item })),
    ),
    $output: packed(tx, whole['output'] ?? []),
    ...(shows !== whole && { $final: { status: whole['status'], usage: whole['usage'] } }),
  });
}

function view(held: RecordBody, tx: Tx): JsonObject {
  const output =
    held['status'] === 'queued' || held['status'] === 'cancelled' ? [] : unpacked(tx, held['$output']);
  return { ...publicFields(held), output: output ?? [] };
}

/** The events of a response that is kept, from the first that the client has not had. */
function toldAgain(closed: JsonObject, query: URLSearchParams): ModelOutcome {
  const opened = { ...closed, status: 'in_progress', completed_at: null, output: [], usage: null };
  const after = Number(query.get('starting_after') ?? -1);
  if (!Number.isInteger(after) || after < -1)
    throw invalid(
      "Invalid type for 'starting_after': expected the number of an event.",
      'starting_after',
      'invalid_type',
    );
  return { stream: responseStream({ opened, closed, pace: EVEN_PACE, ending: null, after }) };
}

/** A response in the background has come to its end. */
export function completeResponse(id: string, tx: Tx): void {
  const held = tx.get('response', id);
  if (held === undefined || held['status'] !== 'queued') return;
  const { $final: final, ...rest } = held;
  tx.kind('response.completed');
  tx.put('response', String(held['id']), {
    ...rest,
    ...(isJsonObject(final) ? final : {}),
    completed_at: Math.floor(tx.now / 1000),
  });
}

const responseOf = ({ tx, path }: ModelAsk): RecordBody => {
  const found = tx.get('response', path['response'] ?? '');
  if (found === undefined) throw notFound(`Response with id '${path['response']}' not found.`);
  return found;
};

const PATH = '/v1/responses/{response}';

export const RESPONSES: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/responses', name: 'responses.create', run: create },
  {
    method: 'POST',
    path: '/v1/responses/input_tokens',
    name: 'responses.inputTokens.count',
    run: ({ body, tx }) => {
      const { conversation } = readResponseRequest(body, tx);
      const input_tokens = messageTokens(textsOf(conversation.sayings));
      return { json: { object: 'response.input_tokens', input_tokens } };
    },
  },
  {
    method: 'GET',
    path: PATH,
    name: 'responses.retrieve',
    run: context => {
      const shown = view(responseOf(context), context.tx);
      return context.query.get('stream') === 'true' ? toldAgain(shown, context.query) : { json: shown };
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    name: 'responses.delete',
    run: context => {
      const { id } = responseOf(context) as { readonly id: string };
      context.tx.delete('response', id);
      context.tx.cancel(dueKey(id));
      return { json: { id, object: 'response', deleted: true } };
    },
  },
  {
    method: 'POST',
    path: `${PATH}/cancel`,
    name: 'responses.cancel',
    run: context => {
      const found = responseOf(context);
      if (found['background'] !== true) throw invalid('Only responses in the background can be cancelled.');
      if (found['status'] !== 'queued') return { json: view(found, context.tx) };
      const cancelled = { ...found, status: 'cancelled' };
      context.tx.put('response', String(found['id']), cancelled);
      context.tx.cancel(dueKey(String(found['id'])));
      return { json: view(cancelled, context.tx) };
    },
  },
  {
    method: 'GET',
    path: `${PATH}/input_items`,
    name: 'responses.inputItems.list',
    run: context => {
      const items = [...inputOf(responseOf(context), context.tx)];
      if (context.query.get('order') !== 'asc') items.reverse();
      return { json: pageOf(partOf(items, context.query)) };
    },
  },
];
