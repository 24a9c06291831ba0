// Batches, by the world's clock: validated, worked through, completed. Each line is asked of this twin as a client
// would ask it, so the handlers file answers batches too. A long one is worked through in slices, each an instant of
// its own, so that others are answered in between; its files are there when all of it is done.
import type { DueWork } from '../kit/build-twin.ts';
import type { Call } from '../kit/call.ts';
import { schedule } from '../kit/due.ts';
import { isJsonObject, type JsonObject, numberField, objectField, readJson, textField } from '../kit/json.ts';
import type { ModelAsk, ModelOperation } from '../kit/model-api.ts';
import type { RecordBody, Tx } from '../kit/tx.ts';
import { checkAmount } from './amounts.ts';
import type { Due } from './due.ts';
import { errorOf, invalid, missing, notFound } from './errors.ts';
import { fileBytes, keepFile } from './files.ts';
import { listOf, publicFields } from './list.ts';

/** World milliseconds from one state to the next. */
const VALIDATING_MS = 10_000;
const WORKING_MS = 60_000;
const CANCELLING_MS = 10_000;
const WINDOW_SECONDS = 24 * 60 * 60;
/** How long the files of what came out may be kept: an hour to 30 days. */
const OUTPUT_SECONDS_MIN = 3_600;
const OUTPUT_SECONDS_MAX = 2_592_000;
const LINES_MAX = 50_000;
/** Lines worked through at one instant: some tens of milliseconds. */
const SLICE_LINES = 250;
const LINE_ERRORS_MAX = 100;

const ENDPOINTS = ['/v1/chat/completions', '/v1/responses', '/v1/embeddings', '/v1/moderations'];

/** The next step of a batch, in so many milliseconds of the world's clock. */
function goOn(tx: Tx, batch: string, ms: number): void {
  schedule<Due>(tx, `batch:${batch}`, tx.now + ms, { kind: 'batch', batch });
}

const create = ({ body, tx, now }: ModelAsk): { readonly json: object } => {
  const endpoint = textField(body, 'endpoint');
  const input = textField(body, 'input_file_id');
  const window = textField(body, 'completion_window');
  if (input === null) throw missing('input_file_id');
  if (endpoint === null) throw missing('endpoint');
  if (!ENDPOINTS.includes(endpoint)) {
    throw invalid(
      `Invalid value: '${endpoint}'. Supported values are: ${ENDPOINTS.map(each => `'${each}'`).join(', ')}.`,
      'endpoint',
      'invalid_value',
    );
  }
  if (window !== '24h')
    throw invalid(
      "Invalid value for 'completion_window': expected '24h'.",
      'completion_window',
      'invalid_value',
    );
  if (tx.get('file', input) === undefined) throw notFound(`No such File object: ${input}`, 'input_file_id');
  const kept = objectField(body, 'output_expires_after') ?? {};
  checkAmount(kept, 'seconds', { min: OUTPUT_SECONDS_MIN, max: OUTPUT_SECONDS_MAX, whole: true });
  const id = `batch_${tx.hex(16)}`;
  const batch = {
    id,
    object: 'batch',
    endpoint,
    model: null,
    errors: null,
    input_file_id: input,
    completion_window: window,
    status: 'validating',
    output_file_id: null,
    error_file_id: null,
    created_at: now,
    in_progress_at: null,
    expires_at: now + WINDOW_SECONDS,
    finalizing_at: null,
    completed_at: null,
    failed_at: null,
    expired_at: null,
    cancelling_at: null,
    cancelled_at: null,
    request_counts: { total: 0, completed: 0, failed: 0 },
    metadata: objectField(body, 'metadata'),
    $lifetime: numberField(kept, 'seconds'),
  };
  tx.put('batch', id, batch);
  goOn(tx, id, VALIDATING_MS);
  return { json: publicFields(batch) };
};

