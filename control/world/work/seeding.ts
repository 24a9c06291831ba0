// A twin's state that is brought from elsewhere (4.11 import): its records in their order, and the bytes that they name, as
// the first entries of a twin that has no history yet. Nobody here did any of it, so that no changeset cuts it.
import type { RecordBody } from '../../../twins/kit/tx.ts';
import { SEEDED_RECORDS_PER_ENTRY } from '../limits.ts';
import type { EntryLog } from '../log/entry-log.ts';
import { RecordTooLarge } from '../store/outcome.ts';
import type { Threshold } from '../store/threshold.ts';
import type { Ledger } from './ledger.ts';
import type { Seat } from './seat.ts';
import type { WorldClock } from './world-clock.ts';

export type Seed = {
  /** By type, each in the order they were made. */
  readonly records: readonly { readonly type: string; readonly id: string; readonly body: RecordBody }[];
  /** Bytes by the lower-case hex of their SHA-256. */
  readonly files: ReadonlyMap<string, Uint8Array>;
};

export type SeedResult =
  | { readonly ok: true; readonly position: number; readonly records: number }
  | {
      readonly ok: false;
      readonly why: 'no-such-twin' | 'has-history' | 'unknown-type' | 'bad-record' | 'other-bytes' | 'empty';
      readonly message: string;
    };

type Parts = {
  readonly log: EntryLog;
  readonly clock: WorldClock;
  readonly ledger: Ledger;
  readonly threshold: Threshold;
};

const ELSEWHERE = { type: 'origin' } as const;

class OtherBytes extends Error {
  constructor(sha256: string) {
    super(`The bytes of ${sha256} have another SHA-256.`);
  }
}

/** All of it, or nothing. */
export const seedTwin = (parts: Parts, seat: Seat, seed: Seed): Promise<SeedResult> =>
  parts.threshold.pass(seeded(parts, seat, seed));

const seeded = ({ log, clock, ledger }: Parts, seat: Seat, { records, files }: Seed): SeedResult => {
  if (log.tip(seat.id) > 0)
    return no('has-history', `${seat.id} has a history in this world; take a world in which it has none.`);
  if (records.length === 0 && files.size === 0) return no('empty', 'There is nothing to place.');
  const strange = records.find(({ type }) => !Object.hasOwn(seat.twin.records, type));
  if (strange !== undefined)
    return no('unknown-type', `${seat.id} has no records of the type “${strange.type.slice(0, 64)}”.`);
  const circumstances = { now: clock.stamp(), actor: ELSEWHERE };
  try {
    ledger.together(write => {
      for (let from = 0; from === 0 || from < records.length; from += SEEDED_RECORDS_PER_ENTRY)
        write(seat, circumstances, tx => {
          tx.kind('twin.seeded');
          if (from === 0)
            for (const [sha256, bytes] of files)
              if (tx.putBlob(bytes) !== sha256) throw new OtherBytes(sha256);
          for (const { type, id, body } of records.slice(from, from + SEEDED_RECORDS_PER_ENTRY))
            tx.put(type, id, body);
        });
    });
  } catch (error) {
    if (error instanceof OtherBytes) return no('other-bytes', error.message);
    // A record that the store does not take: too large, or with an id that is none.
    if (error instanceof TypeError || error instanceof RecordTooLarge) return no('bad-record', error.message);
    throw error;
  }
  return { ok: true, position: log.tip(seat.id), records: records.length };
};

const no = (why: Extract<SeedResult, { ok: false }>['why'], message: string): SeedResult => ({
  ok: false,
  why,
  message,
});
