// The program of a contained run, as its relay starts it: with the terminal, the standard streams, the user and the
// folder of whoever started the run, and with no right over the namespaces that it is in.
import { type ChildProcess, spawn } from 'node:child_process';

/** The relay's own standard error says why there is no namespace; the user's is here. */
const USERS_STANDARD_ERROR = 4;

export type ProgramEnd =
  | { readonly ok: true; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly ok: false; readonly why: string };

export type ProgramOptions = {
  readonly env: { readonly [name: string]: string | undefined };
  readonly user: { readonly uid: number; readonly gid: number } | null;
};

export class Program {
  readonly ended: Promise<ProgramEnd>;
  readonly #child: ChildProcess;

  constructor(command: readonly string[], { env, user }: ProgramOptions) {
    // In a namespace of users of its own the program is who it was, and has no capability over the one outside it.
    const words =
      user === null
        ? command
        : ['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`, '--', ...command];
    const [file = '', ...args] = words;
    this.#child = spawn(file, args, { env: { ...env }, stdio: [0, 1, USERS_STANDARD_ERROR] });
    this.ended = new Promise(resolve => {
      this.#child.once('error', error => resolve({ ok: false, why: error.message }));
      this.#child.once('exit', (code, signal) => resolve({ ok: true, code, signal }));
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
