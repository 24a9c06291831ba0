// What a run will have said once it is done: decided when it is asked for, as everything a handler says is.
import type { Conversation, Utterance } from '../kit/conversation.ts';
import { defaultAnswer, utteranceOf } from '../kit/conversation.ts';
import type { Spoken } from '../kit/generative.ts';
import { type Json, type JsonObject, objectField, readJson, textField } from '../kit/json.ts';
import { piecesOf } from '../kit/stream.ts';
import type { Tx } from '../kit/tx.ts';
import type { Resources } from './assistant-tools.ts';
import { answerOf, type FileSearch, fileSearchOf } from './file-search.ts';
import type { Run } from './run-object.ts';

/** What the vendor's own citations look like; the second number is the place among what was found. */
const MARKERS = /【\d+:(\d+)†[^】]*】/g;

export type Plan = {
  /** Of the tools that the vendor runs by itself, as a step tells them. */
  readonly own: readonly JsonObject[];
  readonly text: string | null;
  readonly refused: boolean;
  readonly annotations: readonly JsonObject[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish: string;
  readonly input: number;
  readonly output: number;
  /** What went wrong in the middle of it. */
  readonly error: { readonly code: string; readonly message: string } | null;
};

export type Planned = { readonly plan: Plan; readonly utterance: Utterance };

/** `spoken`: what a handler says, else null. */
export function planOf(
  tx: Tx,
  run: Run,
  {
    conversation,
    spoken,
    resources,
  }: { conversation: Conversation; spoken: Spoken | null; resources: Resources },
): Planned & { readonly spoken: Spoken } {
  const found = searched(tx, run, conversation, resources);
  const said = spoken ?? (found === null ? defaultAnswer(conversation) : cited(found, conversation));
  const utterance = utteranceOf(conversation, said, () => tx.id('call_', 24));
  const interprets =
    run.tools.some(tool => textField(tool, 'type') === 'code_interpreter') &&
    !conversation.tools.some(({ name }) => name === CODE);
  const isCode = (call: { readonly name: string }): boolean => interprets && call.name === CODE;
  const code = utterance.toolCalls
    .filter(isCode)
    .map(({ id, arguments: given }) => codeCall(id, readJson(given)));
  const calls = utterance.toolCalls
    .filter(call => !isCode(call))
    .map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
  const failed = said.ending !== null && typeof said.ending === 'object' ? said.ending : null;
  const text =
    failed === null
      ? utterance.text
      : piecesOf(utterance.text ?? '', said.pace)
          .slice(0, said.pace.cutAfterChunks ?? undefined)
          .join('');
  const plan: Plan = {
    own: [...(found === null ? [] : [searchCall(tx.id('call_', 24), found)]), ...code],
    text,
    refused: utterance.finish === 'refusal',
    annotations: citationsOf(found, text ?? ''),
    calls: failed === null ? calls : [],
    finish: utterance.finish,
    input: utterance.usage.input,
    output: utterance.usage.output,
    error:
      failed === null
        ? null
        : { code: failed.status === 429 ? 'rate_limit_exceeded' : 'server_error', message: failed.message },
  };
  return { plan, utterance, spoken: said };
}

const CODE = 'code_interpreter';

/** The twin runs no code: what it printed is a handler's to say. */
function codeCall(id: string, given: Json | undefined): JsonObject {
  const logs = textField(given, 'logs');
  return {
    id,
    type: CODE,
    code_interpreter: {
      input: textField(given, 'input') ?? '',
      outputs: logs === null ? [] : [{ type: 'logs', logs }],
    },
  };
}

/** In the assistant's stores and the thread's. */
function searched(tx: Tx, run: Run, conversation: Conversation, resources: Resources): FileSearch | null {
  const tool = run.tools.find(each => textField(each, 'type') === 'file_search');
  const stores = resources.file_search?.vector_store_ids ?? [];
  if (tool === undefined || stores.length === 0) return null;
  const asked = { ...objectField(tool, 'file_search'), type: 'file_search', vector_store_ids: stores };
  return fileSearchOf({ tools: [asked] }, conversation, tx);
}

function searchCall(id: string, { hits }: FileSearch): JsonObject {
  return {
    id,
    type: 'file_search',
    file_search: {
      ranking_options: { ranker: 'default_2024_08_21', score_threshold: 0 },
      results: hits.map(({ file, filename, score, text }) => ({
        file_id: file,
        file_name: filename,
        score,
        content: [{ type: 'text', text }],
      })),
    },
  };
}

/** The twin's own answer points at what it rests on. */
function cited(found: FileSearch, conversation: Conversation): Spoken {
  const answer = answerOf(found, conversation);
  const [best] = found.hits;
  if (best === undefined || answer.text === null || conversation.format.type !== 'text') return answer;
  return { ...answer, text: `${answer.text}【4:0†${best.filename}】` };
}

function citationsOf(found: FileSearch | null, text: string): readonly JsonObject[] {
  return [...text.matchAll(MARKERS)].flatMap(marker => {
    const hit = found?.hits[Number(marker[1])];
    if (hit === undefined) return [];
    return [
      {
        type: 'file_citation',
        text: marker[0],
        start_index: marker.index,
        end_index: marker.index + marker[0].length,
        file_citation: { file_id: hit.file },
      },
    ];
  });
}
