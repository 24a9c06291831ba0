// What a world changes in itself when a vendor made a record (3): the record is called there what it is called here from
// then on, in itself and in whatever names it, also in what is due. What was before stays in the history as it was.
import type { Done, Observed, RealVendor } from '../../../twins/kit/real-vendor.ts';
import type { Instant, RecordBody } from '../../../twins/kit/tx.ts';
import type { Sql } from '../../ports/sql.ts';
import { CHANGESET_PAGE_ENTRIES, RENAMED_RECORDS_PER_ENTRY } from '../limits.ts';
import type { Change, Entry } from '../log/entry.ts';
import type { RecordChange } from '../store/outcome.ts';
import { mergeRecord } from '../store/three-way.ts';
import type { Transaction } from '../store/transaction.ts';
import type { Ledger } from '../work/ledger.ts';
import type { Seat } from '../work/seat.ts';
import type { Action } from './changeset.ts';
import { exchanged, type IdMap, mayBeNamed, namesIds, tokensIn } from './id-token.ts';

type Named = { readonly type: string; readonly id: string };

/** What the vendor calls the records that an entry made. Ids that the client chose itself are no random tokens, and stay. */
export const idPairs = (
  action: Action,
  entry: Entry,
  done: Done,
  { real, aliases }: { readonly real?: RealVendor | undefined; readonly aliases?: IdMap | undefined } = {},
): IdMap => {
  const made = madeBy(entry);
  const pairs = new Map<string, string>();
  const adopted = done.object === undefined ? [] : (real?.adopt?.(done.object) ?? []);
  const main = mainOf(action, made, done, adopted);
  const chosen = textOf(action);
  const own = new Set(made.map(({ id }) => id).filter(id => mayBeNamed(id)));
  for (const id of tokensIn(chosen, own)) own.delete(id);
  const add = (here: string, there: string): void => {
    if (own.has(here) && here !== there && mayBeNamed(there) && !pairs.has(here)) pairs.set(here, there);
  };
  for (const [type, ours] of Map.groupBy(made, change => change.type)) {
    const theirs = (done.listed ?? []).filter(each => each.type === type);
    if (ours.length === theirs.length) for (const [n, { id }] of ours.entries()) add(id, theirs[n]!.id);
  }
  if (main === undefined) return pairs;
  if (done.id !== undefined) add(main.id, done.id);
  if (done.object === undefined) return pairs;
  inPlace(main.after, done.object, add);
  const known = new Map([...(aliases ?? []), ...pairs]);
  const left = made.filter(({ id }) => own.has(id) && !pairs.has(id));
  const taken = new Set(pairs.values());
  const theirs = adopted.filter(({ id }) => !taken.has(id));
  for (const [here, there] of alike(left, theirs, known)) add(here, there);
  return pairs;
};

/** Records inside of the answer: each with the one here that is most like it, where each is the other's likeliest. */
const alike = (
  made: readonly Change[],
  theirs: readonly Observed[],
  known: IdMap,
): readonly (readonly [here: string, there: string])[] => {
  const bodies = made.map(({ after }) => JSON.parse(exchanged(JSON.stringify(after), known)) as RecordBody);
  const likeness = (n: number, m: number): number => {
    const [here, there] = [bodies[n]!, theirs[m]!.body];
    if (made[n]!.type !== theirs[m]!.type) return -1;
    return Object.keys(here).filter(name => JSON.stringify(here[name]) === JSON.stringify(there[name]))
      .length;
  };
  const likeliest = (marks: readonly number[]): number | null => {
    const best = Math.max(...marks);
    const first = marks.indexOf(best);
    return best < 0 || marks.lastIndexOf(best) !== first ? null : first;
  };
  const all = theirs.map((_, m) => m);
  return made.flatMap(({ id }, n) => {
    const there = likeliest(all.map(m => likeness(n, m)));
    if (there === null || likeliest(made.map((_, each) => likeness(each, there))) !== n) return [];
    return [[id, theirs[there]!.id] as const];
  });
};

