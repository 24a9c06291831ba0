// The sealed credentials of a world (2.9, 4.6): one record for each vendor, and one for the origin of the world (2.13),
// written by whoever sets it and never read back.
// It is opened for the moment of a call, and sealed again when another key than the newest wraps it (4.11-3).
import type { WallClock } from '../../ports/clock.ts';
import type { DurableSql } from '../../ports/durability.ts';
import type { Log } from '../../ports/log.ts';
import type { RewrapFailure, Sealed, SealedFor, Sealer } from '../../ports/sealer.ts';
import { formatInstant } from '../store/instant.ts';
import { credentialBytes, readCredential, type VendorCredential } from './credential.ts';
import { SEAL_COLUMNS, type SealRow, sealedOf } from './seal-row.ts';

/** 2.9: all that anybody is told. */
export type SealState =
  | { readonly sealed: false }
  | {
      readonly sealed: true;
      /** ISO 8601, wall time. */
      readonly at: string;
      readonly sealedBy: 'vault' | 'key';
      /** The origin it opens for. */
      readonly boundTo: string;
    };

export type Opened =
  | { readonly ok: true; readonly credential: VendorCredential }
  /** `none`: nothing is sealed. `other-origin`: it opens for another. `away`: not now. `unreadable`: it has to be set again. */
  | { readonly ok: false; readonly why: 'none' | 'other-origin' | 'away' | 'unreadable' };

/** Why a record still needs what it was wrapped with. `sealed-again`: it was set anew meanwhile, and stays as it was set. */
export type LeftWhy = Exclude<RewrapFailure['why'], 'away'> | 'sealed-again';

export type RewrapResult =
  | {
      readonly ok: true;
      /** How many were wrapped again under the newest version. */
      readonly rewrapped: number;
      /** How many were before. */
      readonly current: number;
      readonly left: readonly { readonly vendor: string; readonly why: LeftWhy }[];
    }
  | { readonly ok: false; readonly why: 'away'; readonly rewrapped: number };

type Parts = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly sql: DurableSql;
  readonly sealer: Sealer;
  readonly wall: WallClock;
  readonly processLog: Log;
};

/** What opens the world's origin, among its seals; no vendor is called so. */
export const ORIGIN_REF = '~origin';

export class Seals {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  state(vendor: string): SealState {
    const row = this.#row(vendor);
    if (row === undefined) return { sealed: false };
    const sealedBy = row.sealed_by === 'vault' ? 'vault' : 'key';
    return { sealed: true, at: formatInstant(row.at), sealedBy, boundTo: row.bound_to };
  }

  /** On disk when it resolves, with whatever `also` writes; false while whoever holds the key is away. */
  async put(
    vendor: string,
    credential: VendorCredential,
    origin: string,
    also: () => void = () => {},
  ): Promise<boolean> {
    const result = await this.#seal(credential, this.#for(vendor, origin));
    if (result === null) return false;
    const { by, boundTo, wrapped, iv, ciphertext } = result;
    const { sql, wall } = this.#parts;
    sql.durable(() => {
      sql.run(
        `INSERT INTO seal(${SEAL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, 1, ?)
         ON CONFLICT(ref) DO UPDATE SET bound_to = excluded.bound_to, sealed_by = excluded.sealed_by,
           wrapped = excluded.wrapped, iv = excluded.iv, sealed = excluded.sealed, rev = rev + 1, at = excluded.at`,
        vendor,
        boundTo,
        by,
        wrapped,
        iv,
        ciphertext,
        wall.now(),
      );
      also();
    });
    return true;
  }

  /** `origin`: where it is about to be sent. Whoever asks lets go of it with the call. */
  async open(vendor: string, origin: string): Promise<Opened> {
    const row = this.#row(vendor);
    if (row === undefined) return { ok: false, why: 'none' };
    if (row.bound_to !== origin) return { ok: false, why: 'other-origin' };
    const to = this.#for(vendor, origin);
    const opened = await this.#parts.sealer.open(sealedOf(row), to);
    if (!opened.ok) return opened;
    const credential = readCredential(opened.plain);
    opened.plain.fill(0);
    if (credential === null) return { ok: false, why: 'unreadable' };
    if (opened.stale) await this.#renew(row, credential, to);
    return { ok: true, credential };
  }

  /** Every record's data key, wrapped again under the newest version; what cannot be is named. */
  async rewrap(): Promise<RewrapResult> {
    const { sql, sealer } = this.#parts;
    const refs = sql.all<{ ref: string }>('SELECT ref FROM seal ORDER BY ref').map(({ ref }) => ref);
    const left: { vendor: string; why: LeftWhy }[] = [];
    let rewrapped = 0;
    let current = 0;
    for (const vendor of refs) {
      const row = this.#row(vendor);
      if (row === undefined) continue;
      const result = await sealer.rewrap(sealedOf(row));
      if (!result.ok && result.why === 'away') return { ok: false, why: 'away', rewrapped };
      if (!result.ok) left.push({ vendor, why: result.why as LeftWhy });
      else if (result.current) current += 1;
      else if (this.#replace(row, result.sealed)) rewrapped += 1;
      else left.push({ vendor, why: 'sealed-again' });
    }
    return { ok: true, rewrapped, current, left };
  }

  /** What it was bound to is no more. */
  remove(vendor: string): void {
    const { sql } = this.#parts;
    sql.durable(() => sql.run('DELETE FROM seal WHERE ref = ?', vendor));
  }

  #row(vendor: string): SealRow | undefined {
    return this.#parts.sql.get<SealRow>(`SELECT ${SEAL_COLUMNS} FROM seal WHERE ref = ?`, vendor);
  }

  /** 4.11-3. The call that it was opened for has it either way. */
  async #renew(row: SealRow, credential: VendorCredential, to: SealedFor): Promise<void> {
    const sealed = await this.#seal(credential, to);
    if (sealed !== null && this.#replace(row, sealed))
      this.#parts.processLog.info(
        { vendor: row.ref },
        'the vault has sealed a credential that the host’s key had sealed',
      );
  }

  async #seal(credential: VendorCredential, to: SealedFor): Promise<Sealed | null> {
    const plain = credentialBytes(credential);
    const result = await this.#parts.sealer.seal(plain, to);
    plain.fill(0);
    return result.ok ? result.sealed : null;
  }

  /** Not one that was set again meanwhile. */
  #replace(row: SealRow, { by, wrapped, iv, ciphertext }: Sealed): boolean {
    const { sql } = this.#parts;
    return sql.durable(() => {
      const now = this.#row(row.ref);
      if (now === undefined || now.rev !== row.rev || now.wrapped !== row.wrapped || now.at !== row.at)
        return false;
      sql.run(
        'UPDATE seal SET sealed_by = ?, wrapped = ?, iv = ?, sealed = ?, rev = rev + 1 WHERE ref = ?',
        by,
        wrapped,
        iv,
        ciphertext,
        row.ref,
      );
      return true;
    });
  }

  #for(vendor: string, origin: string): SealedFor {
    return { origin, reference: `${this.#parts.world}/${vendor}` };
  }
}
