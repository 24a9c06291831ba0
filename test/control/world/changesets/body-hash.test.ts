// The hash that approvals bind to (2.6): that of RFC 8785 over the whole body, however it is read.
import { createHash } from 'node:crypto';
import t from 'tap';
import { digest } from '../../../../control/node/digest.ts';
import { Actions } from '../../../../control/world/changesets/actions.ts';
import { bodyHash } from '../../../../control/world/changesets/body-hash.ts';
import { canonical } from '../../../../control/world/changesets/canonical.ts';
import type { Entry } from '../../../../control/world/log/entry.ts';
import { fc } from '../../../kit/property.ts';

const entry = (position: number, body: string, after: object): Entry => ({
  id: `note:${position}`,
  twin: 'note',
  position,
  kind: 'note.created',
  occurredAt: '2026-01-01T00:00:00.000Z',
  recordedAt: '2026-01-01T00:00:00.000Z',
  actor: { type: 'client' },
  changes: [{ op: 'put', type: 'note', id: `note_${position}x`, after }],
  request: { method: 'POST', path: '/notes', body },
});

const shuffled = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(shuffled) as T;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, held]) => [name, shuffled(held)]),
  ) as T;
};

t.test('[storage invariant 18] pages and the order of names do not count; the whole does', async t => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.string(), fc.dictionary(fc.string(), fc.jsonValue())), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.integer({ min: 1, max: 6 }),
      async (bodies, size) => {
        const entries = bodies.map(([body, after], n) => entry(n + 1, body, after));
        const head = { name: 'one', message: 'why', base: { world: 'acme/notes', twins: { note: 0 } } };
        async function* pages() {
          for (let from = 0; from < entries.length; from += size)
            yield entries.slice(from, from + size).map(shuffled);
        }
        const made = new Actions();
        const whole = canonical({
          ...head,
          changes: entries.map(each => ({ twin: 'note', entry: each })),
          actions: entries.map(each => made.of(each)),
        });
        const hash = createHash('sha256').update(`wrld-changeset/1\n${whole}`).digest('hex');
        t.equal(await bodyHash(digest.hasher(), { ...head, pages }), hash);
        t.not(await bodyHash(digest.hasher(), { ...head, message: 'other', pages }), hash);
      },
    ),
  );
});
