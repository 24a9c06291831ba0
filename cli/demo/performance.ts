// What every demo stands on: its stage, what it opened, and an end that leaves nothing behind, whatever happens.
import type { Surround } from '../command.ts';
import { openStage, type Stage } from './stage.ts';

/** Installed in a project, where npx finds it. */
export const IS_PACKAGE: boolean = import.meta.filename.endsWith('.js');
export const WRLD: string = IS_PACKAGE ? 'npx wrld' : 'wrld';

export type Opened = {
  /** Closed with the rest, in the reverse order, or at once where the rest is closed already. */
  keep<T extends AsyncDisposable>(made: T): Promise<T>;
};

export type Show = (stage: Stage, open: Opened, around: Surround) => Promise<number>;

/** The exit code. */
export async function perform(name: string, around: Surround, show: Show): Promise<number> {
  const interrupted = Promise.withResolvers<number>();
  let stopped: number | null = null;
  const stop = (code: number): void => {
    stopped = code;
    interrupted.resolve(code);
  };
  const onSigint = (): void => stop(130);
  const onSigterm = (): void => stop(143);
  process.once('SIGINT', onSigint);
  process.once('SIGTERM', onSigterm);
  await using open = new AsyncDisposableStack();
  const keep = async <T extends AsyncDisposable>(made: T): Promise<T> => {
    if (!open.disposed) return open.use(made);
    await made[Symbol.asyncDispose]();
    throw new Error('stopped');
  };
  const shown = show(openStage(around.output), { keep }, around).catch((error: Error) => {
    // A terminal's Ctrl-C ends the programs of the demo too; that is no failure of it.
    if (stopped !== null) return stopped;
    around.output.error(`${name}: ${error.message}`);
    return 1;
  });
  try {
    const code = await Promise.race([shown, interrupted.promise]);
    // What was being opened when the signal came is closed by `keep`; wait for that too.
    await open.disposeAsync();
    await shown;
    return code;
  } finally {
    process.off('SIGINT', onSigint);
    process.off('SIGTERM', onSigterm);
  }
}
