// Message batches, by the world's clock: in progress, then ended with results as lines of JSON. Each request is
// asked of this twin as a client would ask it, so the handlers file answers batches too. A long batch is worked
// through in slices, each an instant of its own, so that others are answered in between.
import type { DueWork } from '../kit/build-twin.ts';
import type { Call } from '../kit/call.ts';
import { schedule } from '../kit/due.ts';
import {
  arrayField,
  isJsonObject,
  type Json,
  type JsonObject,
  objectField,
  readJson,
  textField,
} from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import { pageById } from '../kit/paging.ts';
import type { RecordBody, Tx } from '../kit/tx.ts';
import type { Due } from './due.ts';
import { errorBody, invalid, notFound } from './errors.ts';
import { PAGES, pageOf } from './list.ts';

/** World milliseconds. */
const WORKING_MS = 60_000;
const CANCELLING_MS = 10_000;
const WINDOW_MS = 24 * 60 * 60 * 1000;
const REQUESTS_MAX = 100_000;
/** Requests worked through at one instant: some tens of milliseconds. */
const SLICE_REQUESTS = 250;
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** The next step of a batch, in so many milliseconds of the world's clock. */
function goOn(tx: Tx, batch: string, ms: number): void {
  schedule<Due>(tx, `message_batch:${batch}`, tx.now + ms, { kind: 'batch', batch });
}

const encoder = new TextEncoder();

const create = ({ body, tx }: ModelAsk): { readonly json: object } => {
  const asked = arrayField(body, 'requests');
  if (asked.length === 0) throw invalid('requests: List should have at least 1 item after validation, not 0');
  if (asked.length > REQUESTS_MAX) throw invalid(`requests: List should have at most ${REQUESTS_MAX} items`);
  const ids = new Set<string>();
  for (const [index, request] of asked.entries()) {
    const id = textField(request, 'custom_id');
    if (id === null) throw invalid(`requests.${index}.custom_id: Field required`);
    if (!CUSTOM_ID.test(id))
      throw invalid(`requests.${index}.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`);
    if (ids.has(id)) throw invalid(`requests.${index}.custom_id: "${id}" is not unique`);
    if (objectField(request, 'params') === null) throw invalid(`requests.${index}.params: Field required`);
    ids.add(id);
  }
  const id = tx.recordId('msgbatch_01', 22);
  const batch = {
    id,
    type: 'message_batch',
    processing_status: 'in_progress',
    request_counts: { ...NO_COUNTS, processing: asked.length },
    created_at: stamp(tx.now),
    expires_at: stamp(tx.now + WINDOW_MS),
    ended_at: null,
    cancel_initiated_at: null,
    archived_at: null,
    results_url: null,
    $asked: slicesOf(asked).map(slice => tx.putBlob(encoder.encode(JSON.stringify(slice)))),
    $answered: [],
  };
  tx.put('message_batch', id, batch);
  goOn(tx, id, stepOf(batch.$asked));
  return { json: publicFields(batch) };
};

function slicesOf(asked: readonly Json[]): readonly (readonly Json[])[] {
  return Array.from({ length: Math.ceil(asked.length / SLICE_REQUESTS) }, (_, n) =>
    asked.slice(n * SLICE_REQUESTS, (n + 1) * SLICE_REQUESTS),
  );
}

/** World milliseconds from one slice to the next. */
function stepOf(slices: readonly string[]): number {
  return Math.floor(WORKING_MS / slices.length);
}

const NO_COUNTS = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };

const stamp = (at: number): string => new Date(at).toISOString();

function publicFields(batch: RecordBody): { readonly id?: unknown } {
  return Object.fromEntries(Object.entries(batch).filter(([name]) => !name.startsWith('$')));
}

