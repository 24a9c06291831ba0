// One deploy of one changeset, from its first action to its last or to where it stops.
import type { Done, Deploys as VendorDeploys } from '../../../twins/kit/real-vendor.ts';
import type { Change, Entry } from '../log/entry.ts';
import type { ReceiptRow } from '../log/receipt-row.ts';
import { keepStandIns } from '../roots/stand-ins.ts';
import type { Seat } from '../work/seat.ts';
import type { Action } from './changeset.ts';
import { WAITS } from './changesets.ts';
import type { DeployParts } from './deploy.ts';
import { tokensIn } from './id-token.ts';
import type { DeployMode } from './lease.ts';
import { land, putOff, receiptRow, receiptRows, type Settled, settle } from './receipts.ts';
import { idPairs, Mentions, madeBy, rename, textOf } from './renaming.ts';
import { type SendingParts, type Sent, send } from './sending.ts';
import { lacksSecrets, vendorRequest } from './vendor-request.ts';

type Stop = { readonly actionId: string; readonly reason: string };

type Parts = DeployParts & SendingParts;

type Of = { readonly name: string; readonly mode: DeployMode; readonly holder: string };

export class DeployRun {
  readonly #parts: Parts;
  readonly #of: Of;
  readonly #receipts = new Map<string, ReceiptRow>();
  /** Ids that nothing at the vendor has, and why not. */
  readonly #unknown = new Map<string, string>();
  readonly #mentions = new Map<string, Mentions>();

  constructor(parts: Parts, of: Of) {
    this.#parts = parts;
    this.#of = of;
  }

  /** Null when every action has its receipt. */
  async run(): Promise<Stop | null> {
    const { changesets } = this.#parts;
    const { name } = this.#of;
    await this.#prepare();
    for await (const { entries, actions } of changesets.body(name)) {
      const byEntry = new Map(actions.map(action => [action.entries[0]!, action]));
      for (const entry of entries) {
        const action = byEntry.get(entry.id);
        if (action === undefined) this.#own(entry);
        else {
          const stop = await this.#action(action, entry);
          if (stop !== null) return stop;
        }
      }
    }
    return null;
  }

