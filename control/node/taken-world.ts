// An archive as the world of a folder: of one that has none, or in the place of the store of the world that is there, which
// is set aside as a restore does it. Nothing changes before all of it is there and looked through.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Log } from '../ports/log.ts';
import type { ArchiveHeader, Left } from '../world/archive/archive.ts';
import { openingSeals } from '../world/archive/opening-seals.ts';
import type { Tips } from '../world/store/tips.ts';
import { ArrivingWorld } from './arriving-world.ts';
import { loadConfig } from './config-file.ts';
import { ControlError } from './control-error.ts';
import { sealingOfEnvironment } from './environment.ts';
import { type WorldPaths, worldPaths } from './paths.ts';
import { openSealers } from './sealers.ts';
import { SHIPPED_TWINS } from './shipped-twins.ts';
import { changeStore, heldTokens, letIn, lockStopped, setAside } from './stopped-world.ts';

export type TakenWorld = {
  readonly positions: Tips;
  /** Where what was there is now; null when nothing was. */
  readonly setAside: string | null;
  /** An earlier one was cut off, and what had come of it is removed. */
  readonly again: boolean;
};

/** What an archive would be in a folder. Throws `ControlError` for what it cannot be. */
export async function judgeFor(folder: string, header: ArchiveHeader, log: Log): Promise<readonly Left[]> {
  await existing(folder, header);
  return (await openingFor(folder, header, log)).left;
}

/** Throws `ControlError`; nothing is changed then. */
export async function takeWorld(
  folder: string,
  { header, parts }: { readonly header: ArchiveHeader; readonly parts: AsyncIterable<string> },
  log: Log,
): Promise<TakenWorld> {
  const paths = await existing(folder, header);
  await using _lock = paths === null ? null : await lockStopped(paths);
  const arriving = paths?.restoring ?? join(folder, ARRIVING);
  const again = existsSync(arriving);
  await rm(arriving, { recursive: true, force: true });
  const { seals } = await openingFor(folder, header, log);
  await using world = await ArrivingWorld.begin({ folder: arriving, header, seals });
  await takeAll(world, parts);
  const positions = header.worlds[0]!.positions;
  if (paths === null) {
    await mkdir(folder, { recursive: true });
    await rename(world.paths.home, join(folder, '.wrld'));
    return { positions, setAside: null, again };
  }
  const held = await heldTokens(paths);
  await changeStore(world.paths, sql => letIn(sql, held));
  const aside = await setAside(paths);
  if (existsSync(paths.browsers) && aside !== null) await rename(paths.browsers, join(aside, 'browsers'));
  for (const [from, to] of [
    [world.paths.branches, paths.branches],
    [world.paths.browsers, paths.browsers],
    // Last: with it the world is there.
    [world.paths.store, paths.store],
  ] as const)
    if (existsSync(from)) await rename(from, to);
  return { positions, setAside: aside, again };
}

const ARRIVING = '.wrld-arriving';

async function takeAll(world: ArrivingWorld, parts: AsyncIterable<string>): Promise<void> {
  for await (const part of parts) {
    const taken = await world.take(part);
    if (!taken.ok) throw new ControlError('store-unusable', taken.message);
    if (taken.done) return;
  }
  throw new ControlError('store-unusable', 'The archive broke off before its end.');
}

/** Null for a folder without a world. */
async function existing(folder: string, { worlds, twins }: ArchiveHeader): Promise<WorldPaths | null> {
  const paths = worldPaths(folder);
  const { name } = worlds[0]!;
  const no = (why: string): ControlError => new ControlError('config-invalid', why);
  const org = name.slice(0, name.indexOf('/') + 1);
  const stranger = worlds.find(each => !each.name.startsWith(org));
  if (stranger !== undefined)
    throw no(
      `${stranger.name} is a branch of another org’s; in a folder all of a world’s branches are of its org`,
    );
  if (!existsSync(paths.config)) {
    if (existsSync(paths.home))
      throw no(`${paths.home} is there, and no world.json in it; take another folder, or remove it`);
    const missing = twins.find(({ twin }) => !SHIPPED_TWINS.includes(twin));
    if (missing !== undefined)
      throw no(
        `the twin ${missing.twin} is a module of its own; make a world that has it first (.wrld/world.json), then import into that`,
      );
    return null;
  }
  const read = await loadConfig(paths.config);
  if (!read.ok) throw new ControlError(read.fault.code, read.fault.text);
  const { config } = read.loaded;
  if (config.name !== name)
    throw no(
      `this folder is the world ${config.name}, and the archive is ${name}; take another folder: mkdir ${basename(name)}`,
    );
  const missing = twins.find(
    each => !config.twins.some(({ vendor, twin }) => vendor === each.vendor && twin === each.twin),
  );
  if (missing !== undefined)
    throw no(
      `.wrld/world.json has no services.${missing.vendor} with the twin ${missing.twin}; without it that history would answer nothing`,
    );
  return paths;
}

async function openingFor(
  folder: string,
  { worlds }: ArchiveHeader,
  log: Log,
): Promise<Extract<Awaited<ReturnType<typeof openingSeals>>, { ok: true }>> {
  const sealing = sealingOfEnvironment();
  const { sealKey } = worldPaths(folder);
  const seals = sealing.hostKey !== null || sealing.vault !== null || existsSync(sealKey);
  const opening = await openingSeals(worlds, seals ? openSealers(sealing, sealKey, log) : () => null);
  if (!opening.ok)
    throw new ControlError(
      'sealing-unusable',
      'the vault does not answer now, so that what is sealed cannot be tried; try again',
    );
  return opening;
}
