// What commands that work on the store itself, and not on a world that is up, have in common.
import { ControlError } from '../control/node/control-error.ts';
import type { WorldPaths } from '../control/node/paths.ts';
import { lockStopped } from '../control/node/stopped-world.ts';
import { StoreError } from '../control/world/store/schema.ts';

/** Does `work` while nobody can start the world. Throws `ControlError` when it is up. */
export async function whileStopped<T>(paths: WorldPaths, work: () => Promise<T>): Promise<T> {
  await using _lock = await lockStopped(paths);
  return await work();
}

/** What a person is told of what went wrong; a bug is thrown on. */
export function failureOf(error: unknown): string {
  if (error instanceof ControlError || error instanceof StoreError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  // The system's or SQLite's own: no room, no right, no such file.
  if (code === undefined) throw error;
  return message;
}
