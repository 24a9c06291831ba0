// Where this user keeps what can be made again: one folder for all worlds.
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Absolute; it need not be there. */
export function cacheFolder(name: string): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'wrld', name);
}