/** One step of a batch: from one state to the next, or one slice of its lines. */
export function workOnBatch(id: string, { tx, ask }: DueWork): void {
  const batch = tx.get('batch', id);
  if (batch === undefined) return;
  const now = Math.floor(tx.now / 1000);
  const move = (status: string, fields: RecordBody): void => {
    tx.kind(`batch.${status}`);
    tx.put('batch', id, { ...batch, status, ...fields });
  };
  switch (batch['status']) {
    case 'validating': {
      const read = readLines(tx, batch);
      if (read.errors.length > 0) {
        move('failed', { failed_at: now, errors: { object: 'list', data: read.errors } });
        break;
      }
      const total = read.lines.length;
      const step = Math.floor(WORKING_MS / Math.ceil(total / SLICE_LINES));
      move('in_progress', {
        model: textField(read.lines[0]?.body, 'model'),
        in_progress_at: now,
        request_counts: { total, completed: 0, failed: 0 },
        $work: { ...NOTHING_DONE, step },
      });
      goOn(tx, id, step);
      break;
    }
    case 'in_progress': {
      const { counts, work } = workOn(tx, batch, ask);
      const request_counts = { ...(batch['request_counts'] as Counts), ...counts };
      if (counts.completed + counts.failed < request_counts.total) {
        tx.kind('batch.progressed');
        tx.put('batch', id, { ...batch, request_counts, $work: work });
        goOn(tx, id, work.step);
        break;
      }
      const { $work: _, ...rest } = batch;
      tx.kind('batch.completed');
      tx.put('batch', id, {
        ...rest,
        status: 'completed',
        finalizing_at: now,
        completed_at: now,
        request_counts,
        output_file_id: fileOf(tx, batch, 'output', work.done),
        error_file_id: fileOf(tx, batch, 'error', work.failed),
        usage: {
          input_tokens: work.input,
          input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
          output_tokens: work.output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: work.input + work.output,
        },
      });
      break;
    }
    case 'cancelling':
      move('cancelled', { cancelled_at: now });
      break;
    default:
  }
}

type Line = { readonly customId: string; readonly body: JsonObject };
type LineError = {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly line: number | null;
};

function readLines(
  tx: Tx,
  batch: RecordBody,
): { readonly lines: readonly Line[]; readonly errors: readonly LineError[] } {
  const text = new TextDecoder().decode(fileBytes(tx, String(batch['input_file_id'])) ?? new Uint8Array());
  const found: Line[] = [];
  const errors: LineError[] = [];
  const ids = new Set<string>();
  const fault = (code: string, message: string, line: number | null, param: string | null = null): void => {
    if (errors.length < LINE_ERRORS_MAX) errors.push({ code, message, param, line });
  };
  const all = text.split('\n').filter(line => line.trim() !== '');
  if (all.length === 0)
    fault(
      'empty_file',
      'The input file is empty. Please ensure that the batch contains at least one request.',
      null,
    );
  if (all.length > LINES_MAX) fault('too_many_tasks', `The batch has more than ${LINES_MAX} requests.`, null);
  for (const [index, text] of all.slice(0, LINES_MAX).entries()) {
    const line = index + 1;
    const read = readJson(text);
    const customId = textField(read, 'custom_id');
    const body = objectField(read, 'body');
    if (!isJsonObject(read)) fault('invalid_json_line', 'This line is not parseable as valid JSON.', line);
    else if (customId === null)
      fault('missing_required_parameter', "Missing required parameter: 'custom_id'.", line, 'custom_id');
    else if (body === null)
      fault('missing_required_parameter', "Missing required parameter: 'body'.", line, 'body');
    else if (textField(read, 'method') !== 'POST')
      fault('invalid_method', "Invalid value for 'method': expected 'POST'.", line, 'method');
    else if (textField(read, 'url') !== batch['endpoint']) {
      fault(
        'mismatched_url',
        "The URL provided for this request does not match the batch's endpoint.",
        line,
        'url',
      );
    } else if (ids.has(customId))
      fault('duplicate_custom_id', `The custom_id '${customId}' was used before.`, line, 'custom_id');
    else found.push({ customId, body });
    if (customId !== null) ids.add(customId);
  }
  return { lines: found, errors };
}

type Counts = { readonly total: number; readonly completed: number; readonly failed: number };

/** How far a batch is. What was answered is kept as lines in blobs, in order. */
type Work = {
  /** Bytes of the input that were read. */
  readonly at: number;
  /** World milliseconds to the next slice. */
  readonly step: number;
  readonly done: readonly string[];
  readonly failed: readonly string[];
  readonly input: number;
  readonly output: number;
};

const NOTHING_DONE: Work = { at: 0, step: 0, done: [], failed: [], input: 0, output: 0 };

