// A note twin with a real vendor behind it, which a test plays: it says what each page of a pass has.
import type { VendorAnswered, VendorAsks } from '../../control/world/roots/vendor-asks.ts';
import { mountTwin } from '../../twins/kit/mount.ts';
import type { ObservedPage, Observes, VendorRequest } from '../../twins/kit/real-vendor.ts';
import type { MountedTwin } from '../../twins/kit/twin.ts';
import { vendorJson } from '../../twins/kit/vendor-fault.ts';
import { noteTwin } from './note-twin.ts';

export type NotePage = Partial<Omit<ObservedPage, 'cursor'>> & {
  readonly cursor: string;
  /** Another page follows in this pass. */
  readonly more?: boolean;
};

export const ROOT = { url: 'https://notes.test', deploy: 'manual', refresh: { every: null, atMost: '1m' } };

export function rootedNote(observes: Partial<Observes> = {}): MountedTwin {
  const { twin } = noteTwin();
  const real = {
    authorize: () => [],
    observes: { every: null, atMost: '1m', pages, ...observes },
  };
  return mountTwin({ ...twin, real }, null);
}

const pages: Observes['pages'] = async function* (ask, from) {
  for (let cursor = from; ; ) {
    const answer = await ask({ method: 'GET', path: `/page?after=${cursor ?? ''}`, headers: [], body: null });
    const { put = [], gone = [], more, ...page } = vendorJson(answer) as unknown as NotePage;
    yield { put, gone, ...page };
    if (more !== true) return;
    cursor = page.cursor;
  }
};

/** A note as the vendor has it. */
export const put = (id: string, body: object): ObservedPage['put'][number] => ({
  type: 'note',
  id,
  body: body as { readonly [field: string]: unknown },
});

export type NoteVendor = VendorAsks & {
  /** The cursors that were asked from. */
  readonly asked: string[];
};

export type Said = NotePage | VendorAnswered;

/** `say`: of the cursor that is asked from, and how often the vendor was asked before. */
export function noteVendor(
  say: (after: string, nth: number, request: VendorRequest) => Said | Promise<Said>,
): NoteVendor {
  const asked: string[] = [];
  return {
    asked,
    ask: async (_twin, request) => {
      const after = request.path.split('after=')[1] ?? '';
      asked.push(after);
      const said = await say(after, asked.length - 1, request);
      return 'cursor' in said ? answer(200, JSON.stringify(said)) : said;
    },
  };
}

export function answer(
  status: number,
  text: string,
  headers: readonly (readonly [string, string])[] = [['Content-Type', 'application/json']],
): VendorAnswered {
  return { ok: true, ms: 1, status, headers, body: new TextEncoder().encode(text) };
}

export const reset: VendorAnswered = {
  ok: false,
  why: 'no-answer',
  message: 'the connection was reset.',
  sent: true,
};
