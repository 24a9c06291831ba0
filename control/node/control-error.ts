// Why a world does not start, for people: the message is complete, and a caller decides by `code` alone.
import { systemFault } from './system-fault.ts';

export type ControlErrorCode =
  /** No `.wrld/world.json`. */
  | 'config-missing'
  /** The message has a line a problem, with file and line. */
  | 'config-invalid'
  /** A service names a twin that is not there, or a handlers file that cannot be used. */
  | 'twin-unusable'
  /** Another control holds the world; `pid` when it is known. */
  | 'already-running'
  /** The store is damaged. */
  | 'store-unusable'
  /** It was written by a newer version. */
  | 'store-newer'
  /** It is asking a real vendor for what must be asked once. */
  | 'busy-deploying'
  | 'authority-unusable'
  /** `--trust` names what is neither an https URL nor a readable file of keys. */
  | 'trust-unusable'
  /** SEALING_KEY or VAULT_… of the environment cannot be used. */
  | 'sealing-unusable'
  /** What was given as the admin token of a host is none. */
  | 'admin-token-unusable'
  /** What the origins of a host's worlds are to end in is no name. */
  | 'suffix-unusable'
  /** It ended the process that it was in too often (host/shards). */
  | 'world-barred'
  /** A shard of a host does not start. */
  | 'shard-failed'
  /** The address is taken or not allowed. */
  | 'cannot-listen'
  /** The disk is full or read-only, a folder is somebody else's, a limit of the system is reached. */
  | 'machine-refuses'
  /** The proxy process ends at its start. */
  | 'proxy-failed';

/** A fault of the machine as what keeps the world of `folder` from starting; anything else, a bug among them, as it is. */
export function asControlError(error: unknown, folder: string): unknown {
  // What failed first is what the rest failed of.
  if (error instanceof SuppressedError) return asControlError(error.suppressed, folder);
  const fault = error instanceof ControlError ? null : systemFault(error, folder);
  return fault === null ? error : new ControlError('machine-refuses', fault);
}

export class ControlError extends Error {
  readonly code: ControlErrorCode;
  readonly pid: number | null;

  constructor(code: ControlErrorCode, message: string, pid: number | null = null) {
    super(message);
    this.name = 'ControlError';
    this.code = code;
    this.pid = pid;
  }
}
