// [2.9] Which sealed credentials move with a world: those that open where it goes, and no other.
import t from 'tap';
import type { ArchivedWorld } from '../../../../control/world/archive/archive.ts';
import { openingSeals } from '../../../../control/world/archive/opening-seals.ts';
import { envelopeSealer, ownBytes } from '../../../../control/world/seals/envelope.ts';
import { hostKey } from '../../../../control/world/seals/host-key.ts';

const sealer = (byte: number) => envelopeSealer(hostKey(async () => ownBytes(new Uint8Array(32).fill(byte))));

async function worldOf(name: string): Promise<ArchivedWorld> {
  const to = { origin: 'https://api.stripe.com', reference: 'acme/shop/stripe' };
  const made = await sealer(1).seal(new TextEncoder().encode('{"bearer":"sk"}'), to);
  if (!made.ok) throw new Error(made.why);
  const seal = { ...made.sealed, ref: 'stripe', rev: 1, at: 0 };
  return {
    name,
    parent: null,
    expires: null,
    positions: {},
    rows: 0,
    blobs: { count: 0, bytes: 0 },
    seals: [seal],
  };
}

t.test('[2.9] under the same key it moves; under another, none, or another name it stays', async t => {
  const world = await worldOf('acme/shop');
  const same = await openingSeals([world], () => sealer(1));
  t.equal(same.ok && same.seals.get('acme/shop')?.length, 1);
  t.strictSame(same.ok && same.left, []);
  for (const [there, each] of [
    [sealer(2), world],
    [null, world],
    [sealer(1), await worldOf('acme/other')],
  ] as const) {
    const other = await openingSeals([each], () => there);
    t.match(other, { ok: true, left: [{ world: each.name, what: 'credential', name: 'stripe' }] });
    t.strictSame(other.ok && other.seals.get(each.name), []);
  }
});

t.test('[4.11-2] a vault that does not answer is no reason to leave one behind', async t => {
  const away = { ...sealer(1), open: async () => ({ ok: false, why: 'away' }) as const };
  t.strictSame(await openingSeals([await worldOf('acme/shop')], () => away), { ok: false });
});
