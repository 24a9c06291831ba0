// A record as its vendor answers it (4.9): the GET that a program would send for it, asked of the twin itself, past its
// handlers. It is nobody's request: it stands in no list and in no log.

import type { Call } from '../../../twins/kit/call.ts';
import type { ShownExchange } from '../../../twins/kit/journal.ts';
import { retrievedAt } from '../../../twins/kit/retrieve.ts';
import type { RecordBody } from '../../../twins/kit/tx.ts';
import { exchangeOf } from '../requests/exchanges.ts';
import { laidOut } from '../requests/laid-out.ts';
import type { Acts } from '../work/acts.ts';
import type { Hydration } from '../work/hydration.ts';
import type { Seat } from '../work/seat.ts';
import type { Story } from './story.ts';

type Parts = {
  readonly seats: ReadonlyMap<string, Seat>;
  readonly acts: Acts;
  readonly hydration: Hydration | null;
  readonly story: Story;
};

type Wanted = { readonly type: string; readonly id: string; readonly body: unknown };

/** No trace of anybody's: what is asked here changes nothing, so that nothing keeps it. */
const TRACE = { traceId: '0'.repeat(32), spanId: '0'.repeat(16), parentId: null };

export class VendorAnswers {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * As it is now, or the vendor's refusal for what is not there any more; null for what never was, and for a type that the
   * vendor has no request for.
   */
  async of(twin: string, type: string, id: string): Promise<ShownExchange | null> {
    const { seats, acts, hydration, story } = this.#parts;
    const seat = seats.get(twin);
    const told = await story.record(twin, type, id);
    const call = seat === undefined || told === null ? null : callFor(seat, told);
    if (seat === undefined || call === null) return null;
    // What its answer is made of may still be on its way.
    if (hydration?.complete === false) await hydration.twin(twin);
    const reply = await acts.run(seat, call, (seen, tx) => seat.twin.respond(seen, tx));
    return laidOut(exchangeOf(call, reply), seat.twin.keeps);
  }
}

/** The vendor's own request for a record; null where it has none. */
export function retrievalOf(
  { twin }: Seat,
  { type, id, body }: Wanted,
): { readonly host: string; readonly path: string } | null {
  const { retrieve } = twin.records[type] ?? {};
  const path = retrieve === undefined ? null : retrievedAt(retrieve, id, body as RecordBody);
  return path === null ? null : { host: twin.manifest.hosts[0]?.host ?? 'localhost', path };
}

function callFor(seat: Seat, wanted: Wanted): Call | null {
  const place = retrievalOf(seat, wanted);
  if (place === null) return null;
  let headers: Call['headers'];
  try {
    headers = seat.twin.records[wanted.type]?.retrieve?.headers?.(wanted.body as RecordBody) ?? {};
  } catch {
    // A twin of somebody else's may throw.
    return null;
  }
  return {
    method: 'GET',
    ...place,
    via: 'host',
    query: '',
    headers,
    body: new Uint8Array(0),
    caller: null,
    scope: 'read',
    letIn: true,
    trace: TRACE,
  };
}