/** Works one slice of a batch through. */
export function workOnBatch(id: string, { tx, ask }: DueWork): void {
  const batch = tx.get('message_batch', id);
  if (batch === undefined || batch['processing_status'] === 'ended') return;
  const canceled = batch['processing_status'] === 'canceling';
  const asked = batch['$asked'] as readonly string[];
  const answered = [...(batch['$answered'] as readonly string[])];
  const counts = { ...((batch['$counts'] as typeof NO_COUNTS | undefined) ?? NO_COUNTS) };
  // What is left of a batch that is canceled is answered at once: there is nothing to ask.
  do {
    const lines = requestsOf(tx, asked[answered.length]!).map(request => {
      const result: JsonObject = canceled ? { type: 'canceled' } : resultOf(request, id, { tx, ask });
      counts[textField(result, 'type') as 'succeeded'] += 1;
      return JSON.stringify({ custom_id: textField(request, 'custom_id'), result });
    });
    answered.push(tx.putBlob(encoder.encode(`${lines.join('\n')}\n`)));
  } while (canceled && answered.length < asked.length);
  if (answered.length < asked.length) {
    tx.kind('message_batch.progressed');
    tx.put('message_batch', id, { ...batch, $answered: answered, $counts: counts });
    goOn(tx, id, stepOf(asked));
    return;
  }
  tx.kind('message_batch.ended');
  tx.put('message_batch', id, {
    ...batch,
    processing_status: 'ended',
    request_counts: counts,
    ended_at: stamp(tx.now),
    // At the vendor's own host, wherever the world is served.
    results_url: `https://api.anthropic.com/v1/messages/batches/${batch['id']}/results`,
    $answered: answered,
  });
}

function requestsOf(tx: Tx, sha256: string): readonly Json[] {
  const bytes = tx.blob(sha256);
  return arrayField({ requests: bytes === undefined ? [] : (readJson(bytes) ?? []) }, 'requests');
}

function resultOf(request: Json, batch: string, { tx, ask }: DueWork): JsonObject {
  const { stream: _, ...params } = objectField(request, 'params') ?? {};
  const call: Call = {
    method: 'POST',
    host: 'api.anthropic.com',
    via: 'batch',
    path: '/v1/messages',
    query: '',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': batch },
    body: encoder.encode(JSON.stringify(params)),
    caller: null,
    scope: 'write',
    trace: { traceId: tx.hex(16), spanId: tx.hex(8), parentId: null },
  };
  const reply = ask(call, tx);
  const answer = typeof reply.body === 'string' ? readJson(reply.body) : undefined;
  if (reply.fault === undefined && reply.status < 400 && isJsonObject(answer)) {
    return { type: 'succeeded', message: answer };
  }
  return {
    type: 'errored',
    error: answer ?? errorBody('api_error', 'The request failed.', null),
  };
}

const batchOf = ({ tx, path }: ModelAsk): RecordBody & { readonly id: string } => {
  const found = tx.get<RecordBody & { readonly id: string }>('message_batch', path['batch'] ?? '');
  if (found === undefined) throw notFound(`Message batch ${path['batch']} was not found.`);
  return found;
};

const PATH = '/v1/messages/batches/{batch}';

export const BATCHES: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/messages/batches', name: 'messages.batches.create', run: create },
  {
    method: 'GET',
    path: '/v1/messages/batches',
    name: 'messages.batches.list',
    run: context => {
      const { items, more } = pageById(context, 'message_batch', PAGES);
      return { json: pageOf({ items: items.map(publicFields), more }) };
    },
  },
  {
    method: 'GET',
    path: PATH,
    name: 'messages.batches.retrieve',
    run: context => ({ json: publicFields(batchOf(context)) }),
  },
  {
    method: 'DELETE',
    path: PATH,
    name: 'messages.batches.delete',
    run: context => {
      const { id, processing_status } = batchOf(context);
      if (processing_status !== 'ended') {
        throw invalid(`Message batch ${id} cannot be deleted while it is in progress. Cancel it first.`);
      }
      context.tx.delete('message_batch', id);
      return { json: { id, type: 'message_batch_deleted' } };
    },
  },
  {
    method: 'POST',
    path: `${PATH}/cancel`,
    name: 'messages.batches.cancel',
    run: context => {
      const { tx } = context;
      const batch = batchOf(context);
      if (batch['processing_status'] !== 'in_progress') {
        throw invalid(`Message batch ${batch.id} cannot be canceled: it is ${batch['processing_status']}.`);
      }
      const changed = { ...batch, processing_status: 'canceling', cancel_initiated_at: stamp(tx.now) };
      tx.put('message_batch', batch.id, changed);
      goOn(tx, batch.id, CANCELLING_MS);
      return { json: publicFields(changed) };
    },
  },
  {
    method: 'GET',
    path: `${PATH}/results`,
    name: 'messages.batches.results',
    run: context => {
      const batch = batchOf(context);
      if (batch['processing_status'] !== 'ended') {
        throw invalid(`Message batch ${batch.id} has no results yet: its processing has not ended.`);
      }
      const decoder = new TextDecoder();
      const parts = (batch['$answered'] as readonly string[]).map(sha256 => context.tx.blob(sha256)!);
      const lines = parts.map(part => decoder.decode(part)).join('');
      return { bytes: lines, type: 'application/x-jsonl' };
    },
  },
];
