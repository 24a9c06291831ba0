// Where a path leads.
import { realpathSync } from 'node:fs';

/** The file that it really is; null where there is none. */
export function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
