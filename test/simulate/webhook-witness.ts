// What must hold of every webhook of a simulated world: caused once for each endpoint that there was, sent only when its
// cause lasts, given up only when every attempt was made, and told by the log as often as its row says.
import type { Webhook } from '../kit/receiver.ts';
import type { LogRow, LogWitness } from './log-witness.ts';
import type { Served } from './machine.ts';
import { type Outside, sameIn } from './outside.ts';
import { Violation } from './violation.ts';

type DeliveryRow = {
  readonly id: number;
  readonly twin: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: string;
  readonly next_at: number | null;
  readonly retry_at: number | null;
  readonly url: string;
};

type Told = {
  readonly id: string;
  readonly kind: string;
  readonly attempt: number;
  readonly error?: string;
};

/** What a twin says when it does not sign any more. */
const GONE = 'the endpoint is gone';

export class WebhookWitness {
  readonly #outside: Outside;
  /** Attempts after which a webhook is given up. */
  readonly #attempts: number;
  /** Bodies of those that were seen waiting: of the settled ones only the newest keep theirs. */
  readonly #bodies = new Map<string, string>();

  constructor(outside: Outside, attempts: number) {
    this.#outside = outside;
    this.#attempts = attempts;
  }

  /** A note that was put is told to each hook that there was. */
  caused(served: Served, twin: string, row: LogRow, state: ReadonlyMap<string, number>): void {
    const puts = (JSON.parse(row.changes) as { op: string; type: string }[]).filter(
      ({ op, type }) => op === 'put' && type === 'note',
    );
    const tells = row.path === null ? row.delivery === null : row.path.startsWith('/notes');
    if (!tells || puts.length === 0) return;
    const hooks = [...state.keys()].filter(key => key.startsWith('hook/')).length;
    const [{ n }] = served.store.peek<{ n: number }>(
      'SELECT count(*) AS n FROM delivery WHERE twin = ? AND cause = ?',
      twin,
      `${twin}:${row.pos}`,
    ) as [{ n: number }];
    if (n !== hooks)
      throw new Violation(`${served.name} ${twin}:${row.pos} caused ${n} webhooks for ${hooks} endpoints`);
  }

  /** Nothing leaves that a crash could still undo. */
  sent(served: Served, { url, body }: Webhook): void {
    const rows = served.store.peek<{ twin: string; cause: string | null }>(
      "SELECT twin, cause FROM delivery WHERE url = ? AND body = ? AND state = 'pending'",
      url,
      body,
    );
    if (rows.length === 0)
      throw new Violation(`${served.name}: a webhook was sent that does not wait: ${body}`);
    const lasts = rows.some(
      ({ twin, cause }) =>
        cause === null || Number(cause.split(':')[1]) <= (served.store.lasted.get(twin) ?? 0),
    );
    if (!lasts) throw new Violation(`${served.name}: a webhook left before its cause lasted: ${body}`);
  }

  look(served: Served, log: LogWitness): void {
    const { name, store } = served;
    for (const { id, body } of store.peek<{ id: number; body: string }>(
      "SELECT id, body FROM delivery WHERE state = 'pending'",
    ))
      this.#bodies.set(`${name} ${id}`, body);
    const tellings = new Map(served.world.vendors.map(twin => [twin, toldOf(log.rows(name, twin))]));
    for (const row of deliveries(served)) {
      const told = tellings.get(row.twin)?.get(`${row.twin}:delivery:${row.id}`) ?? [];
      const what = `${name} webhook ${row.id} (${row.state}, ${row.attempts})`;
      told.forEach(({ attempt }, n) => {
        if (n > 0 && attempt <= told[n - 1]!.attempt)
          throw new Violation(`${what}: an attempt is told twice`);
      });
      const made = (JSON.parse(row.attempts) as unknown[]).length;
      if ((told.at(-1)?.attempt ?? 0) !== made)
        throw new Violation(`${what}: the log tells of ${told.length}`);
      const delivered = told.filter(({ kind }) => kind === 'webhook.delivered').length;
      if (delivered !== (row.state === 'delivered' ? 1 : 0))
        throw new Violation(`${what}: the log tells ${delivered} times that it was delivered`);
      if (row.state === 'failed' && made < this.#attempts && told.at(-1)?.error !== GONE)
        throw new Violation(`${what}: given up after ${made} of ${this.#attempts} attempts`);
      if (row.state === 'pending' && row.next_at !== row.retry_at)
        throw new Violation(`${what}: it waits for ${row.next_at}, and the queue for ${row.retry_at}`);
    }
  }

  /** After a loss the numbers of what is gone are given again. */
  forget(): void {
    this.#bodies.clear();
  }

  /** When the outside has been well for as long as it takes. */
  finish(served: Served): void {
    const { name } = served;
    for (const row of deliveries(served)) {
      const what = `${name} webhook ${row.id} (${row.attempts})`;
      if (row.state === 'pending') throw new Violation(`${what}: it still waits`);
      if (row.state === 'failed') continue;
      const body = this.#bodies.get(`${name} ${row.id}`);
      if (body !== undefined && !this.#outside.taken.has(sameIn(name, { url: row.url, body })))
        throw new Violation(`${what}: told as delivered, and nobody got it`);
    }
  }
}

const deliveries = ({ store }: Served): DeliveryRow[] =>
  store.peek<DeliveryRow>(
    `SELECT id, delivery.twin, state, attempts, next_at, url, due.at AS retry_at FROM delivery
     LEFT JOIN due ON due.twin = delivery.twin AND due.key = '~delivery:' || id ORDER BY id`,
  );

/** What the log tells of each webhook, in its order. */
const toldOf = (rows: readonly LogRow[]): Map<string, Told[]> =>
  Map.groupBy(
    rows.flatMap(({ kind, delivery }) =>
      delivery === null ? [] : [{ ...(JSON.parse(delivery) as Omit<Told, 'kind'>), kind }],
    ),
    ({ id }) => id,
  );