  /** Every action has a receipt, and it is known which ids are the changeset's. */
  async #prepare(): Promise<void> {
    const { sql, wall, seats, changesets, hydration, log, threshold } = this.#parts;
    const { name } = this.#of;
    const made = new Map<string, Set<string>>();
    const first = new Map<string, number>();
    for await (const { entries, actions } of changesets.body(name)) {
      for (const entry of entries) {
        first.set(entry.twin, Math.min(first.get(entry.twin) ?? entry.position, entry.position));
        const ids = made.get(entry.twin) ?? new Set<string>();
        made.set(entry.twin, ids);
        for (const { id } of madeBy(entry)) ids.add(id);
      }
      sql.transaction(() => {
        for (const action of actions) land(sql, name, action, wall.now());
      });
    }
    log.forgetLines();
    for (const row of receiptRows(sql, name)) this.#receipts.set(row.action, row);
    for (const [twin, ids] of made) {
      const seat = seats.get(twin);
      if (seat === undefined) continue;
      await hydration?.due();
      await hydration?.twin(twin);
      this.#mentions.set(twin, new Mentions(sql, seat, ids, first.get(twin)! - 1));
    }
    for (const [id, why] of changesets.undeployedBefore(name, [...made.keys()])) this.#unknown.set(id, why);
    await threshold.waiting();
  }

  /** What the world did by itself, a renewal: the vendor does the like by itself, under ids of its own. */
  #own(entry: Entry): void {
    for (const { id, type } of madeBy(entry))
      this.#unknown.set(id, `the world made the ${type} ${id} by itself (${entry.kind})`);
  }

  async #action(action: Action, entry: Entry): Promise<Stop | null> {
    const { seats, root } = this.#parts;
    const { actionId, service } = action;
    const receipt = this.#receipts.get(actionId)!;
    if (receipt.status !== 'landed') {
      this.#noteIds(action, entry);
      return null;
    }
    const seat = seats.get(service);
    const deploys = seat?.twin.real?.deploys;
    const policy = root(service);
    // What was sent before a crash is brought to its end whatever the root says now.
    const sending = receipt.intent === 'sending';
    if (this.#of.mode === 'auto' && policy?.deploy !== 'auto' && !sending) return null;
    const settled = this.#unasked(action, seat, deploys, policy?.deploy === 'never' && !sending);
    if (settled !== null) return this.#settle(action, entry, settled);
    if (seat === undefined || deploys === undefined) return null;
    if (policy === null)
      return this.#putOff(action, {
        reason: `the twin ${service} has no root; set one: wrld world root ${service} <url>`,
        uncertain: sending,
      });
    const waits = [...tokensIn(textOf(action), this.#unknown)].find(id =>
      this.#unknown.get(id)!.startsWith(WAITS),
    );
    if (waits !== undefined)
      return this.#putOff(action, { reason: this.#unknown.get(waits)!, uncertain: false });
    const { request } = action;
    const { blobs, aliases } = this.#parts;
    const bytes =
      request.blob === undefined
        ? null
        : ((await blobs.reading(() => blobs.get(request.blob!.sha256))) ?? null);
    if (request.blob !== undefined && bytes === null)
      return this.#settle(action, entry, { status: 'skipped', reason: 'its body is not in this world' });
    const sent = await send(this.#parts, {
      changeset: this.#of.name,
      twin: service,
      deploys,
      request: vendorRequest(action, bytes, { deploys, aliases: aliases.of(service) }),
      receipt,
      holder: this.#of.holder,
    });
    return this.#after(action, entry, seat, sent);
  }

  /** The receipt of what is never asked of the vendor; null for what is. */
  #unasked(
    action: Action,
    seat: Seat | undefined,
    deploys: VendorDeploys | undefined,
    never: boolean,
  ): Settled | null {
    const { service, request } = action;
    const skipped = (reason: string): Settled => ({ status: 'skipped', reason });
    if (seat === undefined) return skipped(`this world has no twin ${service}`);
    if (deploys === undefined) return skipped(`the twin ${service} does not deploy`);
    if (never) return skipped(`the root of ${service} is never deployed to`);
    for (const needed of action.dependsOn) {
      const { status, reason } = this.#receipts.get(needed)!;
      if (status === 'deployed' || status === 'landed') continue;
      const because = reason === null ? '' : `: ${reason}`;
      const text = `${needed}, whose record it names, was ${status === 'failed' ? 'not done for certain' : status}${because}`;
      return { status: status === 'refused' ? 'refused' : 'skipped', reason: text };
    }
    const path = request.path.map(part => (typeof part === 'string' ? part : part.$ref.id)).join('');
    const unable = deploys.unable({ method: request.method, path });
    if (unable !== null) return skipped(unable);
    if (lacksSecrets(action, seat.twin)) return skipped('a secret of its request is kept nowhere');
    for (const id of tokensIn(textOf(action), this.#unknown)) {
      const why = this.#unknown.get(id)!;
      if (!why.startsWith(WAITS)) return skipped(`nothing at the vendor is ${id}: ${why}`);
    }
    return null;
  }

  async #after(action: Action, entry: Entry, seat: Seat, sent: Sent): Promise<Stop | null> {
    switch (sent.at) {
      case 'put-off':
        return this.#putOff(action, sent);
      case 'refused':
        return this.#settle(action, entry, { status: 'refused', reason: sent.reason });
      case 'failed':
        await this.#settle(action, entry, { status: 'failed', reason: sent.reason });
        return { actionId: action.actionId, reason: sent.reason };
      case 'done': {
        const { done } = sent;
        const { catchUp, clock, ledger, aliases, sql, log, wall } = this.#parts;
        const { real } = seat.twin;
        const pairs = idPairs(action, entry, done, { real, aliases: aliases.of(seat.id) });
        const mentions = this.#mentions.get(seat.id)!;
        // What is due by now comes before it in the log.
        await catchUp.all();
        const settled: Settled = { status: 'deployed', external: done.id, url: done.url };
        ledger.together(write => {
          this.#write(action, settled);
          const changeset = this.#of.name;
          rename(write, sql, clock.now(), {
            ...{ seat, pairs, aliases: aliases.of(seat.id), entry, done, mentions, changeset },
          });
          const position = log.tip(seat.id);
          aliases.write(seat.id, pairs, position);
          const unnamed = this.#unnamed(action, entry, done).filter(({ id }) => !pairs.has(id));
          keepStandIns(sql, seat.id, unnamed, { position, at: wall.now() });
        });
        aliases.note(seat.id, pairs);
        await this.#told(action, entry);
        return null;
      }
    }
  }

  async #settle(action: Action, entry: Entry, settled: Settled): Promise<null> {
    this.#parts.sql.transaction(() => this.#write(action, settled));
    await this.#told(action, entry);
    return null;
  }

  #write({ actionId }: Action, settled: Settled): void {
    const { sql, wall } = this.#parts;
    settle(sql, { name: this.#of.name, action: actionId, at: wall.now() }, settled);
  }

  /** It stands, and lasts before anything else is sent. */
  async #told(action: Action, entry: Entry): Promise<void> {
    const { sql, log, threshold } = this.#parts;
    log.forgetLines();
    await threshold.waiting();
    const row = receiptRow(sql, this.#of.name, action.actionId)!;
    this.#receipts.set(action.actionId, row);
    this.#noteIds(action, entry);
  }

  async #putOff(
    { actionId }: Action,
    { reason, uncertain }: { readonly reason: string; readonly uncertain: boolean },
  ): Promise<Stop> {
    const { sql, log, threshold } = this.#parts;
    const told = uncertain ? `${reason}; it may have been done: deploy again to find out` : reason;
    sql.transaction(() => putOff(sql, { name: this.#of.name, action: actionId, uncertain }, told));
    log.forgetLines();
    await threshold.waiting();
    return { actionId, reason: told };
  }

  /** Records that the action made here, other than what the vendor told of and what the client named itself. */
  #unnamed(action: Action, entry: Entry, { id: told }: Done): readonly Change[] {
    const made = madeBy(entry);
    const named = new Set(tokensIn(textOf(action), new Set(made.map(({ id }) => id))));
    return made.filter(({ id }) => id !== told && !named.has(id));
  }

  /** Of the records that an action made beside the one that the vendor told of, some have no name that is known. */
  #noteIds(action: Action, entry: Entry): void {
    const { actionId, service } = action;
    const { status, external } = this.#receipts.get(actionId)!;
    if (status !== 'deployed') return;
    const aliases = this.#parts.aliases.of(service);
    const made = new Set(madeBy(entry).map(({ id }) => id));
    for (const id of tokensIn(textOf(action), made)) made.delete(id);
    for (const id of made)
      if (id !== external && aliases?.has(id) !== true)
        this.#unknown.set(
          id,
          `the answer to ${actionId}, which made it here, does not say what it is called there`,
        );
  }
}
