// What happened, in words (4.9): the entries of the logs by what their twins call the records, without the bodies. Made
// when somebody reads it; nothing is kept for it.
import type { Wording } from '../../../twins/kit/twin.ts';
import type { Instant } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import type { Entry } from '../log/entry.ts';
import { readTimeline, type TimelineQuery } from '../log/timeline.ts';
import type { History } from '../past/history.ts';
import type { Past, PastPoint } from '../past/past.ts';
import type { Threshold } from '../store/threshold.ts';
import type { Hydration } from '../work/hydration.ts';
import type { Seat } from '../work/seat.ts';
import { type AwaitedList, readAhead } from './ahead.ts';
import { RECORD_VERSIONS_SHOWN_MAX } from './limits.ts';
import { lineOf, type StoryLine, seenOf, sorted } from './line.ts';
import { retrievalOf } from './vendor-answer.ts';
import { type Seen, Wordings, type Words } from './wording.ts';

export type StoryPage =
  | { readonly ok: true; readonly lines: readonly StoryLine[]; readonly next: string | null }
  | { readonly ok: false; readonly why: string; readonly message: string };

export type RecordTable = {
  /** Headings, in the order of the cells. */
  readonly columns: readonly string[];
  readonly rows: readonly (Words & {
    readonly id: string;
    readonly position: number;
    readonly cells: readonly (string | number | boolean | null)[];
  })[];
  readonly next: string | null;
};

/** `before` null: it was made; `after` null: it ended. */
export type RecordVersion = {
  readonly entry: string;
  readonly kind: string;
  readonly occurredAt: string;
  readonly caller?: string;
  readonly before: unknown;
  readonly after: unknown;
};

export type RecordStory = Words & {
  readonly type: string;
  readonly id: string;
  readonly ended: boolean;
  readonly body: unknown;
  /** The vendor's own request for it: `GET https://api.stripe.com/v1/customers/cus_1`; null where it has none. */
  readonly retrievedBy: string | null;
  /** The newest; of a branch, its own. */
  readonly versions: readonly RecordVersion[];
};

type Parts = {
  readonly seats: ReadonlyMap<string, Seat>;
  readonly history: History;
  readonly past: Past;
  readonly threshold: Threshold;
  readonly sql: Sql;
  readonly vendors: readonly string[];
  readonly hydration: Hydration | null;
};

export class Story {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Newest first, of all twins or of one, or of one trace. */
  async newest(query: TimelineQuery, point: PastPoint | null = null): Promise<StoryPage> {
    const { history, threshold } = this.#parts;
    const page = await readTimeline(
      asked => history.newest(asked),
      point === null ? query : { ...query, at: point.at },
    );
    if (!page.ok) return page;
    const lines = this.tell(
      page.entries.map(({ entry }) => entry),
      point,
    );
    return { ok: true, lines: await threshold.pass(lines), next: page.next };
  }

  /** Of one twin after a position, oldest first; null for no twin of this world. */
  async after(twin: string, position: number): Promise<StoryPage | null> {
    const { seats, history, threshold } = this.#parts;
    if (!seats.has(twin)) return null;
    const page = await history.page(twin, position);
    return { ok: true, lines: await threshold.pass(this.tell(page.entries, null)), next: page.next };
  }

  /** One entry whole, as the log has it; null where there is none. */
  async entry(twin: string, position: number): Promise<Entry | null> {
    const { history, threshold } = this.#parts;
    const { lines } = await history.log(twin, position - 1, position);
    const line = lines[0];
    return threshold.pass(line === undefined ? null : (JSON.parse(line.json) as Entry));
  }

