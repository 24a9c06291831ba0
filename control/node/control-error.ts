// Why a world does not start, for people: the message is complete, and a caller decides by `code` alone.
export type ControlErrorCode =
  /** No `.wrld/world.json`. */
  | 'config-missing'
  /** The message has a line a problem, with file and line. */
  | 'config-invalid'
  /** A service names a twin that is not there, or a handlers file that cannot be used. */
  | 'twin-unusable'
  /** Another control holds the world; `pid` when it is known. */
  | 'already-running'
  /** The store is damaged, or written by a newer version. */
  | 'store-unusable'
  | 'authority-unusable'
  /** `--trust` names what is neither an https URL nor a readable file of keys. */
  | 'trust-unusable'
  /** The address is taken or not allowed. */
  | 'cannot-listen'
  /** The proxy process ends at its start. */
  | 'proxy-failed';

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
