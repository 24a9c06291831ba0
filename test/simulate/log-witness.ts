// Looks at the store of a simulated world after each step, as the disk has it and not as the world tells it, and holds
// the log against what it was before and against the state beside it (storage.md, invariants 1, 2, 3, 7, 9, 25).
import { stripeTwin } from '../../twins/stripe/twin.ts';
import type { Served } from './machine.ts';
import { Violation } from './violation.ts';

export type LogRow = {
  readonly pos: number;
  readonly at: number;
  readonly kind: string;
  readonly actor: string;
  readonly trace: string | null;
  readonly method: string | null;
  readonly path: string | null;
  readonly delivery: string | null;
  readonly changes: string;
};

/** By type, of the twins that are simulated. */
export const KEPT_MS = { event: stripeTwin.records['event']!.keptMs! };

type Change = { readonly op: string; readonly type: string; readonly id: string };
/** By `type/id`, the position of the entry that put it. */
type State = Map<string, number>;

/** What is remembered of one twin of one world. */
class TwinLog {
  readonly base: number;
  /** Those of the world itself: the first is at `base + 1`. */
  readonly rows: LogRow[] = [];
  readonly state: State;
  /** The newest that no crash could undo, when it was last looked at. */
  lasted = 0;

  constructor(base: number, state: State) {
    this.base = base;
    this.state = state;
  }

  get tip(): number {
    return this.base + this.rows.length;
  }

  add(row: LogRow): void {
    this.rows.push(row);
    play(this.state, row);
  }
}

const play = (state: State, { pos, changes }: LogRow): void => {
  for (const { op, type, id } of JSON.parse(changes) as Change[]) {
    if (op === 'put') state.set(`${type}/${id}`, pos);
    else if (op === 'delete') state.delete(`${type}/${id}`);
  }
};

type WorldLog = { readonly parent: string | null; readonly twins: Map<string, TwinLog>; newest: number };

export class LogWitness {
  readonly #worlds = new Map<string, WorldLog>();
  /** Called for each new row, when the state is as it was before it. */
  readonly #onRow: (served: Served, twin: string, row: LogRow, state: ReadonlyMap<string, number>) => void;

  constructor(
    onRow: (served: Served, twin: string, row: LogRow, state: ReadonlyMap<string, number>) => void,
  ) {
    this.#onRow = onRow;
  }

  /** The world's own entries of a twin. */
  rows(world: string, twin: string): readonly LogRow[] {
    return this.#worlds.get(world)?.twins.get(twin)?.rows ?? [];
  }