/** Answers the next lines. */
function workOn(
  tx: Tx,
  batch: RecordBody,
  ask: DueWork['ask'],
): { readonly counts: Omit<Counts, 'total'>; readonly work: Work } {
  const before = batch['$work'] as Work;
  const { completed, failed: refused } = batch['request_counts'] as Counts;
  const done: string[] = [];
  const failed: string[] = [];
  let { input, output } = before;
  const slice = nextLines(tx, batch, before.at);
  for (const text of slice.lines) {
    const read = readJson(text);
    const customId = textField(read, 'custom_id');
    const { stream: _, ...whole } = objectField(read, 'body') ?? {};
    const call: Call = {
      method: 'POST',
      host: 'api.openai.com',
      via: 'batch',
      path: String(batch['endpoint']),
      query: '',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${String(batch['id'])}` },
      body: new TextEncoder().encode(JSON.stringify(whole)),
      caller: null,
      scope: 'write',
      trace: { traceId: tx.hex(16), spanId: tx.hex(8), parentId: null },
    };
    const reply = ask(call, tx);
    const answer = typeof reply.body === 'string' ? readJson(reply.body) : undefined;
    const ok = reply.fault === undefined && reply.status < 400;
    const usage = objectField(answer, 'usage');
    input += numberField(usage, 'prompt_tokens') ?? numberField(usage, 'input_tokens') ?? 0;
    output += numberField(usage, 'completion_tokens') ?? numberField(usage, 'output_tokens') ?? 0;
    const status_code = reply.fault === undefined ? reply.status : 500;
    const told = answer ?? { error: errorOf(500, 'The request failed.') };
    const response = { status_code, request_id: tx.hex(16), body: told };
    const line = { id: `batch_req_${tx.hex(16)}`, custom_id: customId, response, error: null };
    (ok ? done : failed).push(JSON.stringify(line));
  }
  return {
    counts: { completed: completed + done.length, failed: refused + failed.length },
    work: {
      at: slice.end,
      step: before.step,
      done: [...before.done, ...blobOfLines(tx, done)],
      failed: [...before.failed, ...blobOfLines(tx, failed)],
      input,
      output,
    },
  };
}

/** The next lines that say something, from a byte of the input on. */
function nextLines(
  tx: Tx,
  batch: RecordBody,
  from: number,
): { readonly lines: readonly string[]; readonly end: number } {
  const bytes = fileBytes(tx, String(batch['input_file_id'])) ?? new Uint8Array();
  const found: string[] = [];
  let at = from;
  while (at < bytes.length && found.length < SLICE_LINES) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    const text = new TextDecoder().decode(bytes.subarray(at, end));
    if (text.trim() !== '') found.push(text);
    at = end + 1;
  }
  return { lines: found, end: at };
}

const NEWLINE = 0x0a;

function blobOfLines(tx: Tx, text: readonly string[]): readonly string[] {
  return text.length === 0 ? [] : [tx.putBlob(new TextEncoder().encode(`${text.join('\n')}\n`))];
}

function fileOf(tx: Tx, batch: RecordBody, kind: string, parts: readonly string[]): string | null {
  if (parts.length === 0) return null;
  const kept = parts.map(sha256 => tx.blob(sha256)!);
  const bytes = new Uint8Array(kept.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of kept) {
    bytes.set(part, at);
    at += part.length;
  }
  const lifetime = numberField(batch, '$lifetime');
  return keepFile(tx, {
    filename: `${batch['id']}_${kind}.jsonl`,
    purpose: 'batch_output',
    bytes,
    expiresAt: lifetime === null ? null : Math.floor(tx.now / 1000) + lifetime,
  }).id;
}

const batchOf = ({ tx, path }: ModelAsk): RecordBody => {
  const found = tx.get('batch', path['batch'] ?? '');
  if (found === undefined) throw notFound(`No batch found with id '${path['batch']}'.`);
  return found;
};

export const BATCHES: readonly ModelOperation[] = [
  { method: 'POST', path: '/v1/batches', name: 'batches.create', run: create },
  {
    method: 'GET',
    path: '/v1/batches',
    name: 'batches.list',
    run: context => ({ json: listOf(context, 'batch') }),
  },
  {
    method: 'GET',
    path: '/v1/batches/{batch}',
    name: 'batches.retrieve',
    run: context => ({ json: publicFields(batchOf(context)) }),
  },
  {
    method: 'POST',
    path: '/v1/batches/{batch}/cancel',
    name: 'batches.cancel',
    run: context => {
      const { tx, now } = context;
      const found = batchOf(context);
      const { id, status } = found as { readonly id: string; readonly status: string };
      if (status === 'cancelling') return { json: publicFields(found) };
      if (status !== 'validating' && status !== 'in_progress') {
        throw invalid(`Cannot cancel a batch with status '${status}'.`, null);
      }
      const changed = { ...found, status: 'cancelling', cancelling_at: now };
      tx.put('batch', id, changed);
      goOn(tx, id, CANCELLING_MS);
      return { json: publicFields(changed) };
    },
  },
];
