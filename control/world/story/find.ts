// What somebody looks for in a world: entries and records by text, in the words of their twins and in all that they hold, a
// bounded look at a time. Nothing is kept for it: a look that found little says where the next one goes on.
import { TIMELINE_PAGE_ENTRIES_MAX } from '../limits.ts';
import type { Entry, EntryLine } from '../log/entry.ts';
import { formatCursor, parseCursor } from '../log/entry.ts';
import { cursorAtStart } from '../log/timeline.ts';
import type { History } from '../past/history.ts';
import type { Past, PastPoint } from '../past/past.ts';
import { formatInstant } from '../store/instant.ts';
import type { Threshold } from '../store/threshold.ts';
import { turn } from '../store/turn.ts';
import {
  FIND_LOOKED_ENTRIES_MAX,
  FIND_LOOKED_RECORDS_MAX,
  FIND_RECORDS_PER_TURN,
  FIND_ROWS_DEFAULT,
  FIND_ROWS_MAX,
} from './limits.ts';
import type { StoryLine } from './line.ts';
import { Needle } from './needle.ts';
import type { Story } from './story.ts';
import type { Words } from './wording.ts';

/** All that is given must hold. */
export type EntriesWanted = {
  readonly text?: string;
  readonly twin?: string;
  /** Of a record that the entry changed. */
  readonly type?: string;
  /** The entry's, or how it begins: `customer` for `customer.subscription.created`. */
  readonly kind?: string;
  readonly caller?: string;
  readonly trace?: string;
  readonly limit?: number;
  readonly before?: string;
};

/** `next` null: there are no more. `looked`: how many were looked through for this page. */
export type FoundEntries =
  | {
      readonly ok: true;
      readonly lines: readonly StoryLine[];
      readonly next: string | null;
      readonly looked: number;
      /** World time of the last that was looked at; null where none was. */
      readonly reached: string | null;
    }
  | { readonly ok: false; readonly why: string; readonly message: string };

export type RecordsWanted = {
  readonly text: string;
  readonly twin?: string;
  readonly type?: string;
  readonly limit?: number;
  readonly before?: string;
};

export type FoundRecord = Words & {
  readonly twin: string;
  readonly type: string;
  readonly id: string;
  /** Of the entry that last changed it. */
  readonly position: number;
};

export type FoundRecords =
  | {
      readonly ok: true;
      /** Those whose id was asked for first, then by twin and type, the newest of each first. */
      readonly records: readonly FoundRecord[];
      readonly next: string | null;
      readonly looked: number;
      /** Where the look ended; null where there is no more. */
      readonly reached: { readonly twin: string; readonly type: string } | null;
    }
  | { readonly ok: false; readonly why: string; readonly message: string };

type Parts = {
  readonly vendors: readonly string[];
  readonly history: History;
  readonly past: Past;
  readonly story: Story;
  readonly threshold: Threshold;
};

export class Find {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Newest first. An entry whose id is the text comes before all others. */
  async entries(wanted: EntriesWanted, point: PastPoint | null = null): Promise<FoundEntries> {
    const { history, threshold } = this.#parts;
    const { twin, trace, before } = wanted;
    let cursor = before === undefined ? cursorAtStart(point?.at) : parseCursor(before);
    if (cursor === null) return BAD_CURSOR;
    const limit = hitsOf(wanted.limit);
    const needle = new Needle(wanted.text ?? '');
    const lines: StoryLine[] = before === undefined ? await this.#named(wanted, needle, point) : [];
    const named = lines[0]?.id;
    const narrowed = { ...(twin === undefined ? {} : { twin }), ...(trace === undefined ? {} : { trace }) };
    let looked = 0;
    let next: string | null = null;
    let reached: string | null = null;
    while (true) {
      const page = await history.newest({ cursor, limit: TIMELINE_PAGE_ENTRIES_MAX, ...narrowed });
      let last: EntryLine | undefined;
      for (const [line, hit] of await this.#hits(page.lines, wanted, needle, point)) {
        last = line;
        looked++;
        if (hit !== null && hit.id !== named) lines.push(hit);
        if (lines.length === limit) break;
      }
      if (last === undefined) break;
      reached = formatInstant(last.at);
      cursor = last;
      const more = page.more || last !== page.lines.at(-1);
      next = more ? formatCursor(last) : null;
      if (!more || lines.length >= limit || looked >= FIND_LOOKED_ENTRIES_MAX) break;
      await turn();
    }
    return threshold.pass({ ok: true, lines, next, looked, reached });
  }

