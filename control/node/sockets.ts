// Where a world's sockets are: in `.wrld/run`, or where that path is too long for a socket in a folder of the system's
// temporary one. Other users may make folders there too, so its name is one that nobody can guess, and is noted: a proxy
// that outlives control finds the next control at the same place.
import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlError } from './control-error.ts';
import { readIfThere, writeWhole } from './files.ts';
import { SOCKET_PATH_BYTES_MAX } from './limits.ts';
import type { WorldPaths } from './paths.ts';

export type Sockets = { readonly ipc: string; readonly twins: string; readonly runs: string };

const LONGEST = 'twins.sock';
const SHARED_TEMPORARY = '/tmp';

/** The caller holds the world's lock, and `run` is there. Throws `ControlError`. */
export async function openSockets(
  { run, socketsNote }: Pick<WorldPaths, 'run' | 'socketsNote'>,
  opened: AsyncDisposableStack,
): Promise<Sockets> {
  return socketsIn(await openSocketFolder({ run, socketsNote }, opened));
}

/** A folder for sockets whose names are no longer than `twins.sock`; it is there already where it is `run`. */
export async function openSocketFolder(
  { run, socketsNote }: Pick<WorldPaths, 'run' | 'socketsNote'>,
  opened: AsyncDisposableStack,
): Promise<string> {
  if (fits(run)) return run;
  const noted = (await readIfThere(socketsNote))?.trim() ?? '';
  const folder = noted !== '' && (await isOurs(noted)) ? noted : await makeOne(run);
  await writeWhole(socketsNote, `${folder}\n`);
  // Nothing else would ever remove it.
  opened.defer(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(socketsNote, { force: true });
  });
  return folder;
}

function socketsIn(folder: string): Sockets {
  return { ipc: join(folder, 'ipc.sock'), twins: join(folder, LONGEST), runs: join(folder, 'runs.sock') };
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, LONGEST)) <= SOCKET_PATH_BYTES_MAX;
}

/** As `makeOne` made it, open to this user alone: what a note says is no proof. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  if (found === null || !found.isDirectory() || !fits(folder)) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
}

async function makeOne(run: string): Promise<string> {
  const places = [tmpdir(), SHARED_TEMPORARY].map(folder => join(folder, 'wrld-'));
  const place = places.find(start => fits(`${start}XXXXXX`));
  if (place === undefined) {
    throw new ControlError(
      'machine-refuses',
      `${run}: the path is too long for a socket (${SOCKET_PATH_BYTES_MAX} bytes), and so is that of the temporary folder; set TMPDIR to a shorter one`,
    );
  }
  // Made by this call, or it fails: nobody else's can be taken for it.
  return await mkdtemp(place);
}
