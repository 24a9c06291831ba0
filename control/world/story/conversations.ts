// What the models of a world were asked and what they answered (4.9), as people read it: off the entries that their twins
// write of each call, and off the requests that the log keeps. Nothing is kept for it.
import type { Json } from '../../../twins/kit/json.ts';
import { isJsonObject, readJson } from '../../../twins/kit/json.ts';
import type { Turn, Turns } from '../../../twins/kit/turns.ts';
import { INSTANT_MS_MAX } from '../limits.ts';
import { type Entry, type EntryLine, formatCursor, newerFirst, parseCursor } from '../log/entry.ts';
import type { EntriesAsked } from '../log/history-source.ts';
import type { History } from '../past/history.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Threshold } from '../store/threshold.ts';
import type { Seat } from '../work/seat.ts';
import {
  CONVERSATION_QUOTE_CHARS_MAX,
  CONVERSATIONS_PAGE_ENTRIES_DEFAULT,
  CONVERSATIONS_PAGE_ENTRIES_MAX,
  CONVERSATIONS_SCAN_TRIES_MAX,
  RECORD_VERSIONS_SHOWN_MAX,
} from './limits.ts';

/** One call to a model, with what it was asked last and what it answered, both cut. */
export type ModelCall = {
  /** Of its entry: `<twin>:<position>`. */
  readonly id: string;
  readonly twin: string;
  readonly position: number;
  /** World time. */
  readonly at: string;
  readonly endpoint: string;
  readonly model: string | null;
  /** What tells its conversation from others; calls of one have it in common. */
  readonly conversation: string | null;
  /** Messages that it was asked with. */
  readonly messages: number;
  readonly asked: string | null;
  /** Names of the tools whose results it ended with. */
  readonly results: readonly string[];
  readonly answered: string | null;
  /** Names of the tools that the answer calls. */
  readonly calls: readonly string[];
  /** Of the handler that answered; null: the twin itself did. */
  readonly handler: string | null;
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly stream: boolean;
  readonly caller?: string;
  readonly trace?: string;
};

/** One call whole. */
export type Conversation = ModelCall & {
  readonly turns: readonly Turn[];
  readonly answer: Turn | null;
  readonly finish: string | null;
  /** Names of the tools that it may call. */
  readonly tools: readonly string[];
  /** What it goes on from, where the vendor holds that; `entry` null where the log does not have it. */
  readonly after: { readonly id: string; readonly entry: string | null } | null;
  /** The request is kept in short alone, as of what came over a socket. */
  readonly short: boolean;
};

export type ConversationPage =
  | { readonly ok: true; readonly calls: readonly ModelCall[]; readonly next: string | null }
  | { readonly ok: false; readonly why: string; readonly message: string };

type Parts = {
  readonly seats: ReadonlyMap<string, Seat>;
  readonly history: History;
  readonly blobs: BlobStore;
  readonly threshold: Threshold;
};

/** What a twin keeps of a call (`logSummary` of twins/kit/conversation.ts). */
type Told = { readonly [name: string]: Json };

export class Conversations {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Newest first; a page may have fewer than `limit` and yet be followed by others. */
  async page({
    limit = CONVERSATIONS_PAGE_ENTRIES_DEFAULT,
    before,
  }: {
    readonly limit?: number;
    readonly before?: string | undefined;
  }): Promise<ConversationPage> {
    const { threshold } = this.#parts;
    let cursor = before === undefined ? { at: INSTANT_MS_MAX + 1, twin: '', pos: 0 } : parseCursor(before);
    if (cursor === null)
      return { ok: false, why: 'bad-cursor', message: '`before` is the `next` of an earlier page.' };
    const rows = Math.min(Math.max(Math.floor(limit), 1), CONVERSATIONS_PAGE_ENTRIES_MAX);
    const calls: ModelCall[] = [];
    let next: string | null = null;
    // A model's twin does other things too: a page without a call is followed by another look.
    for (let looks = 0; looks < CONVERSATIONS_SCAN_TRIES_MAX; looks++) {
      const { lines, more } = await this.#lines({ cursor, limit: rows });
      for (const line of lines) calls.push(...callOf(JSON.parse(line.json) as Entry));
      const last = lines.at(-1);
      next = more && last !== undefined ? formatCursor(last) : null;
      if (calls.length > 0 || next === null || last === undefined) break;
      cursor = { at: last.at, twin: last.twin, pos: last.pos };
    }
    return threshold.pass({ ok: true, calls, next });
  }

  /** Null where the entry is none of a call to a model. */
  async one(twin: string, position: number): Promise<Conversation | null> {
    const { seats, history, threshold } = this.#parts;
    const seat = seats.get(twin);
    if (seat?.twin.generative === undefined) return null;
    const { lines } = await history.log(twin, position - 1, position);
    const entry = lines[0] === undefined ? null : (JSON.parse(lines[0].json) as Entry);
    const told = entry === null ? null : toldOf(entry);
    const [call] = entry === null ? [] : callOf(entry);
    if (entry === null || told === null || call === undefined) return null;
    const asked = await this.#turns(seat, entry);
    const after = asked?.after ?? null;
    return threshold.pass({
      ...call,
      turns: asked?.turns ?? inShort(told),
      answer: answerOf(told),
      finish: textOf(objectOf(told['answer'])['finish']),
      tools: namesOf(objectOf(told['request'])['tools']),
      after: after === null ? null : { id: after, entry: madeBy(seat, after) },
      short: asked === null,
    });
  }

