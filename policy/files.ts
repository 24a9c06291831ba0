// The file rules of 7.2, for an image that runs natively: what a container could see, keep and mount. Pure:
// the caller resolves links first (realpath), so that a link cannot lead a path out of where it is judged.
import { type RefusalRecord, refuse } from './refusal.ts';
import type { RuleName } from './rules.ts';
import type { Declaration } from './run.ts';

export type FileDecision = { readonly ok: true } | { readonly ok: false; readonly refusal: RefusalRecord };

export type FileView = {
  readonly docsUrl: string;
  readonly declaration: Declaration;
  /** Absolute folders and files that a container could see: its own, the world's provided, its mounts. */
  readonly visible: readonly string[];
  /** Absolute paths that the image declares as a `VOLUME`. */
  readonly volumes: readonly string[];
  /** The world's own folder, absolute and with its links resolved. */
  readonly worldFolder: string;
};

/** An image's process reads a file (`read-invalid`, `read-undeclared`). */
export function judgeRead(path: string, view: FileView): FileDecision {
  if (!path.startsWith('/')) return refused('read-invalid', path, view);
  return liesInAny(path, [...view.visible, ...view.volumes])
    ? ALLOWED
    : refused('read-undeclared', path, view);
}

/** The app keeps a path as its data (`persist-undeclared`). */
export function judgePersist(path: string, view: FileView): FileDecision {
  return liesInAny(path, view.volumes) ? ALLOWED : refused('persist-undeclared', path, view);
}

/** The image declares a bind mount of a host path (`mount-outside-world`). */
export function judgeMount(hostPath: string, view: FileView): FileDecision {
  return liesInAny(hostPath, [view.worldFolder]) ? ALLOWED : refused('mount-outside-world', hostPath, view);
}

const ALLOWED: FileDecision = { ok: true };

function refused(rule: RuleName, path: string, view: FileView): FileDecision {
  return { ok: false, refusal: refuse(rule, { target: path }, view.docsUrl, view.declaration) };
}

function liesInAny(path: string, folders: readonly string[]): boolean {
  const segments = segmentsOf(path);
  if (segments === null) return false;
  return folders.some(folder => {
    const above = segmentsOf(folder);
    return above?.every((segment, index) => segment === segments[index]) === true;
  });
}

/** The names of an absolute path, `.` and `..` resolved; null for one that is relative or holds a NUL. */
function segmentsOf(path: string): readonly string[] | null {
  if (!path.startsWith('/') || path.includes('\0')) return null;
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return kept;
}