  /**
   * Those that stand, or stood then. One whose id is the text comes before all others, of whatever type; what only tells of
   * others, such as events, is looked through where its type is asked for.
   */
  async records(wanted: RecordsWanted, point: PastPoint | null = null): Promise<FoundRecords> {
    const { past, story, threshold } = this.#parts;
    const from = wanted.before === undefined ? null : placeOf(wanted.before);
    if (wanted.before !== undefined && from === null) return BAD_CURSOR;
    const limit = hitsOf(wanted.limit);
    const needle = new Needle(wanted.text);
    const places = await this.#places(wanted, point);
    const records = from === null ? await this.#withId(places, wanted.text, point) : [];
    const named = new Set(records.map(({ twin, type }) => `${twin} ${type}`));
    let looked = 0;
    for (const { twin, type } of places) {
      if (from !== null && isBefore({ twin, type }, from)) continue;
      if (wanted.type === undefined && story.tells(twin, type)) continue;
      let before = from?.twin === twin && from.type === type ? from.order : null;
      while (true) {
        if (records.length >= limit || looked >= FIND_LOOKED_RECORDS_MAX)
          return threshold.pass({
            ...{ ok: true, records, looked, reached: { twin, type } },
            next: formatPlace({ twin, type, order: before ?? Number.MAX_SAFE_INTEGER }),
          });
        const page = await past.placed(twin, type, { before, limit: FIND_RECORDS_PER_TURN }, point);
        const seen = page.map(({ id, body }) => ({ twin, type, id, body }));
        const words = await story.words(seen, point);
        for (const [at, { id, position, order, body }] of page.entries()) {
          if (records.length >= limit) break;
          looked++;
          before = order;
          // What was named stands at the top.
          if (id === wanted.text && named.has(`${twin} ${type}`)) continue;
          const { title, summary } = words[at]!;
          if (needle.isIn(`${id}\n${title}\n${summary ?? ''}`, () => body))
            records.push({ twin, type, id, position, title, summary });
        }
        const last = page.at(-1);
        if (last === undefined || (page.length < FIND_RECORDS_PER_TURN && last.order === before)) break;
        await turn();
      }
    }
    return threshold.pass({ ok: true, records, next: null, looked, reached: null });
  }

