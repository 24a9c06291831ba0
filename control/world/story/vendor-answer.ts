// A record as its vendor answers it (4.9): the GET that a program would send for it, asked of the twin itself, past its
// handlers. It is nobody's request: it stands in no list and in no log.
import type { Call } from '../../../twins/kit/call.ts';
import { type Retrieve, retrievedAt } from '../../../twins/kit/retrieve.ts';
import type { RecordBody } from '../../../twins/kit/tx.ts';
import { Exchanges } from '../requests/exchanges.ts';
import { laidOut, type ShownExchange } from '../requests/laid-out.ts';
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
    if (seat === undefined || told === null) return null;
    const call = callFor(seat, seat.twin.records[type]?.retrieve, id, told.body as RecordBody);
    if (call === null) return null;
    // What its answer is made of may still be on its way.
    if (hydration?.complete === false) await hydration.twin(twin);
    const reply = await acts.run(seat, call, (seen, tx) => seat.twin.respond(seen, tx));
    // A list of its own, which ends with this look.
    const exchanges = new Exchanges();
    exchanges.keep(call, reply);
    const exchange = exchanges.of(TRACE.spanId);
    return exchange === undefined ? null : laidOut(exchange, seat.twin.keeps);
  }
}

const callFor = (seat: Seat, retrieve: Retrieve | undefined, id: string, body: RecordBody): Call | null => {
  const path = retrieve === undefined ? null : retrievedAt(retrieve, id, body);
  if (path === null) return null;
  let headers: Call['headers'];
  try {
    headers = retrieve?.headers?.(body) ?? {};
  } catch {
    return null;
  }
  return {
    method: 'GET',
    host: seat.twin.manifest.hosts[0]?.host ?? 'localhost',
    via: 'host',
    path,
    query: '',
    headers,
    body: new Uint8Array(0),
    caller: null,
    scope: 'read',
    letIn: true,
    trace: TRACE,
  };
};
