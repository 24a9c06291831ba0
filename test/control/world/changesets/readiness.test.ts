// Whether a changeset may be deployed (2.6): every reason why not, and who counts.

import t from 'tap';
import type { Approval } from '../../../../control/world/changesets/changeset.ts';
import { readinessOf, type Standing } from '../../../../control/world/changesets/readiness.ts';
import { fc } from '../../../kit/property.ts';

const AT = '2026-01-01T00:00:00.000Z';
const signed = (person: string, hash = 'h'): Approval => ({ hash, person, via: `person:${person}`, at: AT });
const standing = (more: Partial<Standing> = {}): Standing => ({
  contentHash: 'h',
  currentHash: 'h',
  verification: { hash: 'h', ok: true, at: AT, failures: [] },
  approvals: [],
  owner: 'ann',
  ...more,
});

t.test('[2.6] what was verified and signed by enough others is ready', async t => {
  const approvals = [signed('bob'), signed('cy'), signed('bob')];
  t.strictSame(readinessOf(standing({ approvals }), { approvals: 2 }), {
    ready: true,
    approvers: ['bob', 'cy'],
    required: 2,
    reasons: [],
  });
  t.equal(readinessOf(standing(), {}).ready, true);
});

t.test('[2.6] every reason is told, together', async t => {
  const approvals = [signed('ann'), signed('bob', 'old'), signed('cy')];
  t.strictSame(
    readinessOf(standing({ approvals, verification: null, contentHash: 'was' }), { approvals: 2 }),
    {
      ready: false,
      approvers: ['cy'],
      required: 2,
      reasons: ['hash-changed', 'not-verified', 'approvals 1/2'],
    },
  );
  const failed = { hash: 'h', ok: false, at: AT, failures: [] };
  t.strictSame(readinessOf(standing({ verification: failed }), {}).reasons, ['verify-failed']);
  t.strictSame(readinessOf(standing({ verification: { ...failed, hash: 'old' } }), {}).reasons, [
    'verify-other-hash',
  ]);
});

t.test('[storage 18, 19] another hash counts nobody; one more approval never makes less ready', async t => {
  const people = fc.array(fc.constantFrom('ann', 'bob', 'cy', 'di'), { maxLength: 6 });
  fc.assert(
    fc.property(people, fc.constantFrom('ann', 'bob', 'ed'), fc.nat(4), (names, more, approvals) => {
      const some = names.map(name => signed(name));
      const before = readinessOf(standing({ approvals: some }), { approvals });
      const after = readinessOf(standing({ approvals: [...some, signed(more)] }), { approvals });
      t.ok(after.approvers.length >= before.approvers.length);
      t.ok(after.ready || !before.ready);
      t.equal(readinessOf(standing({ approvals: some, currentHash: 'new' }), {}).approvers.length, 0);
    }),
  );
});