  /** Each line with what is told of it, or null where it is none of those. */
  async #hits(
    lines: readonly EntryLine[],
    wanted: EntriesWanted,
    needle: Needle,
    point: PastPoint | null,
  ): Promise<readonly (readonly [line: EntryLine, hit: StoryLine | null])[]> {
    const read = lines.map(line => ({ line, entry: JSON.parse(line.json) as Entry }));
    const fitting = read.filter(({ entry }) => fits(entry, wanted));
    const told = await this.#parts.story.tell(
      fitting.map(({ entry }) => entry),
      point,
    );
    const hits = new Map<EntryLine, StoryLine>();
    for (const [at, { line, entry }] of fitting.entries())
      if (needle.isIn(saidOf(told[at]!), () => heldBy(entry))) hits.set(line, told[at]!);
    return lines.map(line => [line, hits.get(line) ?? null] as const);
  }

  /** The entry whose id the text is. */
  async #named(wanted: EntriesWanted, { text }: Needle, point: PastPoint | null): Promise<StoryLine[]> {
    const id = /^([a-z0-9-]{1,100}):([1-9]\d{0,14})$/.exec(text);
    if (id === null || !this.#parts.vendors.includes(id[1]!)) return [];
    const [twin, position] = [id[1]!, Number(id[2])];
    if (wanted.twin !== undefined && wanted.twin !== twin) return [];
    if (point !== null && position > (point.positions.get(twin) ?? 0)) return [];
    const entry = await this.#parts.story.entry(twin, position);
    if (entry === null || !fits(entry, wanted)) return [];
    if (wanted.trace !== undefined && entry.trace?.traceId !== wanted.trace) return [];
    return [...(await this.#parts.story.tell([entry], point))];
  }

  /** Where records are looked for: each type of each twin, in order. */
  async #places(
    { twin, type }: Pick<RecordsWanted, 'twin' | 'type'>,
    point: PastPoint | null,
  ): Promise<readonly { readonly twin: string; readonly type: string }[]> {
    const { vendors, past } = this.#parts;
    const places: { twin: string; type: string }[] = [];
    for (const each of [...vendors].sort()) {
      if (twin !== undefined && twin !== each) continue;
      for (const found of await past.types(each, point))
        if (type === undefined || type === found) places.push({ twin: each, type: found });
    }
    return places.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  async #withId(
    places: readonly { readonly twin: string; readonly type: string }[],
    id: string,
    point: PastPoint | null,
  ): Promise<FoundRecord[]> {
    const { past, story } = this.#parts;
    const found: FoundRecord[] = [];
    for (const { twin, type } of places) {
      const held = await past.record(twin, type, id, point);
      if (held === null) continue;
      const [words] = await story.words([{ twin, type, id, body: held.body }], point);
      found.push({ twin, type, id, position: held.position, ...words! });
      if (found.length === FIND_ROWS_MAX) break;
    }
    return found;
  }
}

const BAD_CURSOR = {
  ok: false,
  why: 'bad-cursor',
  message: '`before` is the `next` of an earlier page.',
} as const;

const hitsOf = (limit: number = FIND_ROWS_DEFAULT): number =>
  Math.min(Math.max(Math.floor(limit), 1), FIND_ROWS_MAX);

/** What the log itself tells; twin and trace are asked of its indexes. */
const fits = ({ kind, caller, changes }: Entry, wanted: EntriesWanted): boolean =>
  (wanted.kind === undefined || kind === wanted.kind || kind.startsWith(`${wanted.kind}.`)) &&
  (wanted.caller === undefined || caller === wanted.caller) &&
  (wanted.type === undefined || changes.some(({ type }) => type === wanted.type));

/** Of a request, what was asked for: its body is in the records that it changed. */
const heldBy = ({ request, ...rest }: Entry): unknown => ({ ...rest, asked: request?.path });

/** What people read of a line. */
const saidOf = ({ text, records }: StoryLine): string =>
  [text, ...records.map(({ title, summary }) => `${title}\n${summary ?? ''}`)].join('\n');

/** Where a look at records goes on: at those made before a place. */
type Place = { readonly twin: string; readonly type: string; readonly order: number };

const isBefore = (a: Omit<Place, 'order'>, b: Omit<Place, 'order'>): boolean =>
  a.twin < b.twin || (a.twin === b.twin && a.type < b.type);

const formatPlace = ({ twin, type, order }: Place): string =>
  `${twin}/${encodeURIComponent(type)}/${order.toString(36)}`;

const placeOf = (text: string): Place | null => {
  const parts = /^([a-z0-9-]{1,100})\/([^/]{1,600})\/([0-9a-z]{1,11})$/.exec(text);
  if (parts === null) return null;
  const order = Number.parseInt(parts[3]!, 36);
  if (!Number.isSafeInteger(order)) return null;
  try {
    return { twin: parts[1]!, type: decodeURIComponent(parts[2]!), order };
  } catch {
    return null;
  }
};
