// The state files of an import (4.11): `.wrld/world/<state>/checkpoint.json`, as `GET …/checkpoint/<twin>` answers it, and
// beside it `blobs/<sha256>`, in base64, for each file that it names.

import { fromBase64 } from '../control/world/seals/envelope.ts';
import type { Seed } from '../control/world/work/seeding.ts';
import { parseJson } from '../policy/json-text.ts';
import type { RecordBody } from '../twins/kit/tx.ts';

export type StateFiles = { readonly [path: string]: string };

export type ReadState =
  | { readonly ok: true; readonly seed: Seed }
  | { readonly ok: false; readonly message: string };

const PLACE = /^\.wrld\/world\/([A-Za-z0-9][A-Za-z0-9._-]*)\/(.+)$/;
const BLOB = /^blobs\/([0-9a-f]{64})$/;

export function readState(files: StateFiles): ReadState {
  const states = new Set<string>();
  const bytes = new Map<string, Uint8Array>();
  let checkpoint: string | null = null;
  for (const [path, content] of Object.entries(files)) {
    const [, state, file] = PLACE.exec(path) ?? [];
    if (state === undefined || file === undefined) return no(path, 'is no .wrld/world/<state>/<file>');
    states.add(state);
    const sha256 = BLOB.exec(file)?.[1];
    if (file === 'checkpoint.json') checkpoint = content;
    else if (sha256 === undefined)
      return no(path, 'is no state file: there are checkpoint.json and blobs/<sha256>');
    else {
      const read = fromBase64(content);
      if (read === null) return no(path, 'is no base64');
      bytes.set(sha256, read);
    }
  }
  if (states.size > 1) return { ok: false, message: `\`files\` are of one state, not of ${states.size}.` };
  if (checkpoint === null) return { ok: false, message: '`files` has no checkpoint.json.' };
  return readCheckpoint(checkpoint, bytes);
}

function readCheckpoint(text: string, files: ReadonlyMap<string, Uint8Array>): ReadState {
  const read = parseJson(text);
  if (!read.ok) return { ok: false, message: `checkpoint.json is ${read.why}.` };
  const { records, blobs = [] } = (read.value ?? {}) as { records?: unknown; blobs?: unknown };
  if (!Array.isArray(records) || !records.every(isRecord))
    return {
      ok: false,
      message:
        'checkpoint.json has `records`, each with `type`, `id` and `body`, as GET …/checkpoint/<twin> answers it.',
    };
  const missing = (Array.isArray(blobs) ? blobs : []).find(blob => !files.has(String(blob?.sha256)));
  if (missing !== undefined)
    return {
      ok: false,
      message: `checkpoint.json names bytes that are not here: blobs/${String(missing?.sha256).slice(0, 64)}.`,
    };
  return { ok: true, seed: { records, files } };
}

function isRecord(value: unknown): value is { type: string; id: string; body: RecordBody } {
  if (typeof value !== 'object' || value === null) return false;
  const { type, id, body } = value as { type?: unknown; id?: unknown; body?: unknown };
  return (
    typeof type === 'string' &&
    typeof id === 'string' &&
    id !== '' &&
    typeof body === 'object' &&
    body !== null
  );
}

function no(path: string, why: string): ReadState {
  return { ok: false, message: `${JSON.stringify(path.slice(0, 200))} ${why}.` };
}
