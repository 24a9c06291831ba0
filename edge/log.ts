// The process log as JSON lines on the console, where the platform collects them.
import type { Log } from '../control/ports/log.ts';
import { describeFault } from '../control/world/store/fault.ts';

/** `fields` are in every line. */
export function openLog(fields: object = {}): Log {
  const write =
    (level: keyof Log, to: (line: string) => void) =>
    (more: object, message: string): void =>
      to(JSON.stringify({ level, at: new Date().toISOString(), ...fields, ...asJson(more), message }));
  return {
    debug: () => {},
    info: write('info', console.log),
    warn: write('warn', console.warn),
    error: write('error', console.error),
  };
}

/** The words of an error may quote what a caller sent. */
function asJson(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? describeFault(value) : value,
    ]),
  );
}
