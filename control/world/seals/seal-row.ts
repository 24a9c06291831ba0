// A sealed credential as it lies in the store.
import type { Sealed } from '../../ports/sealer.ts';
import type { SqlRow } from '../../ports/sql.ts';

export type SealRow = SqlRow & {
  readonly ref: string;
  readonly bound_to: string;
  readonly sealed_by: string;
  readonly wrapped: string | null;
  readonly iv: Uint8Array;
  readonly sealed: Uint8Array;
  readonly rev: number;
  readonly at: number;
};

export const SEAL_COLUMNS = 'ref, bound_to, sealed_by, wrapped, iv, sealed, rev, at';

export const sealedOf = (row: SealRow): Sealed => ({
  by: row.sealed_by === 'vault' ? 'vault' : 'key',
  boundTo: row.bound_to,
  wrapped: row.wrapped ?? '',
  iv: row.iv,
  ciphertext: row.sealed,
});
