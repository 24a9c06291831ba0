// What the core relies on when a host keeps credentials (control/ports/sealer.ts; 2.9, 4.6, 4.11-2).
import type { Sealed, SealedFor, Sealer } from '../../control/ports/sealer.ts';
import type { Case, Expect } from './suite.ts';

export type SealerHost = {
  readonly sealer: Sealer;
  /** Of another host, with a key of its own. */
  readonly stranger: Sealer;
  /** The key that wraps has a new version from here on; null for a key that has one. */
  readonly rotate: (() => void | Promise<void>) | null;
  /** Nobody who holds the key answers while it is true; null for a key that is always there. */
  readonly setAway: ((away: boolean) => void) | null;
};

const ORIGIN = 'https://api.stripe.com';
const REFERENCE = 'acme/shop/stripe';
const FOR: SealedFor = { origin: ORIGIN, reference: REFERENCE };
const SECRET = new TextEncoder().encode('sk_live_1234567890');

const sealed = async ({ sealer }: SealerHost, plain: Uint8Array = SECRET): Promise<Sealed> => {
  const result = await sealer.seal(plain, FOR);
  if (!result.ok) throw new Error(result.why);
  return result.sealed;
};

const opens = async (
  sealer: Sealer,
  record: Sealed,
  is: Expect,
  plain: Uint8Array = SECRET,
): Promise<void> => {
  const result = await sealer.open(record, FOR);
  is.ok(result.ok);
  is.same(result.ok && [...result.plain], [...plain]);
};

const unreadable = async (
  sealer: Sealer,
  record: Sealed,
  origin: string,
  is: Expect,
  reference: string = REFERENCE,
): Promise<void> => {
  is.same(await sealer.open(record, { origin, reference }), { ok: false, why: 'unreadable' }, origin);
};

const flipped = (bytes: Uint8Array): Uint8Array => bytes.map((byte, n) => (n === 0 ? byte ^ 1 : byte));
const holds = (bytes: Uint8Array, part: Uint8Array): boolean =>
  [...bytes].some((_, from) => part.every((byte, n) => bytes[from + n] === byte));

export const SEALER_CONTRACT: readonly Case<SealerHost>[] = [
  {
    name: 'what was sealed for an origin opens for it, whatever it is and however long',
    run: async (host, is) => {
      for (const plain of [SECRET, new Uint8Array(0), new Uint8Array(100_000).fill(7)]) {
        const record = await sealed(host, plain);
        is.equal(record.boundTo, ORIGIN);
        await opens(host.sealer, record, is, plain);
      }
    },
  },
  {
    name: 'nothing of it is to be read in the record, and no two records are alike',
    run: async (host, is) => {
      const [one, two] = [await sealed(host), await sealed(host)];
      is.ok(!holds(one.ciphertext, SECRET));
      is.ok(!one.wrapped.includes('sk_live'));
      is.ok(one.wrapped !== two.wrapped, 'each has a data key of its own');
      is.ok(!one.ciphertext.every((byte, n) => byte === two.ciphertext[n]));
    },
  },
  {
    name: 'it opens for no other origin, however near',
    run: async (host, is) => {
      const record = await sealed(host);
      for (const origin of ['https://api.stripe.com:8443', 'http://api.stripe.com', 'https://stripe.com', ''])
        await unreadable(host.sealer, record, origin, is);
      const other = 'https://e.test';
      await unreadable(host.sealer, { ...record, boundTo: other }, other, is);
      await unreadable(host.sealer, { ...record, boundTo: other }, ORIGIN, is);
    },
  },
  {
    name: 'it opens under no other reference: not in another world, and not as another vendor’s',
    run: async (host, is) => {
      const record = await sealed(host);
      for (const reference of ['acme/shop/stripe2', 'acme/shop-b/stripe', 'beta/shop/stripe', ''])
        await unreadable(host.sealer, record, ORIGIN, is, reference);
    },
  },
  {
    name: 'damage, a part of another record and another key are told no further',
    run: async (host, is) => {
      const [record, other] = [await sealed(host), await sealed(host)];
      for (const damaged of [
        { ...record, ciphertext: flipped(record.ciphertext) },
        { ...record, ciphertext: record.ciphertext.subarray(1) },
        { ...record, iv: flipped(record.iv) },
        { ...record, wrapped: `${record.wrapped.slice(0, -4)}AAAA` },
        { ...record, wrapped: '' },
        { ...record, wrapped: other.wrapped },
      ])
        await unreadable(host.sealer, damaged, ORIGIN, is);
      await unreadable(host.stranger, record, ORIGIN, is);
    },
  },
  {
    name: 'a rotation leaves old records readable, and rewraps them without reading them',
    run: async (host, is) => {
      const { sealer, rotate } = host;
      const record = await sealed(host);
      if (rotate === null) {
        is.same(await sealer.rewrap(record), { ok: false, why: 'host-key' });
        return;
      }
      const same = await sealer.rewrap(record);
      is.ok(same.ok && same.current, 'nothing to do');
      await rotate();
      await opens(sealer, record, is);
      const renewed = await sealer.rewrap(record);
      if (!renewed.ok) throw new Error(renewed.why);
      is.equal(renewed.current, false);
      is.ok(renewed.sealed.wrapped !== record.wrapped);
      is.same([...renewed.sealed.ciphertext], [...record.ciphertext]);
      is.equal(renewed.sealed.boundTo, ORIGIN);
      await opens(sealer, renewed.sealed, is);
      const again = await sealer.rewrap(renewed.sealed);
      is.ok(again.ok && again.current);
      const elsewhere = await host.stranger.rewrap(record);
      is.ok(!elsewhere.ok && ['unreadable', 'other-key'].includes(elsewhere.why));
    },
  },
  {
    name: 'while nobody who holds the key answers, that is what is said',
    run: async (host, is) => {
      const { sealer, setAway } = host;
      if (setAway === null) return;
      const record = await sealed(host);
      setAway(true);
      const away = { ok: false, why: 'away' };
      is.same(await sealer.seal(SECRET, FOR), away);
      is.same(await sealer.open(record, FOR), away);
      is.same(await sealer.rewrap(record), away);
      setAway(false);
      await opens(sealer, record, is);
    },
  },
];