/** Without those that only point at others: what was there before the entry was not made by it. */
export const madeBy = ({ changes }: Pick<Entry, 'changes'>): readonly Change[] =>
  changes.filter(({ op, before }) => op === 'put' && before === undefined);

/** What the answer is of, by what the twin keeps it as, or as the vendor calls it. */
const mainOf = (
  { target }: Action,
  made: readonly Change[],
  { object, id: told }: Done,
  adopted: readonly Observed[],
): Change | undefined =>
  made.find(({ type }) => type === adopted.find(({ id }) => id === told)?.type) ??
  made.find(({ type }) => type === object?.['object']) ??
  made.find(({ type, id }) => type === target?.type && id === target.id);

/** What the action asks, as one text; without the files that it sends. */
export const textOf = ({ request: { path, query = [], headers = {}, body = [] } }: Action): string =>
  [path, query, namesIds(headers['content-type']) ? body : []]
    .map(parts => parts.map(part => (typeof part === 'string' ? part : part.$ref.id)).join(''))
    .concat(Object.values(headers))
    .join('\n');

/** Two answers to the same request: where an id stands in one, the other has its own. */
const inPlace = (here: unknown, there: unknown, add: (here: string, there: string) => void): void => {
  if (typeof here === 'string' && typeof there === 'string') return add(here, there);
  if (typeof here !== 'object' || typeof there !== 'object' || here === null || there === null) return;
  if (Array.isArray(here) !== Array.isArray(there)) return;
  if (Array.isArray(here) && here.length !== (there as readonly unknown[]).length) return;
  for (const name of Object.keys(here))
    if (Object.hasOwn(there, name)) inPlace((here as RecordBody)[name], (there as RecordBody)[name], add);
};

/** Which records name which of the ids that a changeset made; looked up as the log grows. */
export class Mentions {
  readonly #sql: Pick<Sql, 'all'>;
  readonly #seat: Seat;
  readonly #made: ReadonlySet<string>;
  readonly #byId = new Map<string, Map<string, Named>>();
  /** The newest entry that was looked at. */
  #seen: number;

  /** `from`: the position before the changeset's first entry: what is older cannot name them. */
  constructor(sql: Pick<Sql, 'all'>, seat: Seat, made: ReadonlySet<string>, from: number) {
    this.#sql = sql;
    this.#seat = seat;
    this.#made = made;
    this.#seen = from;
  }

  /** As the records stand now, each once. */
  of(ids: IdMap): readonly Named[] {
    this.#look();
    const found = new Map<string, Named>();
    for (const id of ids.keys()) for (const [key, named] of this.#byId.get(id) ?? []) found.set(key, named);
    return [...found.values()];
  }

  add(named: Named, text: string): void {
    for (const id of tokensIn(`${named.id}\n${text}`, this.#made)) {
      let there = this.#byId.get(id);
      if (there === undefined) this.#byId.set(id, (there = new Map()));
      there.set(`${named.type} ${named.id}`, named);
    }
  }

  #look(): void {
    for (;;) {
      const rows = this.#sql.all<{ pos: number; changes: string }>(
        'SELECT pos, changes FROM entry WHERE twin = ? AND pos > ? ORDER BY pos LIMIT +?',
        this.#seat.id,
        this.#seen,
        CHANGESET_PAGE_ENTRIES,
      );
      for (const { pos, changes } of rows) {
        this.#seen = pos;
        for (const { op, type, id } of JSON.parse(changes) as RecordChange[]) {
          const head = op === 'put' ? this.#seat.records.head(type, id) : undefined;
          if (head !== undefined) this.add({ type, id }, head.body);
        }
      }
      if (rows.length < CHANGESET_PAGE_ENTRIES) return;
    }
  }
}

