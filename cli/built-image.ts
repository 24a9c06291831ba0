// How an image that is built already is to run natively: its own files as its root, unpacked where no run has had them yet, as
// the user of its config, found in its own list.
import { type DeclaredImage, wordsOf } from '../images/declared-image.ts';
import { accountIn } from '../images/native/accounts.ts';
import { OWN_PLATFORM } from '../images/oci/built-image.ts';
import { unpackedRoot } from '../images/oci/unpacked.ts';
import { cacheFolder } from './cache-folder.ts';
import type { Grounded, PlanOptions } from './image-plan.ts';
import { shown } from './images.ts';

export async function groundOfBuilt(
  image: DeclaredImage,
  built: NonNullable<DeclaredImage['built']>,
  { args, system, tell }: PlanOptions,
): Promise<Grounded> {
  const named = shown(image.name);
  const no = (why: string): Grounded => ({ ok: false, why: [`${named} ${why}`] });
  if (process.platform === 'darwin')
    return no(
      'is built already, and has a root of its own, which this system gives no program; run its build file',
    );
  if (system.length > 0) return no('has its own system; --system is for build files');
  if (built.platform !== OWN_PLATFORM)
    return no(`is for ${shown(built.platform)}, and this machine runs ${OWN_PLATFORM}; build it for that`);
  const words = wordsOf(image, args);
  if (words === null) return no('says no command; give one after --');
  const begins = (): void => tell(`unpacking ${named}, once`);
  const unpacked = await unpackedRoot(built, { cache: cacheFolder('images'), begins });
  if (!unpacked.ok) return no(`cannot be unpacked: ${shown(unpacked.why)}`);
  const account = accountIn(unpacked.root, image.user?.name ?? null);
  if (!account.ok) return no(`cannot be run: ${shown(account.why)}`);
  return {
    ok: true,
    ground: {
      words,
      root: {
        ...{ base: unpacked.root, made: null },
        ...{ layers: [], files: [], mounts: [], system: [] },
        user: account.user,
      },
      notes: [],
    },
  };
}
