// The process log: pino, one JSON object a line, with what must not be seen cut out by name besides.
import { type DestinationStream, pino } from 'pino';
import { LinesOut } from '../../process/lines-out.ts';
import type { Log } from '../ports/log.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

const STDERR = 2;

const SECRET_FIELDS = [
  'token',
  'readToken',
  'secret',
  'password',
  'authorization',
  'cookie',
  '"proxy-authorization"',
  '"x-wrld-token"',
  '"x-twins-key"',
  '"x-wrld-pass"',
];

/** Lines go to standard error, so that standard output stays a program's own; `to` is for tests and files. */
export function openLog(level: LogLevel, to?: DestinationStream): Log {
  const paths = SECRET_FIELDS.flatMap(field => {
    const quoted = field.startsWith('"');
    return [quoted ? `[${field}]` : field, quoted ? `*[${field}]` : `*.${field}`];
  });
  return pino(
    { level, base: { pid: process.pid }, redact: { paths, censor: '[secret]' } },
    to ?? LinesOut.to(STDERR),
  );
}

/** Each line of it has those fields besides. */
export function logWith(common: { readonly [field: string]: unknown }, log: Log): Log {
  return {
    debug: (fields, message) => log.debug({ ...common, ...fields }, message),
    info: (fields, message) => log.info({ ...common, ...fields }, message),
    warn: (fields, message) => log.warn({ ...common, ...fields }, message),
    error: (fields, message) => log.error({ ...common, ...fields }, message),
  };
}
