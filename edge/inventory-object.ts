// The inventory of a deployment (2.13, 4.11): one object that knows every world, makes names unique, and sees to it that
// what was begun to be removed is gone in the end.
import { DurableObject } from 'cloudflare:workers';
import { metricsText, RequestCounts } from '../control/hosting/host-metrics.ts';
import { describeFault } from '../control/world/store/fault.ts';
import type { ToldCounts } from './answer-counts.ts';
import { type Env, worldOf } from './env.ts';
import { type ArrivingRow, InventoryStore, type StoredWorld } from './inventory-store.ts';
import { ARRIVAL_MS_MAX, INVENTORY_PAGE_ROWS, REMOVAL_AGAIN_MS } from './limits.ts';
import { openLog } from './log.ts';
import { inventoryTwins } from './new-world.ts';
import { openSql } from './sql.ts';
import type { NewWorld, TokenTexts } from './world-record.ts';

export type AddResult = 'added' | 'taken' | 'no-parent';
/** `begun`: it is served no more, and the rest goes when it can. */
export type RemoveResult = 'removed' | 'begun' | 'unknown' | 'has-branches';
export type OwnResult = 'owned' | 'unknown' | 'is-branch' | { readonly recorded: string };

export class InventoryObject extends DurableObject<Env> {
  readonly #store: InventoryStore;
  readonly #log = openLog({ object: 'inventory' });
  readonly #requests = new RequestCounts();
  #opened = 0;
  #unopened = 0;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    this.#store = new InventoryStore(openSql(state.storage));
  }

  names(): readonly string[] {
    return this.#store.names();
  }

  count(): number {
    return this.#store.count;
  }

  /** The next ones by name. */
  page(after: string): readonly StoredWorld[] {
    return this.#store.page(after, INVENTORY_PAGE_ROWS);
  }

  row(name: string): StoredWorld | null {
    const found = this.#store.get(name);
    return found === null || found.going ? null : found;
  }

  /** What an object of that name is to be; null for none. */
  newWorld(name: string): NewWorld | null {
    const found = this.row(name);
    return found === null
      ? null
      : { record: found.record, tokens: { token: found.token, readToken: found.readToken } };
  }

  async add(world: Omit<StoredWorld, 'going'>): Promise<AddResult> {
    const { name, parent } = world.record;
    if (this.#store.get(name) !== null || this.#store.arrives(name, '')) return 'taken';
    if (parent !== null && this.row(parent.name) === null) return 'no-parent';
    this.#store.add(world);
    await this.#arm();
    return 'added';
  }

  /** Whether a world has that name, or gets it; `arriving` is the one that asks. */
  isTaken(name: string, arriving: string): boolean {
    return this.#store.get(name) !== null || this.#store.arrives(name, arriving);
  }

  /** False where one of its names is taken. */
  async arrive(row: ArrivingRow): Promise<boolean> {
    if (row.worlds.some(({ record }) => this.isTaken(record.name, ''))) return false;
    this.#store.addArriving(row, Date.now());
    await this.#arm();
    return true;
  }

  arriving(name: string): ArrivingRow | null {
    return this.#store.arriving(name);
  }

  arrived(name: string, to: Pick<ArrivingRow, 'sum' | 'next'>): void {
    this.#store.setArrived(name, to, Date.now());
  }

  /** All of them at once: from here on they are worlds. `last`: the part that ended it. False where it was given up. */
  async publish(name: string, last: string): Promise<boolean> {
    const row = this.#store.arriving(name);
    if (row === null) return false;
    for (const { record, tokens, expires } of row.worlds)
      this.#store.add({ record, ...tokens, owner: null, twins: inventoryTwins(record.vendors), expires });
    this.#store.setMoved(
      name,
      last,
      row.worlds.map(({ record }) => record.name),
    );
    this.#store.removeArriving(name);
    await this.#arm();
    return true;
  }

  /** The worlds that came under that name by that last part; null for none. */
  moved(name: string, last: string): readonly string[] | null {
    return this.#store.moved(name, last);
  }

  /** False where nothing arrives under that name. */
  async abandon(name: string): Promise<boolean> {
    const row = this.#store.arriving(name);
    if (row === null) return false;
    for (const { record } of row.worlds) await worldOf(this.env, record.name).wipe(record.id);
    this.#store.removeArriving(name);
    return true;
  }

  own(name: string, owner: string): OwnResult {
    const found = this.row(name);
    if (found === null) return 'unknown';
    if (found.record.parent !== null) return 'is-branch';
    if (found.owner !== null && found.owner !== owner) return { recorded: found.owner };
    if (found.owner === null) this.#store.setOwner(name, owner);
    return 'owned';
  }

  /** By the world itself, before the old ones end. `id`: of its record. */
  setTokens(name: string, id: string, tokens: TokenTexts): void {
    if (this.row(name)?.record.id === id) this.#store.setTokens(name, tokens);
  }

  /** By the world itself. */
  setTwins(name: string, id: string, twins: string): void {
    if (this.row(name)?.record.id === id) this.#store.setTwins(name, twins);
  }

  /** By the world itself: what it did since it told last. */
  counted(name: string, id: string, { answers, opened, unopened }: ToldCounts): void {
    if (this.row(name)?.record.id !== id) return;
    this.#requests.add(name, answers);
    this.#opened += opened;
    this.#unopened += unopened;
  }

  /** In Prometheus' text: counters begin anew with this object, which who reads them knows of. */
  metrics(): string {
    const counts = {
      opened: this.#opened,
      unopened: this.#unopened,
      memoryBytes: null,
      heapBytes: null,
      turnedAway: null,
      requests: this.#requests.rows,
    };
    // Which of them are in memory is the platform's to know.
    return metricsText({ worlds: this.#store.count, open: null }, [{ shard: null, counts }], null);
  }

  branchesOf(name: string): readonly string[] {
    return this.#store.branchesOf(name);
  }

  /** `of`: only where it is a branch of that world. */
  async remove(name: string, of?: string): Promise<RemoveResult> {
    const found = this.row(name);
    if (found === null || (of !== undefined && found.record.parent?.name !== of)) return 'unknown';
    if (this.#store.branchesOf(name).length > 0) return 'has-branches';
    this.#store.setGoing(name);
    await this.ctx.storage.setAlarm(Date.now() + REMOVAL_AGAIN_MS);
    const cleared = await this.#cleared(found);
    await this.#arm();
    return cleared ? 'removed' : 'begun';
  }

  override async alarm(): Promise<void> {
    for (const name of this.#store.arrivingBefore(Date.now() - ARRIVAL_MS_MAX))
      await this.abandon(name).catch(error =>
        this.#log.error(
          { world: name, fault: describeFault(error) },
          'what had arrived could not be removed',
        ),
      );
    for (const name of this.#store.toRemove(Date.now())) {
      const found = this.#store.get(name);
      if (found === null) continue;
      this.#store.setGoing(name);
      await this.#cleared(found);
    }
    await this.#arm();
  }

  async #cleared(world: StoredWorld): Promise<boolean> {
    try {
      await this.#clear(world);
      return true;
    } catch (error) {
      this.#log.error(
        { world: world.record.name, fault: describeFault(error) },
        'a world could not be removed; it is tried again',
      );
      return false;
    }
  }

  /** With its rows, blobs and alarm; then the name is free. */
  async #clear({ record: { id, name, parent } }: StoredWorld): Promise<void> {
    await worldOf(this.env, name).wipe(id);
    if (parent !== null) await worldOf(this.env, parent.name).branchGone(name);
    if (this.#store.get(name)?.record.id !== id) return;
    this.#store.remove(name);
    this.#requests.forget(name);
  }

  async #arm(): Promise<void> {
    const now = Date.now();
    const expiry = this.#store.nextExpiry();
    // What cannot be removed yet is looked at again, and not at once.
    const again = now + REMOVAL_AGAIN_MS;
    const due = this.#store.toRemove(now).length > 0;
    const arrived = this.#store.oldestArriving();
    const waits = [due || (expiry !== null && expiry <= now) ? again : expiry];
    if (arrived !== null) waits.push(Math.max(arrived + ARRIVAL_MS_MAX, again));
    const next = waits.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)), null);
    if (next === null) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(next);
  }
}
