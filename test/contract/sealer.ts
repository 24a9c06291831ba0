// What the core relies on when a host keeps credentials (control/ports/sealer.ts; 2.9, 4.6, 4.11-2).
import type { Sealed, Sealer } from '../../control/ports/sealer.ts';
import type { Case, Expect } from './suite.ts';

export type SealerHost = {
  readonly sealer: Sealer;
  /** Of another host, with a key of its own. */
  readonly stranger: Sealer;
  /** The key that wraps has a new version from here on. */
  readonly rotate: () => void;
  /** Nobody who holds the key answers while it is true. */
  readonly setAway: (away: boolean) => void;
};

const ORIGIN = 'https://api.stripe.com';
const SECRET = new TextEncoder().encode('sk_live_1234567890');

const sealed = async ({ sealer }: SealerHost, plain: Uint8Array = SECRET): Promise<Sealed> => {
  const result = await sealer.seal(plain, ORIGIN);
  if (!result.ok) throw new Error(result.why);
  return result.sealed;
};

const opens = async (
  sealer: Sealer,
  record: Sealed,
  is: Expect,
  plain: Uint8Array = SECRET,
): Promise<void> => {
  const result = await sealer.open(record, ORIGIN);
  is.ok(result.ok);
  is.same(result.ok && [...result.plain], [...plain]);
};

const unreadable = async (sealer: Sealer, record: Sealed, origin: string, is: Expect): Promise<void> => {
  is.same(await sealer.open(record, origin), { ok: false, why: 'unreadable' }, origin);
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
      const { sealer } = host;
      const record = await sealed(host);
      const same = await sealer.rewrap(record);
      is.ok(same.ok && same.current, 'nothing to do');
      host.rotate();
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
      is.same(await host.stranger.rewrap(record), { ok: false, why: 'unreadable' });
    },
  },
  {
    name: 'while nobody who holds the key answers, that is what is said',
    run: async (host, is) => {
      const { sealer } = host;
      const record = await sealed(host);
      host.setAway(true);
      const away = { ok: false, why: 'away' };
      is.same(await sealer.seal(SECRET, ORIGIN), away);
      is.same(await sealer.open(record, ORIGIN), away);
      is.same(await sealer.rewrap(record), away);
      host.setAway(false);
      await opens(sealer, record, is);
    },
  },
];
