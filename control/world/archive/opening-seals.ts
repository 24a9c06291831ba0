// Which sealed credentials of an archive open where it is to go: each is tried, since only the key or the vault itself can
// tell. Those that do not are left behind, and told of before anything is moved.
import type { Sealer } from '../../ports/sealer.ts';
import type { ArchivedSeal, ArchivedWorld, Left } from './archive.ts';

export type OpeningSeals =
  | {
      readonly ok: true;
      /** By world. */
      readonly seals: ReadonlyMap<string, readonly ArchivedSeal[]>;
      readonly left: readonly Left[];
    }
  /** The vault does not answer. */
  | { readonly ok: false };

/** `sealer`: of a world of that name there; null where nothing seals. */
export const openingSeals = async (
  worlds: readonly ArchivedWorld[],
  sealer: (world: string) => Sealer | null,
): Promise<OpeningSeals> => {
  const seals = new Map<string, readonly ArchivedSeal[]>();
  const left: Left[] = [];
  for (const { name, seals: all } of worlds) {
    const opening: ArchivedSeal[] = [];
    const own = sealer(name);
    for (const seal of all) {
      const opened = await own?.open(seal, { origin: seal.boundTo, reference: `${name}/${seal.ref}` });
      if (opened?.ok) {
        opened.plain.fill(0);
        opening.push(seal);
      } else if (opened?.why === 'away') return { ok: false };
      else left.push({ world: name, what: 'credential', name: seal.ref, why: WHY });
    }
    seals.set(name, opening);
  }
  return { ok: true, seals, left };
};

const WHY =
  'it is sealed by a key that is not there; seal it again there, or give both the same SEALING_KEY or vault';