export type Renaming = {
  readonly seat: Seat;
  readonly pairs: IdMap;
  /** Of ids that were replaced before. */
  readonly aliases?: IdMap | undefined;
  /** The entry that the request made here. */
  readonly entry: Entry;
  readonly done: Done;
  readonly mentions: Mentions;
  readonly changeset: string;
};

/** Inside a transaction. As many entries `twin.deployed` as it takes; most often one, or none where nothing changes. */
export const rename = (
  write: Ledger['write'],
  sql: Pick<Sql, 'all'>,
  now: Instant,
  renaming: Renaming,
): void => {
  const { seat, pairs, mentions } = renaming;
  const named = pairs.size === 0 ? [] : mentions.of(pairs);
  for (let from = 0; from === 0 || from < named.length; from += RENAMED_RECORDS_PER_ENTRY) {
    const part = named.slice(from, from + RENAMED_RECORDS_PER_ENTRY);
    const told = write(seat, { now, actor: { type: 'root' }, cause: renaming.entry.id }, tx => {
      tx.kind('twin.deployed');
      const told = part.flatMap(each => renamed(tx, each, pairs));
      if (from === 0) {
        renameDue(tx, sql, seat.id, pairs);
        adopt(tx, seat.twin.real, renaming);
      }
      return told;
    });
    for (const { type, id, text } of told) mentions.add({ type, id }, text);
  }
};

const renamed = (tx: Transaction, { type, id }: Named, pairs: IdMap): (Named & { text: string })[] => {
  const body = tx.get(type, id);
  if (body === undefined) return [];
  const text = JSON.stringify(body);
  const told = exchanged(text, pairs);
  // Of what is kept by two ids, one may have changed.
  const now = exchanged(id, pairs);
  if (now === id && told === text) return [];
  if (now !== id) tx.delete(type, id);
  tx.put(type, now, JSON.parse(told) as RecordBody);
  return [{ type, id: now, text: told }];
};

const renameDue = (tx: Transaction, sql: Pick<Sql, 'all'>, twin: string, pairs: IdMap): void => {
  const waiting = new Map<string, { at: number; payload: string }>();
  for (const old of pairs.keys()) {
    const rows = sql.all<{ key: string; at: number; payload: string }>(
      `SELECT key, at, payload FROM due
       WHERE twin = ?1 AND substr(key, 1, 1) <> '~' AND (instr(key, ?2) > 0 OR instr(payload, ?2) > 0)`,
      twin,
      old,
    );
    for (const { key, ...row } of rows) waiting.set(key, row);
  }
  for (const [key, { at, payload }] of waiting) {
    const now = exchanged(key, pairs);
    if (now !== key) tx.cancel(key);
    tx.schedule(now, at, JSON.parse(exchanged(payload, pairs)) as RecordBody);
  }
};

/** What the vendor has of it now, with what was changed here since and is not asked of the vendor yet. */
const adopt = (
  tx: Transaction,
  real: RealVendor | undefined,
  { entry, done, pairs, aliases, seat }: Renaming,
): void => {
  if (done.object === undefined) return;
  const known = new Map([...(aliases ?? []), ...pairs]);
  for (const { type, id, body } of real?.adopt?.(done.object) ?? []) {
    if (!seat.records.declares(type)) continue;
    const ours = tx.get(type, id) ?? null;
    const change = entry.changes.find(each => each.type === type && exchanged(each.id, known) === id);
    const base =
      change?.after === undefined
        ? null
        : (JSON.parse(exchanged(JSON.stringify(change.after), known)) as RecordBody);
    const { merged } = mergeRecord(ours === null ? null : base, ours, body);
    if (merged !== null) tx.put(type, id, { ...merged, ...ownFields(ours) });
  }
};

/** What a twin keeps with a record and shows to nobody. */
const ownFields = (body: RecordBody | null): RecordBody =>
  Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => name.startsWith('$')));