  /** What waits for an instant or an earlier one, soonest first. */
  ahead(until: Instant): Promise<AwaitedList> {
    return readAhead({ ...this.#parts, words: records => this.#wordings(null).words(records) }, until);
  }

  /** A page of records with the columns that their twin names; null for no twin of this world. */
  async table(
    twin: string,
    type: string,
    page: { readonly before: number | null; readonly limit: number },
    point: PastPoint | null = null,
  ): Promise<RecordTable | null> {
    const found = await this.#parts.past.records(twin, type, page, point);
    if (found === null) return null;
    const wordings = this.#wordings(point);
    const seen = found.records.map(({ id, body }) => ({ twin, type, id, body }));
    const words = await wordings.words(seen);
    const cells = await wordings.cells(seen);
    const rows = found.records.map(({ id, position }, at) => {
      return { id, position, ...words[at]!, cells: cells[at]!.map(cell => cell ?? null) };
    });
    return { columns: Object.keys(this.#type(twin, type)?.columns ?? {}), rows, next: found.next };
  }

  /** A record as it is or was at a point, with what made it so, the newest first; null where there is none. */
  async record(
    twin: string,
    type: string,
    id: string,
    point: PastPoint | null = null,
  ): Promise<RecordStory | null> {
    const { seats, past } = this.#parts;
    const seat = seats.get(twin);
    if (seat === undefined) return null;
    const held = await past.record(twin, type, id, point);
    const upTo = point?.positions.get(twin) ?? (point === null ? Number.MAX_SAFE_INTEGER : 0);
    const versions: RecordVersion[] = [];
    for (const { position } of seat.log.about(type, id, RECORD_VERSIONS_SHOWN_MAX, upTo)) {
      const entry = await this.entry(twin, position);
      const change = entry?.changes.find(each => each.type === type && each.id === id);
      if (entry === null || change === undefined) continue;
      const { id: named, kind, occurredAt, caller } = entry;
      const { before = null, after = null } = change;
      const by = caller === undefined ? {} : { caller };
      versions.push({ entry: named, kind, occurredAt, ...by, before, after });
    }
    const body = held?.body ?? versions[0]?.before;
    if (body === undefined || body === null) return null;
    const [words] = await this.#wordings(point).words([{ twin, type, id, body }]);
    const place = retrievalOf(seat, { type, id, body });
    const retrievedBy = place === null ? null : `GET https://${place.host}${place.path}`;
    return { type, id, ended: held === null, ...words!, body, retrievedBy, versions };
  }

  /** What the events of webhooks tell of, by the twins' words for them; null where a twin has none. */
  async events(
    events: readonly { readonly twin: string; readonly id: string }[],
  ): Promise<readonly (string | null)[]> {
    const { seats, past } = this.#parts;
    const wordings = this.#wordings(null);
    const found = await Promise.all(
      events.map(async ({ twin, id }) => {
        for (const [type, { quotes, title }] of Object.entries(seats.get(twin)?.twin.records ?? {})) {
          if (quotes === undefined || title === undefined) continue;
          const held = await past.record(twin, type, id);
          if (held !== null) return { twin, type, id, body: held.body };
        }
        return null;
      }),
    );
    const words = await wordings.words(found.filter(each => each !== null));
    let at = 0;
    return found.map(each => (each === null ? null : words[at++]!.title));
  }

  /** For the words of one page. */
  #wordings(point: PastPoint | null): Wordings {
    const { past } = this.#parts;
    return new Wordings({
      wordingOf: (twin, type) => this.#type(twin, type),
      read: async (twin, type, id) => (await past.record(twin, type, id, point))?.body,
    });
  }

  /** What their twins call these records. */
  words(records: readonly Seen[], point: PastPoint | null): Promise<readonly Words[]> {
    return this.#wordings(point).words(records);
  }

  /** Whether records of a type only tell of others, as events do. */
  tells(twin: string, type: string): boolean {
    return this.#type(twin, type)?.quotes !== undefined;
  }

  /** Entries in words, each with its line. */
  async tell(entries: readonly Entry[], point: PastPoint | null): Promise<readonly StoryLine[]> {
    const wordings = this.#wordings(point);
    const told = entries.map(entry =>
      sorted(entry, type => {
        const titled = wordings.isTitled(entry.twin, type);
        return { titled, tells: this.tells(entry.twin, type) };
      }),
    );
    const words = await wordings.words(
      told.flatMap(({ entry, told }) => told.map(change => seenOf(entry.twin, change))),
    );
    let from = 0;
    return told.map(each => lineOf(each, words.slice(from, (from += each.told.length))));
  }

  #type(twin: string, type: string): (Wording & { readonly quotes?: readonly string[] }) | undefined {
    const types = this.#parts.seats.get(twin)?.twin.records;
    return types !== undefined && Object.hasOwn(types, type) ? types[type] : undefined;
  }
}