  /** Of the twins of models alone, merged. */
  async #lines({ cursor, limit }: Pick<EntriesAsked, 'cursor' | 'limit'>): Promise<{
    readonly lines: readonly EntryLine[];
    readonly more: boolean;
  }> {
    const { seats, history } = this.#parts;
    const models = [...seats.values()].filter(({ twin }) => twin.generative !== undefined);
    const pages = await Promise.all(models.map(({ id }) => history.newest({ cursor, limit, twin: id })));
    const lines = pages.flatMap(page => page.lines).sort(newerFirst);
    return { lines: lines.slice(0, limit), more: lines.length > limit || pages.some(({ more }) => more) };
  }

  /** Null where the log has no request that the twin could read. */
  async #turns({ twin }: Seat, { request }: Entry): Promise<Turns | null> {
    const { blobs } = this.#parts;
    if (request === undefined || twin.generative?.turns === undefined) return null;
    const { path, body, blob } = request;
    const bytes = blob === undefined ? body : await blobs.reading(() => blobs.get(blob.sha256));
    const read = bytes === undefined ? undefined : readJson(bytes);
    return isJsonObject(read) ? twin.generative.turns(path, read) : null;
  }
}

/** What a call's entry tells of it, when it was made; null for any other entry. */
const toldOf = ({ changes }: Entry): Told | null => {
  for (const { op, before, after } of changes) {
    if (op !== 'put' || before !== undefined || !isJsonObject(after)) continue;
    // Of an answer that the vendor keeps, it stands beside that.
    const told = isJsonObject(after['$told']) ? after['$told'] : after;
    if (typeof told['endpoint'] === 'string' && isJsonObject(told['request'])) return told;
  }
  return null;
};

const callOf = (entry: Entry): readonly ModelCall[] => {
  const told = toldOf(entry);
  if (told === null) return [];
  const { id, twin, position, occurredAt, caller, trace } = entry;
  const request = objectOf(told['request']);
  const answer = objectOf(told['answer']);
  const usage = told['usage'];
  const asked = textOf(request['lastUser']) ?? textOf(request['prompt']) ?? textOf(request['input']);
  const results = listOf(request['toolResults']).map(result => objectOf(result)['name'] ?? 'a tool');
  const call: ModelCall = {
    ...{ id, twin, position, at: occurredAt },
    endpoint: String(told['endpoint']),
    model: textOf(told['model']),
    conversation: textOf(told['conversation']),
    messages: numberOf(request['messages']) ?? 1,
    asked: quoted(asked),
    results: namesOf(results),
    answered: quoted(textOf(answer['text'])),
    calls: namesOf(listOf(answer['toolCalls']).map(each => objectOf(each)['name'] ?? null)),
    handler: textOf(told['handler']),
    tokens: isJsonObject(usage)
      ? { input: numberOf(usage['input']) ?? 0, output: numberOf(usage['output']) ?? 0 }
      : null,
    stream: told['stream'] === true,
    ...(caller === undefined ? {} : { caller }),
    ...(trace === undefined ? {} : { trace: trace.traceId }),
  };
  return [call];
};

const answerOf = (told: Told): Turn | null => {
  const answer = told['answer'];
  if (!isJsonObject(answer)) return null;
  const [reasoning, text] = [textOf(answer['reasoning']), textOf(answer['text'])];
  return {
    role: 'assistant',
    parts: [
      ...(reasoning === null ? [] : [{ kind: 'reasoning', text: reasoning } as const]),
      ...(text === null || text === '' ? [] : [{ kind: 'text', text } as const]),
      ...listOf(answer['toolCalls'])
        .map(objectOf)
        .map(call => ({
          kind: 'call' as const,
          id: textOf(call['id']),
          name: textOf(call['name']) ?? '',
          arguments: textOf(call['arguments']) ?? '',
        })),
    ],
  };
};

/** What the twin keeps itself, where there is no request to read. */
const inShort = (told: Told): readonly Turn[] => {
  const request = objectOf(told['request']);
  const said = (role: Turn['role'], text: string | null): readonly Turn[] =>
    text === null || text === '' ? [] : [{ role, parts: [{ kind: 'text', text }] }];
  const results = listOf(request['toolResults']).map(objectOf);
  return [
    ...said('system', textOf(request['system'])),
    ...said('user', textOf(request['lastUser']) ?? textOf(request['prompt']) ?? textOf(request['input'])),
    ...results.map(result => ({
      role: 'tool' as const,
      parts: [
        {
          kind: 'result' as const,
          id: null,
          name: textOf(result['name']),
          text: textOf(result['text']) ?? '',
        },
      ],
    })),
  ];
};

/** The entry that made what the vendor holds under an id, of whatever type; null where the log has none. */
const madeBy = ({ id: twin, twin: { records }, log }: Seat, id: string): string | null => {
  for (const type of Object.keys(records)) {
    // The newest writings of one: an answer is written once or twice.
    const made = log.about(type, id, RECORD_VERSIONS_SHOWN_MAX).at(-1);
    if (made !== undefined) return `${twin}:${made.position}`;
  }
  return null;
};

const objectOf = (value: Json | undefined): Told => (isJsonObject(value) ? value : {});
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
const numberOf = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);
const namesOf = (value: Json | undefined): readonly string[] =>
  listOf(value).filter(name => typeof name === 'string');

const quoted = (text: string | null): string | null =>
  text === null || text.length <= CONVERSATION_QUOTE_CHARS_MAX
    ? text
    : `${text.slice(0, CONVERSATION_QUOTE_CHARS_MAX)}…`;
