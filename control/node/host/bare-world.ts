// A bare world (4.10): a folder `<org>/<world>/` under a host's directory with nothing but `.wrld` in it, made whole
// beside its place and moved there, so that a host finds all of it or none.
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openTokens } from '../../world/access/token.ts';
import { digest } from '../digest.ts';
import { openEntropy } from '../entropy.ts';
import { writeWhole } from '../files.ts';
import { beginStore } from '../new-store.ts';
import { worldPaths } from '../paths.ts';
import { type TokenPair, tokensFor } from '../token-file.ts';

export type BareWorld = {
  /** The host's. */
  readonly directory: string;
  /** `<org>/<world>`, as `parseWorldName` takes it. */
  readonly name: string;
  /** Names of twins that ship with wrld. */
  readonly vendors: readonly string[];
  readonly owner?: string;
};

export type MadeWorld =
  | { readonly ok: true; readonly tokens: TokenPair }
  | { readonly ok: false; readonly why: 'taken' };

/** Where the owning org of a bare world is recorded. */
export function ownerFile(folder: string): string {
  return join(folder, '.wrld', 'owner');
}

export async function makeBareWorld({ directory, name, vendors, owner }: BareWorld): Promise<MadeWorld> {
  const place = join(directory, name);
  const making = join(dirname(place), `.making-${randomUUID()}`);
  const paths = worldPaths(making);
  try {
    await mkdir(paths.store, { recursive: true, mode: 0o700 });
    await writeWhole(paths.config, configOf(name, vendors));
    if (owner !== undefined) await writeWhole(ownerFile(making), `${owner}\n`);
    const tokens = await beginStore(paths.database, sql =>
      tokensFor(openTokens({ sql, entropy: openEntropy(), digest }), paths.tokens),
    );
    // Fails where something is there that is not an empty folder.
    await rename(making, place);
    return { ok: true, tokens };
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(code)) return { ok: false, why: 'taken' };
    throw error;
  }
}

/** Gone from its place at once, whatever its removal takes; the folder of an org without worlds goes with the last. */
export async function removeBareWorld(directory: string, name: string): Promise<void> {
  const place = join(directory, name);
  const removing = join(dirname(place), `.removing-${randomUUID()}`);
  await rename(place, removing);
  await rm(removing, { recursive: true, force: true });
  await rmdir(dirname(place)).catch(() => {});
}

function configOf(name: string, vendors: readonly string[]): string {
  const config = {
    name,
    services: Object.fromEntries(vendors.map(vendor => [vendor, { twin: vendor }])),
    runtime: { network: { egress: [], writes: [] } },
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
