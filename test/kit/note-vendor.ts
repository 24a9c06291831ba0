// The vendor of note twins: it makes notes under ids of its own, remembers under which key or reference it was asked, and
// knows nothing of any world. It outlives whatever asks it.
import type { Root } from '../../control/world/roots/root.ts';
import type { VendorAnswered, VendorAsks } from '../../control/world/roots/vendor-asks.ts';
import type { Deploys, Lookup, VendorAnswer, VendorRequest } from '../../twins/kit/real-vendor.ts';

/**
 * `once`: it does a request under a key once. `lookup`: it can be asked for a reference. `some`: it can of every other note
 * (those with an even `n`).
 */
export type Capability = 'once' | 'lookup' | 'some' | 'neither';

export const KEPT_MS = 24 * 3_600_000;
export const GRACE_MS = 10_000;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** What a note twin knows of it. */
export const noteDeploys = (capability: Capability): Deploys => ({
  once: capability === 'once' ? { header: 'Idempotency-Key', keptMs: KEPT_MS } : null,
  unable: ({ path }) => (path === '/bulk' ? 'many at once is nothing that the vendor does' : null),
  done: (_request, { body }) => {
    const object = JSON.parse(decoder.decode(body)) as { id: string };
    return { id: object.id, url: `https://notes.test/${object.id}`, object };
  },
  refusal: ({ body }) => String((JSON.parse(decoder.decode(body)) as { note_error: unknown }).note_error),
  ...((capability === 'lookup' || capability === 'some') && {
    lookup: request => (capability === 'lookup' || canBeFound(request) ? LOOKUP : null),
  }),
});

/** Of a note that says which it is: whether it can be asked for where only some can. */
const canBeFound = ({ body }: VendorRequest): boolean =>
  Number(/"n":(\d+)/.exec(String(body))?.[1] ?? 0) % 2 === 0;

const LOOKUP: Lookup = {
  mark: (request, reference) => ({ ...request, headers: [...request.headers, ['x-ref', reference]] }),
  ask: (_request, reference) => ({ method: 'GET', path: `/refs/${reference}`, headers: [], body: null }),
  found: ({ status, body }) => {
    if (status !== 200) throw new TypeError('that says nothing of it');
    const object = JSON.parse(decoder.decode(body)) as { id: string } | null;
    return object === null ? null : { id: object.id, url: `https://notes.test/${object.id}`, object };
  },
  graceMs: GRACE_MS,
};

export type NoteVendor = {
  readonly asks: VendorAsks;
  /** What it did, in order: `POST /notes {…}`. */
  readonly operations: readonly string[];
  readonly notes: ReadonlyMap<string, object>;
  /** Every request that came, be it one that was done before. */
  readonly asked: readonly VendorRequest[];
  /** Answers a request as the vendor; undefined leaves it to it. */
  answers: ((request: VendorRequest) => VendorAnswered | undefined) | null;
  /** What becomes of an answer on its way. */
  onAnswer: ((answered: VendorAnswered) => VendorAnswered | Promise<VendorAnswered>) | null;
};

export const noteVendor = (): NoteVendor => {
  const operations: string[] = [];
  const asked: VendorRequest[] = [];
  const notes = new Map<string, object>();
  const known = new Map<string, VendorAnswer>();
  let made = 0;
  const answer = (status: number, value: unknown): VendorAnswer => ({
    status,
    headers: [['content-type', 'application/json']],
    body: encoder.encode(JSON.stringify(value)),
  });
  const perform = ({ method, path, body }: VendorRequest): VendorAnswer => {
    const [, area, name = ''] = path.split('/');
    const given = body === null || body === '' ? {} : (JSON.parse(String(body)) as object);
    if (area !== 'notes' || 'refuse' in given) return answer(422, { note_error: 'not so' });
    operations.push(`${method} ${path} ${String(body ?? '')}`);
    const id = method === 'POST' ? `note_real${String(++made).padStart(8, '0')}` : name;
    if (method === 'DELETE') notes.delete(id);
    else notes.set(id, { ...given, id });
    return answer(200, { object: 'note', ...given, id });
  };
  const vendor: NoteVendor = {
    operations,
    notes,
    asked,
    answers: null,
    onAnswer: null,
    asks: {
      ask: async (_twin, request) => {
        asked.push(request);
        const own = vendor.answers?.(request);
        const answered: VendorAnswered = own ?? { ok: true, ms: 1, ...done(request) };
        return vendor.onAnswer === null ? answered : await vendor.onAnswer(answered);
      },
    },
  };
  const done = (request: VendorRequest): VendorAnswer => {
    const reference = request.headers.find(([name]) => /^(?:idempotency-key|x-ref)$/i.test(name));
    if (request.path.startsWith('/refs/')) {
      const before = known.get(request.path.slice('/refs/'.length));
      return before ?? answer(200, null);
    }
    const dedupes = reference?.[0] === 'Idempotency-Key';
    const before = dedupes ? known.get(reference![1]) : undefined;
    if (before !== undefined) return before;
    const told = perform(request);
    if (reference !== undefined && told.status === 200) known.set(reference[1], told);
    return told;
  };
  return vendor;
};

export const rootWith = (deploy: Root['deploy']): Root => ({
  url: 'https://api.notes.test',
  deploy,
  refresh: { every: null, atMost: '1m' },
});