  look(served: Served): void {
    if (served.parent !== null && !this.#worlds.has(served.name)) this.#hasWhatWas(served, served.parent);
    const log = this.#logOf(served);
    const fresh: number[] = [];
    for (const [twin, known] of log.twins) {
      for (const row of rowsAfter(served, twin, known.tip)) {
        if (row.pos !== known.tip + 1)
          throw new Violation(`${served.name} ${twin}: position ${row.pos} after ${known.tip}`);
        this.#onRow(served, twin, row, known.state);
        known.add(row);
        fresh.push(row.at);
      }
      known.lasted = Math.max(served.store.lasted.get(twin) ?? 0, known.base);
      headIsState(served, twin, known);
    }
    const first = Math.min(...fresh);
    if (first < log.newest)
      throw new Violation(`${served.name}: an entry of ${first} was appended after one of ${log.newest}`);
    log.newest = Math.max(log.newest, ...fresh);
  }

  /** After a loss: what had lasted is there as it was, and what is not there any more had not. */
  recount(served: Served): void {
    const before = this.#worlds.get(served.name);
    if (before === undefined) return;
    this.#worlds.delete(served.name);
    const now = this.#logOf(served);
    for (const [twin, known] of before.twins) {
      const again = now.twins.get(twin)!;
      if (again.base !== known.base) throw new Violation(`${served.name} ${twin}: the base moved`);
      for (const row of rowsAfter(served, twin, again.base)) {
        if (row.pos > known.tip) break;
        again.add(row);
      }
      if (again.tip < known.lasted)
        throw new Violation(`${served.name} ${twin}: ${known.lasted} had lasted, and ${again.tip} is left`);
      const [was, is] = [known, again].map(({ rows, base }) =>
        JSON.stringify(rows.slice(0, known.lasted - base)),
      );
      if (was !== is) throw new Violation(`${served.name} ${twin}: what had lasted was changed`);
      now.newest = Math.max(now.newest, again.rows.at(-1)?.at ?? 0);
    }
  }

  #logOf(served: Served): WorldLog {
    let log = this.#worlds.get(served.name);
    if (log === undefined) {
      const twins = new Map<string, TwinLog>();
      for (const twin of served.world.vendors) twins.set(twin, this.#twinLog(served, twin));
      log = { parent: served.parent?.name ?? null, twins, newest: leftAt(served) };
      this.#worlds.set(served.name, log);
    }
    return log;
  }

  #twinLog(served: Served, twin: string): TwinLog {
    if (served.parent === null) return new TwinLog(0, new Map());
    const base = served.store.peek<{ pos: number }>('SELECT pos FROM base WHERE twin = ?', twin)[0]?.pos ?? 0;
    const lasted = served.parent.store.lasted.get(twin) ?? 0;
    const parents = this.#worlds.get(served.parent.name)?.twins.get(twin);
    if (base > Math.max(lasted, parents?.base ?? 0))
      throw new Violation(`${served.name} ${twin}: it left at ${base}, and its parent may lose that`);
    const state = this.#stateAt(served.parent.name, twin, base);
    // What nobody finds any more is not copied.
    const now = this.#instant(served.parent.name, twin, base);
    for (const [key, pos] of state)
      if (key.startsWith('event/') && this.#instant(served.parent.name, twin, pos) < now - KEPT_MS.event)
        state.delete(key);
    return new TwinLog(base, state);
  }

  /** Of an entry that a world has in its past. */
  #instant(world: string, twin: string, position: number): number {
    const log = this.#worlds.get(world);
    const known = log?.twins.get(twin);
    if (log === undefined || known === undefined) return 0;
    const row = known.rows[position - known.base - 1];
    return row?.at ?? (log.parent === null ? 0 : this.#instant(log.parent, twin, position));
  }

  /** The twin's state in a world, played from the first entry of all that it has a past in. */
  #stateAt(world: string, twin: string, position: number): State {
    const log = this.#worlds.get(world);
    const known = log?.twins.get(twin);
    if (log === undefined || known === undefined) return new Map();
    const below = Math.min(position, known.base);
    const state: State = log.parent === null ? new Map() : this.#stateAt(log.parent, twin, below);
    for (const row of known.rows) if (row.pos <= position) play(state, row);
    return state;
  }

  /** 7: when it leaves, a branch has of its parent what was by its instant. Later the parent's clock may be set back. */
  #hasWhatWas(branch: Served, parent: Served): void {
    const { name, store } = branch;
    const at = leftAt(branch);
    for (const [twin, { base, rows }] of this.#worlds.get(parent.name)?.twins ?? []) {
      const own = store.peek<{ pos: number }>('SELECT pos FROM base WHERE twin = ?', twin)[0]?.pos ?? 0;
      const last = rows[own - base - 1];
      const next = rows[own - base];
      if (last !== undefined && last.at > at) throw new Violation(`${name} ${twin}: it has what came later`);
      if (own >= base && next !== undefined && next.at < at)
        throw new Violation(`${name} ${twin}: it lacks ${twin}:${next.pos}`);
    }
  }
}

/** The instant that a branch left its parent at; 0 for a world that is none. */
const leftAt = ({ store }: Served): number => {
  const [kept] = store.peek<{ v: string }>("SELECT v FROM meta WHERE k = 'origin'");
  return kept === undefined ? 0 : (JSON.parse(kept.v) as { at: number }).at;
};

const rowsAfter = ({ store }: Served, twin: string, position: number): LogRow[] =>
  store.peek<LogRow>(
    `SELECT pos, at, kind, actor, trace, method, path, delivery, changes FROM entry
     WHERE twin = ? AND pos > ? ORDER BY pos`,
    twin,
    position,
  );

/** 1, and 8 for a branch: the state beside the log is what the log says. */
const headIsState = ({ name, store, parent }: Served, twin: string, { base, state }: TwinLog): void => {
  const copied = store.peek('SELECT 1 AS copied FROM base WHERE twin = ? AND hydrated = 1', twin);
  if (parent !== null && base > 0 && copied.length === 0) return;
  const head = store.peek<{ key: string; pos: number }>(
    "SELECT type || '/' || id AS key, pos FROM head WHERE twin = ?",
    twin,
  );
  const wrong = head.find(({ key, pos }) => state.get(key) !== pos);
  if (wrong !== undefined)
    throw new Violation(`${name} ${twin}: ${wrong.key} is of ${wrong.pos}, not of ${state.get(wrong.key)}`);
  if (head.length !== state.size)
    throw new Violation(`${name} ${twin}: ${head.length} records where the log makes ${state.size}`);
};
